"""`np2jax lint --add-noqa` leaves no finding, changes comments only, and changes nothing when it runs again."""

import ast
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = '''import numpy as np


def f(x: np.ndarray, noise: float):  # np2jax: ignore[NJ3] as planned
    """Move."""
    x[0] = np.sum(
        x,
        axis=0) + \\
        np.random.normal(0.0, noise)
    name = """np.sum
    """ + str(np.sqrt(x))
    return np.sqrt(x) + np.cos(x), name


def g(x):
    y = np.exp(f(x, 1.0)[0])
    return y
'''


def code(path):
    return ast.dump(ast.parse(path.read_bytes()))


def test_all_findings_are_silenced(np2jax, tree):
    root = tree({"pkg/a.py": TEXT, "pkg/b.py": "x = 1\n", "pkg/c.py": TEXT.replace("\n", "\r\n")})
    before = {path: code(path) for path in root.rglob("*.py")}
    status, out, err = np2jax("lint", "pkg", "--add-noqa", "--allow-dirty")
    assert (status, err) == (0, "")
    assert out.endswith(" comments in 2 files\n")
    text = (root / "pkg/a.py").read_text()
    assert text.count("# np2jax") == int(out.split()[0]) // 2
    assert (root / "pkg/c.py").read_bytes() == text.replace("\n", "\r\n").encode()
    assert {path: code(path) for path in before} == before
    assert np2jax("lint", "pkg") == (0, "no findings\n", "")
    assert np2jax("lint", "pkg", "--add-noqa", "--allow-dirty") == (0, "no comments were needed\n", "")
    assert (root / "pkg/a.py").read_text() == text


def test_only_what_is_selected(np2jax, tree):
    root = tree({"a.py": TEXT})
    assert np2jax("lint", "a.py", "--add-noqa", "--allow-dirty", "--select", "NJ201")[0] == 0
    changed = [line for line in (root / "a.py").read_text().splitlines() if line not in TEXT.splitlines()]
    assert changed == ["    x[0] = np.sum(  # np2jax: ignore[NJ201]"]


def test_comments_about_comments_are_left(np2jax, tree):
    root = tree({"a.py": "x = 1  # np2jax: ignore[NJ201]\n"})
    status, out, _ = np2jax("lint", "a.py", "--add-noqa", "--allow-dirty")
    assert status == 1
    assert out == "a.py:1:8: NJ002 cannot be silenced: it is about a comment: mend that\nno comments were needed\n"
    assert (root / "a.py").read_text() == "x = 1  # np2jax: ignore[NJ201]\n"


def test_encodings(np2jax, tree):
    data = b"# coding: latin-1\nimport numpy as np\n\n\ndef f(x):\n    return np.sqrt(x), '\xe9'\n"
    root = tree({"a.py": data, "b.py": b"\xef\xbb\xbf" + data.partition(b"\n")[2].replace(b"\xe9", b"e")})
    assert np2jax("lint", ".", "--add-noqa", "--allow-dirty")[0] == 0
    assert b"    return np.sqrt(x), '\xe9'  # np2jax: ignore[NJ101]\n" in (root / "a.py").read_bytes()
    assert (root / "b.py").read_bytes().startswith(b"\xef\xbb\xbfimport numpy")


def test_a_comment_beside_a_view_is_used(np2jax, tree):
    """The rule NJ219 leaves lines alone whose comments would be lost, but not those with a comment for np2jax."""
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    for k in range(3):\n        v = x[1:]\n        v[k] = 1.0\n    return x\n"
    tree({"a.py": text})
    assert np2jax("lint", "a.py", "--add-noqa", "--allow-dirty")[0] == 0
    assert np2jax("lint", "a.py")[0] == 0


def test_files_that_are_not_committed_are_left(np2jax, tree):
    root = tree({"a.py": TEXT})
    status, out, err = np2jax("lint", "a.py", "--add-noqa")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "a.py: is not under version control" in err
    assert (root / "a.py").read_text() == TEXT
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "start")):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True)
    assert np2jax("lint", "a.py", "--add-noqa")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("a.py", "--fix"), "--add-noqa and --fix exclude each other"), (("-",), "--add-noqa is for files, not for standard input")],
)
def test_wrong_use(np2jax, tree, arguments, message):
    tree({"a.py": TEXT})
    status, out, err = np2jax("lint", *arguments, "--add-noqa")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_file_that_is_not_python(np2jax, tree):
    root = tree({"a.py": TEXT, "b.py": b"\x00\x01"})
    status, out, err = np2jax("lint", ".", "--add-noqa", "--allow-dirty")
    assert (status, err.count("\n")) == (2, 1)
    assert "in 1 file\n" in out
    assert (root / "b.py").read_bytes() == b"\x00\x01"


@pytest.mark.slow
def test_on_the_examples(np2jax, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    paths = sorted((tmp_path / "examples").rglob("*.py"))
    before = [code(path) for path in paths]
    assert np2jax("lint", "examples", "--add-noqa", "--allow-dirty")[0] == 0
    assert [code(path) for path in paths] == before
    assert np2jax("lint", "examples")[:2] == (0, "no findings\n")
    assert np2jax("lint", "examples", "--add-noqa", "--allow-dirty")[1] == "no comments were needed\n"
