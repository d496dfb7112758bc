import json

from np2jax.migrate.commands.formats.json import render


def test_json(report):
    data = json.loads(render(report))
    assert data["errors"] == [{"file": "pkg/c.py", "reason": "pkg/c.py:2: syntax error"}]
    assert data["diagnostics"][0] == {
        "path": "pkg/a b.py",
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 12,
        "code": "NJ101",
        "message": "`np.sqrt` is `jnp.sqrt`",
        "replacement": None,
        "safety": "safe",
        "fixed": False,
        "function": "pkg.a.f",
    }
