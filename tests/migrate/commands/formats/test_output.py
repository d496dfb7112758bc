"""The formats as the command prints them, and the file into which it writes them."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from np2jax.migrate.commands.formats.catalogue import NAMES, render

TEXT = "import numpy as np\n\n\ndef f(x):\n    return np.sum(x)  # π\n"


def test_every_name_is_a_format(report):
    assert all(render(name, report) for name in NAMES)


def test_every_format_gives_the_same_columns(np2jax, tree):
    """They count from 1, for the real engine too: `np.sum` starts at the twelfth character of its line."""
    root = tree({"a.py": TEXT})
    options = ("a.py", "--select", "NJ101")
    assert np2jax("lint", *options)[1].splitlines()[:4] == [
        "a.py:5:12: NJ101 `numpy.sum` is NumPy's [*]",
        "  |",
        "5 |     return np.sum(x)  # π",
        "  |            ^^^^^^",
    ]
    (item,) = json.loads(np2jax("lint", *options, "--format", "json")[1])["diagnostics"]
    assert (item["line"], item["column"], item["end_line"], item["end_column"]) == (5, 12, 5, 18)
    (result,) = json.loads(np2jax("lint", *options, "--output-format", "sarif")[1])["runs"][0]["results"]
    region = {"startLine": 5, "startColumn": 12, "endLine": 5, "endColumn": 18}
    assert result["locations"][0]["physicalLocation"]["region"] == region
    assert ",line=5,endLine=5,col=12,endColumn=18," in np2jax("lint", *options, "--format", "github")[1]
    np2jax("convert", *options, "--diff", "--report", "r.json")
    (item,) = json.loads((root / "r.json").read_text())["diagnostics"]
    assert (item["column"], item["end_column"]) == (12, 18)


def test_a_file_takes_what_would_be_printed(np2jax, tree):
    root = tree({"a.py": TEXT})
    _, printed, _ = np2jax("lint", "a.py")
    assert np2jax("lint", "a.py", "--output-file", "found.txt") == (1, "", "")
    assert (root / "found.txt").read_text(encoding="utf-8") == printed
    np2jax("lint", "a.py", "--output-format", "junit", "--output-file", "found.xml")
    assert ElementTree.parse(root / "found.xml").getroot().get("failures") == "2"


@pytest.mark.parametrize("path", ["no/found.txt", "folder", "a.py/found.txt"])
def test_a_file_that_cannot_be_written(np2jax, tree, path):
    tree({"a.py": TEXT, "folder/b.py": ""})
    status, out, err = np2jax("lint", "a.py", "--output-file", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"np2jax: {path}: ")


def test_a_terminal_that_lacks_the_characters(tree, monkeypatch):
    root = tree({"a.py": TEXT})
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    command = [sys.executable, "-m", "np2jax", "lint", "a.py", "--no-cache"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\\u03c0" in done.stdout
