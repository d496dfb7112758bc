"""Which files `np2jax lint` takes: patterns that exclude some, the file with the settings, and source from standard input."""

import io
import subprocess
import sys

import pytest

BAD = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"
GOOD = "import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.sqrt(x)\n"
PROJECT = {
    "pyproject.toml": "[tool.np2jax]\nexclude = ['old/*']\n",
    "old/a.py": BAD,
    "pkg/__init__.py": "",
    "pkg/a.py": BAD,
    "pkg/made/a.py": BAD,
}


@pytest.fixture
def linted(np2jax, tree):
    """The files with findings."""
    tree(PROJECT)

    def run(*arguments):
        status, out, err = np2jax("lint", *arguments, "-q", "--output-format", "concise")
        assert (status in (0, 1), err) == (True, "")
        return sorted({line.partition(":")[0] for line in out.splitlines()})

    return run


def test_patterns_on_the_command_line(linted):
    assert linted(".") == ["pkg/a.py", "pkg/made/a.py"]
    assert linted(".", "--exclude", "made") == ["old/a.py", "pkg/a.py"]  # in place of those in pyproject.toml
    assert linted(".", "--extend-exclude", "made") == ["pkg/a.py"]
    assert linted(".", "--extend-exclude", "./pkg/made/") == ["pkg/a.py"]
    assert linted(".", "--extend-exclude", "a.py") == []
    assert linted(".", "--extend-exclude", "pkg/*.py", "--extend-exclude", "x") == []
    assert linted(".", "--extend-exclude", "ma") == ["pkg/a.py", "pkg/made/a.py"]


def test_patterns_apply_to_absolute_paths(linted, tmp_path):
    assert linted(tmp_path / "pkg", "--exclude", "made") == [str(tmp_path / "pkg/a.py")]
    assert linted("pkg", "--exclude", tmp_path / "pkg/made") == ["pkg/a.py"]


def test_a_file_that_is_named_is_linted_unless_forced(linted, tmp_path):
    assert linted("pkg/a.py", "--exclude", "a.py") == ["pkg/a.py"]
    assert linted("pkg/a.py", "--exclude", "a.py", "--force-exclude") == []
    assert linted("pkg/a.py", "--exclude", tmp_path.parent.name, "--force-exclude") == ["pkg/a.py"]


def test_settings_in_a_named_file(linted, tree):
    tree({"ci/strict.toml": "[tool.np2jax]\nexclude = ['pkg']\n"})
    assert linted(".", "--config", "ci/strict.toml") == ["old/a.py"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("x = 1\n", "has no [tool.np2jax]"),
        ("[tool.np2jax\n", "not valid TOML"),
        ("[tool.np2jax]\nexclud = []\n", "unknown key `exclud` in [tool.np2jax]; did you mean `exclude`?"),
        (b"\xff\x00", "not valid TOML"),
    ],
)
def test_a_file_without_settings(np2jax, tree, text, message):
    tree({"a.py": BAD, **({"c.toml": text} if text is not None else {})})
    status, out, err = np2jax("lint", "a.py", "--config", "c.toml")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("np2jax: c.toml: ") and message in err


@pytest.fixture
def piped(np2jax, monkeypatch):
    """Run with a text or bytes on standard input."""

    def run(source, *arguments):
        data = source if isinstance(source, bytes) else source.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return np2jax("lint", "-", *arguments)

    return run


def test_source_from_standard_input(piped, engine):
    status, out, err = piped(BAD)
    assert (status, err) == (1, "")
    assert out.startswith("-:5:12: NJ101 ")
    assert "5 |     return np.sqrt(x)\n" in out


def test_standard_input_stands_for_a_file_of_the_project(piped, tree):
    root = tree({**PROJECT, "pkg/__init__.py": 'import jax\n\njax.config.update("jax_enable_x64", True)\n', "pkg/a.py": GOOD})
    _, out, _ = piped(BAD, "--stdin-filename", "pkg/a.py", "--output-format", "concise")
    assert out.startswith("pkg/a.py:4:1: NJ501")
    assert (root / "pkg/a.py").read_text() == GOOD
    assert piped(BAD, "--stdin-filename", "pkg/new.py", "-q")[1].startswith("pkg/new.py:4:1: ")
    assert piped(BAD, "--stdin-filename", "old/a.py", "--force-exclude") == (0, "no findings\n", "")


def test_the_fixed_source_is_printed(piped, tree, engine):
    root = tree(PROJECT)
    status, out, err = piped(BAD, "--fix", "--stdin-filename", "pkg/a.py")
    assert (status, out) == (0, GOOD)
    assert err.startswith("pkg/a.py:5:12: NJ101 ") and "[fixed]" in err
    assert (root / "pkg/a.py").read_text() == BAD
    assert piped("x = 1\n", "--fix")[:2] == (0, "x = 1\n")
    assert piped(BAD, "--fix", "--force-exclude", "--stdin-filename", "old/a.py")[1] == BAD


def test_bytes_are_printed_as_they_came():
    data = b"x = '\xc3\xa9'\r\ndef f(:\r\n"
    command = [sys.executable, "-m", "np2jax", "lint", "-", "--fix"]
    done = subprocess.run(command, input=data, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, data)
    assert done.stderr.splitlines()[-1].startswith(b"np2jax: -:2: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.py",), "- stands for standard input, and for no other path beside it"),
        (("--stdin-filename", "pkg"), "--stdin-filename: pkg is a folder"),
    ],
)
def test_wrong_use_of_standard_input(piped, tree, arguments, message):
    tree(PROJECT)
    status, out, err = piped(BAD, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_name_without_standard_input(np2jax, tree):
    tree(PROJECT)
    assert "--stdin-filename needs - as the path" in np2jax("lint", "pkg", "--stdin-filename", "a.py")[2]


@pytest.mark.parametrize("data", [b"\x00\x01\xff", b"\x89PNG\r\n\x1a\n", "import numpy".encode("utf-16")])
def test_binary_data(piped, data):
    status, _, err = piped(data)
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("np2jax: -:1: ")
