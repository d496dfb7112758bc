import json

from np2jax.migrate.commands.lint_formats import as_json, github, sarif, text
from np2jax.migrate.files.lint_cache import Lint
from np2jax.rules.core.diagnostic import Diagnostic

SAFE = Diagnostic("pkg/a b.py", 3, 5, 3, 12, "NJ101", "`np.sqrt` is `jnp.sqrt`", "safe", False, "pkg.a.f")
MANUAL = Diagnostic("pkg/b.py", 1, 1, 2, 6, "NJ999", "50% of it:\nby hand", "manual", False)
LINT = Lint((SAFE, MANUAL), (("pkg/c.py", "pkg/c.py:2: syntax error"),))


def test_text():
    assert text(LINT) == (
        "pkg/a b.py:3:5: NJ101 `np.sqrt` is `jnp.sqrt` [*]\n"
        "pkg/b.py:1:1: NJ999 50% of it:\nby hand\n"
        "2 findings in 2 files; `--fix` changes the 1 marked [*]"
    )
    assert text(Lint((), ())) == "no findings"
    assert text(Lint((), (("a.py", "a.py:1: syntax error"),))) == "no findings; not every file could be read"


def test_json():
    data = json.loads(as_json(LINT))
    assert data["errors"] == [{"file": "pkg/c.py", "reason": "pkg/c.py:2: syntax error"}]
    assert data["diagnostics"][0] == {
        "path": "pkg/a b.py",
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 12,
        "code": "NJ101",
        "message": "`np.sqrt` is `jnp.sqrt`",
        "safety": "safe",
        "fixed": False,
        "function": "pkg.a.f",
    }


def test_sarif():
    log = json.loads(sarif(LINT))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["NJ101", "NJ999"]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("NJ101", 0, "warning")
    assert first["message"] == {"text": "`np.sqrt` is `jnp.sqrt`"}
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "pkg/a%20b.py"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 12}
    assert second["ruleIndex"] == 1
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (error,) = invocation["toolExecutionNotifications"]
    assert error["message"] == {"text": "pkg/c.py:2: syntax error"}


def test_sarif_of_absolute_paths():
    log = json.loads(sarif(Lint((Diagnostic("/a/b.py", 1, 1, 1, 2, "NJ101", "m", "safe", False),), ())))
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///a/b.py"


def test_github():
    assert github(LINT).splitlines() == [
        "::warning file=pkg/a b.py,line=3,endLine=3,col=5,endColumn=12,title=np2jax NJ101::`np.sqrt` is `jnp.sqrt`",
        "::warning file=pkg/b.py,line=1,endLine=2,col=1,endColumn=6,title=np2jax NJ999::50%25 of it:%0Aby hand",
        "::error file=pkg/c.py,title=np2jax::pkg/c.py:2: syntax error",
    ]


def test_every_format_gives_the_same_columns(np2jax, tree):
    """They count from 1, for the real engine too: `np.sum` starts at the twelfth character of its line."""
    root = tree({"a.py": "import numpy as np\n\n\ndef f(x):\n    return np.sum(x)\n"})
    options = ("a.py", "--select", "NJ101")
    assert np2jax("lint", *options)[1].startswith("a.py:5:12: NJ101")
    (item,) = json.loads(np2jax("lint", *options, "--format", "json")[1])["diagnostics"]
    assert (item["line"], item["column"], item["end_line"], item["end_column"]) == (5, 12, 5, 18)
    (result,) = json.loads(np2jax("lint", *options, "--format", "sarif")[1])["runs"][0]["results"]
    region = {"startLine": 5, "startColumn": 12, "endLine": 5, "endColumn": 18}
    assert result["locations"][0]["physicalLocation"]["region"] == region
    assert ",line=5,endLine=5,col=12,endColumn=18," in np2jax("lint", *options, "--format", "github")[1]
    np2jax("convert", *options, "--diff", "--report", "r.json")
    (item,) = json.loads((root / "r.json").read_text())["diagnostics"]
    assert (item["column"], item["end_column"]) == (12, 18)
