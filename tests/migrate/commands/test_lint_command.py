"""What `np2jax lint` says besides the findings: how often, which files, how long; and in which colours."""

import json
import os
import subprocess
import sys

import pytest

TEXT = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n\n\ndef g(x):\n    return np.cos(x)\n"


def test_statistics(np2jax, tree):
    tree({"a.py": TEXT + "\n\ndef h(x):\n    return x  # np2jax: ignore\n"})
    status, out, _ = np2jax("lint", "a.py", "--statistics")
    assert status == 1
    assert out.splitlines() == [
        "2  NJ101 [*]  numpy-name",
        "2  NJ501 [*]  jit",
        "1  NJ002      unused-comment",
        "5 findings in 1 file; `--fix` changes the 4 marked [*]",
    ]
    first, *_ = json.loads(np2jax("lint", "a.py", "--statistics", "--output-format", "json")[1])
    assert first == {"count": 2, "code": "NJ101", "name": "numpy-name", "fixable": 2}


def test_quiet_prints_the_findings_only(np2jax, tree):
    tree({"a.py": TEXT, "b.py": "x = 1\n"})
    _, out, err = np2jax("lint", "a.py", "-q", "--output-format", "concise")
    assert (len(out.splitlines()), err) == (4, "")
    assert all(line.startswith("a.py:") for line in out.splitlines())
    assert np2jax("lint", "b.py", "-q") == (0, "", "")


def test_verbose_names_the_files_and_the_cache(np2jax, tree):
    tree({"pkg/a.py": TEXT, "pkg/b.py": "x = 1\n", "pyproject.toml": "[project]\n"})
    _, out, err = np2jax("lint", "pkg/a.py", "-v")
    linted, read, time = err.splitlines()
    assert linted == "np2jax: linted pkg/a.py"
    assert read == "np2jax: read 1 other file of the project"
    assert time.startswith("np2jax: 1 file in ") and time.endswith(" s, not from the cache")
    again = np2jax("lint", "pkg/a.py", "-v")
    assert again[1] == out
    assert "from the cache in " in again[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-q", "-v"), "--quiet and --verbose exclude each other"),
        (("--statistics", "--output-format", "sarif"), "--statistics has the formats text and json only, not sarif"),
    ],
)
def test_options_that_exclude_each_other(np2jax, tree, options, message):
    tree({"a.py": TEXT})
    status, out, err = np2jax("lint", "a.py", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal_only(np2jax, tree, variables, coloured):
    import pty

    root = tree({"a.py": TEXT})
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | variables
    command = [sys.executable, "-m", "np2jax", "lint", "a.py", "--output-format", "concise", "--output-file", "plain.txt"]
    subprocess.run(command, cwd=root, stdout=theirs, env=environment, timeout=60, check=False)
    subprocess.run(command[:-2], cwd=root, stdout=theirs, env=environment, timeout=60, check=False)
    printed = os.read(ours, 10_000)
    assert (b"\x1b[" in printed) is coloured
    assert b"\x1b" not in (root / "plain.txt").read_bytes()
    assert "\x1b" not in np2jax("lint", "a.py")[1]
