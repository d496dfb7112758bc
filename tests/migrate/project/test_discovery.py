import os
import sys

import pytest

from np2jax.migrate.project.discovery import discover
from np2jax.migrate.project.failure import Failure
from np2jax.migrate.project.path_patterns import in_settings

MODULE = "import numpy as np\n"


def names(root, *paths, **how):
    project = discover([root / path for path in paths or ("",)], **how)
    return {str(file.path.relative_to(root)): file.module for file in project.files}


def test_modules_of_a_package_are_named_from_its_top(tree):
    root = tree({"src/pkg/__init__.py": "", "src/pkg/sub/__init__.py": "", "src/pkg/sub/mod.py": "", "src/pkg/a.py": ""})
    expected = {
        "src/pkg/__init__.py": "pkg",
        "src/pkg/a.py": "pkg.a",
        "src/pkg/sub/__init__.py": "pkg.sub",
        "src/pkg/sub/mod.py": "pkg.sub.mod",
    }
    assert names(root) == expected
    assert names(root, "src/pkg/sub/mod.py") == {"src/pkg/sub/mod.py": "pkg.sub.mod"}


def test_relative_paths_give_the_same_names(tree, monkeypatch):
    root = tree({"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/mod.py": ""})
    monkeypatch.chdir(root / "pkg" / "sub")
    assert [file.module for file in discover([type(root)("."), type(root)("mod.py")]).files] == ["pkg.sub", "pkg.sub.mod"]


def test_files_outside_of_packages_are_named_from_the_folder_given(tree):
    root = tree({"tools/one.py": "", "two.py": ""})
    assert names(root) == {"tools/one.py": "tools.one", "two.py": "two"}


def test_scripts_are_named_as_the_files_beside_them_import_them(tree):
    root = tree({"demo/main.py": "from state import step\n", "demo/state.py": "def step(): pass\n", "other/alone.py": ""})
    assert names(root) == {"demo/main.py": "main", "demo/state.py": "state", "other/alone.py": "other.alone"}


def test_no_two_files_share_a_name(tree):
    root = tree({"one/main.py": "import util\n", "one/util.py": "", "two/main.py": "import tool\n", "two/tool.py": ""})
    found = names(root)
    assert found == {"one/main.py": "one.main", "one/util.py": "util", "two/main.py": "two.main", "two/tool.py": "tool"}
    root = tree({"a/x.py": "", "b/x.py": ""})
    found = names(root, "a/x.py", "b/x.py")
    assert len(set(found.values())) == 2


def test_folders_of_others_are_skipped(tree):
    skipped = (
        "node_modules/a.py",
        "__pycache__/a.py",
        ".hidden/a.py",
        "build/a.py",
        "env/pyvenv.cfg",
        "env/lib/a.py",
        ".hidden.py",
    )
    root = tree(dict.fromkeys((*skipped, "mine.py", "pkg/build/__init__.py"), MODULE))
    assert set(names(root)) == {"mine.py", "pkg/build/__init__.py"}


def test_a_skipped_folder_that_is_named_is_taken(tree):
    root = tree({"build/a.py": ""})
    assert names(root, "build") == {"build/a.py": "a"}


def test_excluded_files_are_left_out_unless_named(tree):
    root = tree({"pkg/a.py": "", "pkg/old/b.py": "", "tests/c.py": ""})
    how = {"exclude": in_settings(("tests", "pkg/old/*"), root)}
    assert set(names(root, **how)) == {"pkg/a.py"}
    assert set(names(root, "tests", "pkg", **how)) == {"pkg/a.py", "tests/c.py"}
    assert set(names(root, "tests/c.py", "pkg/a.py", **how)) == {"pkg/a.py", "tests/c.py"}
    assert set(names(root, "tests/c.py", "pkg/a.py", force=True, **how)) == {"pkg/a.py"}


def test_a_loop_of_links_ends(tree):
    root = tree({"pkg/a.py": MODULE})
    os.symlink(root / "pkg", root / "pkg" / "again")
    os.symlink("self", root / "pkg" / "self")
    assert set(names(root)) == {"pkg/a.py"}


def test_a_file_reached_by_two_names_is_taken_once(tree):
    root = tree({"a.py": MODULE})
    os.symlink("a.py", root / "0.py")
    assert set(names(root)) == {"a.py"}
    assert set(names(root, "0.py", "a.py")) == {"a.py"}


def test_notebooks_are_listed_if_nothing_reads_them(tree, monkeypatch):
    root = tree({"a.py": "", "n.ipynb": "{}"})
    assert [file.path.name for file in discover([root]).files] == ["a.py", "n.ipynb"]
    monkeypatch.setitem(sys.modules, "nbformat", None)
    assert discover([root]).notebooks == (root / "n.ipynb",)
    with pytest.raises(Failure, match=r"n\.ipynb: .*pip install 'np2jax\[notebook\]'"):
        discover([root / "n.ipynb"])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "no such file or folder"),
        ("empty", "no Python files"),
        ("fifo", "neither"),
    ],
)
def test_what_cannot_be_read_is_named(tree, path, message):
    root = tree({"empty/readme.txt": "", "n.ipynb": "{}"})
    os.mkfifo(root / "fifo")
    with pytest.raises(Failure, match=f"{path}: .*{message}"):
        discover([root / path])


def test_a_dangling_link_is_named(tree):
    root = tree({})
    os.symlink("gone.py", root / "a.py")
    with pytest.raises(Failure, match=r"a\.py: neither"):
        discover([root / "a.py"])
