"""np2jax fails on one file of a project: the file is named, the others are converted, and what they say of it is not guessed."""

from dataclasses import replace
from pathlib import Path

import libcst as cst
import pytest

from np2jax.migrate.lowering.catalogue import SPECULATIONS
from np2jax.migrate.project.failure import InternalError
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files
from np2jax.rules.core.registry import all_rules

LOOP = "import numpy as np\n\n\ndef {name}(x):\n    s = 0.0\n    for v in x:\n        s += np.sin(v) * {name}s(v)\n    return s\n\n\ndef {name}s(v):\n    return np.cos(v)\n"
FILES = {"good.py": LOOP.format(name="good"), "bad.py": LOOP.format(name="bad")}


@pytest.fixture
def broken(monkeypatch):
    """A transformation that fails on `bad.py`."""
    name = next(iter(SPECULATIONS))
    whole = SPECULATIONS[name]

    def propose(module, *others):
        if module.source.name == "bad":
            raise ValueError("two\nlines")
        return whole.propose(module, *others)

    monkeypatch.setitem(SPECULATIONS, name, replace(whole, propose=propose))


def test_the_other_files_are_converted(broken, np2jax, tree):
    tree({f"src/{name}": text for name, text in FILES.items()})
    status, _out, err = np2jax("convert", "src", "-o", "out")
    assert status == 2, err
    assert "bad.py: np2jax failed on this file (ValueError: two lines): please report it" in err
    assert "Traceback" not in err
    assert "jnp." in (tree({}) / "out/good.py").read_text()
    assert (tree({}) / "out/bad.py").read_text() == FILES["bad.py"]


def test_the_failure_is_raised_where_it_is_asked_for(broken, monkeypatch):
    monkeypatch.setenv("NP2JAX_TRACEBACK", "1")
    files = [ProjectFile(Path(name), name.removesuffix(".py"), text.encode()) for name, text in FILES.items()]
    with pytest.raises(InternalError, match=r"bad\.py: ValueError"):
        convert_files(files, Options())


def test_a_rule_that_fails_leaves_the_findings_of_the_others(monkeypatch, np2jax, tree):
    def fails(_node, _context):
        raise ValueError("odd")

    rule = all_rules()["NJ106"]
    monkeypatch.setitem(rule.checks, cst.Attribute, [fails])
    tree({"a.py": "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.exp(x)\n", "b.py": "x = 1\n"})
    status, out, err = np2jax("lint", ".", "--output-format", "concise", "--no-cache")
    assert status == 1
    assert "a.py:1:1: NJ003 np2jax failed on this file (NJ106: ValueError: odd): please report it\n" in out
    assert "NJ101" in out
    assert "Traceback" not in out + err
