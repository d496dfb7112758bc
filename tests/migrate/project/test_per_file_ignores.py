"""Codes that are ignored in some files: they are neither reported nor fixed there."""

from pathlib import Path

import pytest

from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.per_file_ignores import matches, parse

TEXT = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    x[0] = 1\n    return np.sqrt(x)\n"
SETTINGS = '[tool.np2jax.per-file-ignores]\n"pkg/old/*" = ["NJ1", "NJ5"]\n"b.py" = ["NJ2"]\n'
FILES = {"pkg/a.py": TEXT, "pkg/b.py": TEXT, "pkg/old/c.py": TEXT}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("pkg/old/c.py", True),
        ("./pkg/old/c.py", True),
        ("pkg/*", True),
        ("pkg", True),
        ("old/", True),
        ("c.py", True),
        ("*.py", True),
        ("/project/pkg/*.py", True),
        ("old/c.py", False),
        ("ol", False),
        ("project", False),
        ("!pkg/*", False),
        ("!src/*", True),
    ],
)
def test_patterns(pattern, expected):
    assert matches(Path("/project/pkg/old/c.py"), pattern, Path("/project")) is expected


def test_values_of_the_option():
    assert parse(["tests/*:NJ1,NJ201", "a.py:NJ3"]) == (("tests/*", ("NJ1",)), ("tests/*", ("NJ201",)), ("a.py", ("NJ3",)))
    assert parse(["C:/a.py:NJ1"]) == (("C:/a.py", ("NJ1",)),)


@pytest.mark.parametrize("value", ["NJ1", "a.py:", ":NJ1", "a.py", "", ","])
def test_wrong_values(np2jax, tree, value):
    with pytest.raises(Failure, match="is no pattern with codes"):
        parse([value])
    tree(FILES)
    status, out, err = np2jax("lint", "pkg", "--per-file-ignores", value)
    assert (status, out, err.count("\n")) == (2, "", 1)


@pytest.fixture
def found(np2jax):
    def lint(*arguments):
        out = np2jax("lint", "pkg", "-q", "--output-format", "concise", *arguments)[1]
        return {(line.partition(":")[0], line.split()[1]) for line in out.splitlines()}

    return lint


def test_lint(tree, found):
    tree({**FILES, "pyproject.toml": SETTINGS})
    named = found()
    assert {("pkg/a.py", "NJ101"), ("pkg/a.py", "NJ201"), ("pkg/b.py", "NJ101"), ("pkg/old/c.py", "NJ201")} <= named
    assert not {("pkg/b.py", "NJ201"), ("pkg/old/c.py", "NJ101"), ("pkg/old/c.py", "NJ501")} & named
    assert found() == named  # from the cache
    assert ("pkg/b.py", "NJ201") in found("--per-file-ignores", "old/*:NJ1")


def test_what_is_ignored_is_not_changed(np2jax, tree):
    root = tree({**FILES, "pyproject.toml": SETTINGS})
    np2jax("lint", "pkg", "--fix", "--allow-dirty")
    assert "jnp.sqrt(x)" in (root / "pkg/a.py").read_text()
    for path in ("pkg/b.py", "pkg/old/c.py"):
        assert (root / path).read_text().endswith(TEXT.partition("\n")[2].strip("\n") + "\n")


def test_convert(np2jax, tree):
    root = tree({**FILES, "pyproject.toml": SETTINGS})
    assert np2jax("convert", "pkg", "-o", "out", "--placement", "device")[0] == 0
    assert "jnp.sqrt(x)" in (root / "out/a.py").read_text()
    assert (root / "out/b.py").read_text().endswith(TEXT.partition("\n")[2].strip("\n") + "\n")


def test_comments_for_ignored_codes_are_not_judged(np2jax, tree):
    comment = "x = 1  # np2jax: ignore[NJ101]\n"
    tree({"pkg/a.py": comment, "pkg/old/a.py": comment, "pyproject.toml": SETTINGS})
    out = np2jax("lint", "pkg", "--output-format", "concise")[1]
    assert [line.split()[:2] for line in out.splitlines()[:-1]] == [["pkg/a.py:1:8:", "NJ002"]]


def test_an_unknown_code(np2jax, tree):
    tree({**FILES, "pyproject.toml": '[tool.np2jax.per-file-ignores]\n"a.py" = ["NJ1011"]\n'})
    for _ in range(2):
        status, out, err = np2jax("lint", "pkg")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "per-file-ignores: unknown rule code `NJ1011`; did you mean `NJ101`?" in err
