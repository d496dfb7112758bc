"""The project around the selected files: what belongs to it, and what is left out because it is too large."""

import os

import pytest

from np2jax.migrate.project import surroundings
from np2jax.migrate.project.discovery import discover
from np2jax.migrate.project.path_patterns import in_settings

MODULE = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"


@pytest.fixture
def others(tree, monkeypatch):
    def found(files, *paths, exclude=(), whole=False, cwd=""):
        root = tree(files)
        monkeypatch.chdir(root / cwd)
        paths = [type(root)(path) for path in paths]
        patterns = in_settings(exclude, root)
        project = surroundings.around(discover(paths, patterns), paths, patterns, whole=whole)
        return (
            {str(file.path): file.module for file in project.others},
            {str(f.path): f.module for f in project.files},
            project.notes,
        )

    return found


def test_the_files_of_a_project_that_import_a_file_or_are_imported_by_it(others):
    files = {
        "pyproject.toml": "",
        "src/pkg/__init__.py": "",
        "src/pkg/a.py": MODULE,
        "src/pkg/b.py": "from .a import f\n",
        "tests/test_a.py": "from pkg.a import f\n",
        "scripts/run.py": "import pkg.b\n",
        "scripts/alone.py": MODULE,
        "build/pkg/a.py": MODULE,
        ".venv/lib/pkg.py": MODULE,
        "copy/.np2jax.json": "{}",
        "copy/pkg/a.py": MODULE,
    }
    expected = {
        "src/pkg/__init__.py": "pkg",
        "src/pkg/b.py": "pkg.b",
        "tests/test_a.py": "tests.test_a",
        "scripts/run.py": "scripts.run",
    }
    assert others(files, "src/pkg/a.py") == (expected, {"src/pkg/a.py": "pkg.a"}, ())
    assert set(others({}, "src/pkg/a.py", whole=True)[0]) == {*expected, "scripts/alone.py"}
    assert others({}, "src/pkg/a.py", exclude=("tests", "scripts/*"))[0].keys() == {"src/pkg/__init__.py", "src/pkg/b.py"}
    assert others({}, "src/pkg")[0].keys() == {"tests/test_a.py", "scripts/run.py"}
    assert others({}, ".") == ({}, discovered(others, "."), ())
    assert others({}, "scripts/alone.py") == ({}, {"scripts/alone.py": "alone"}, ())


def discovered(others, path):
    return others({}, path)[1]


@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.py", "setup.cfg", ".git/HEAD"])
def test_what_marks_a_project(others, marker):
    files = {marker: "", "lib/a.py": MODULE, "deep/down/main.py": "import sys\nsys.path.append('lib')\nfrom a import f\n"}
    found, named, _notes = others(files, "lib/a.py")
    assert set(found) == {"deep/down/main.py"} | ({"setup.py"} & set(found))
    assert set(named) == {"lib/a.py"}


def test_paths_are_shown_from_the_current_folder(others):
    files = {"setup.py": "", "pkg/__init__.py": "", "pkg/a.py": MODULE, "main.py": "import pkg.a\n"}
    assert set(others(files, "a.py", cwd="pkg")[0]) == {"__init__.py", os.path.join("..", "main.py")}


def test_without_a_marker_a_package_and_the_scripts_beside_it(others):
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": MODULE,
        "pkg/sub/__init__.py": "from ..a import f\n",
        "main.py": "from pkg import a\n",
        "x/far.py": "import pkg.a\n",
    }
    assert set(others(files, "pkg/a.py")[0]) == {"pkg/__init__.py", "pkg/sub/__init__.py", "main.py"}


def test_a_lone_script_among_others(others):
    files = {f"script{n}.py": MODULE for n in range(50)} | {
        "a.py": MODULE,
        "user.py": "from a import f\n",
        "more.py": "import user\n",
        "below/b.py": "from a import f\n",
    }
    assert others(files, "a.py") == ({"user.py": "user", "more.py": "more"}, {"a.py": "a"}, ())
    assert others({}, "script7.py") == ({}, {"script7.py": "script7"}, ())


def test_the_program_above_a_folder_without_a_marker(others):
    files = {"main.py": "from lib.a import f\n", "lib/a.py": MODULE, "lib/b.py": MODULE}
    assert others(files, "lib/a.py") == ({"main.py": "main"}, {"lib/a.py": "lib.a"}, ())


def test_a_repository_in_the_home_folder_is_no_project(others, tree, monkeypatch):
    home = tree({".git/HEAD": "", "a.py": MODULE, "work/b.py": "from a import f\n"})
    monkeypatch.setenv("HOME", str(home))
    assert others({}, "a.py") == ({}, {"a.py": "a"}, ())


def test_a_bound_leaves_out_what_is_farthest_away(others, monkeypatch):
    files = {"pyproject.toml": "", "pkg/__init__.py": "", "pkg/a.py": MODULE, "pkg/b.py": "from .a import f\n"}
    files |= {f"data/d{n}.py": "import pkg.a\n" for n in range(20)}
    monkeypatch.setattr(surroundings, "MOST_FILES", 10)
    found, _named, (note,) = others(files, "pkg/a.py")
    assert set(found) == {"pkg/__init__.py", "pkg/b.py"}
    assert note.startswith(".: has more than 10 Python files; calls from outside of pkg are not known")
    monkeypatch.setattr(surroundings, "MOST_FILES", 2)
    found, _named, (note,) = others({}, "pkg/a.py")
    assert found == {} and "calls from other files are not known" in note
    monkeypatch.setattr(surroundings, "MOST_FILES", 100)
    monkeypatch.setattr(surroundings, "MOST_ENTRIES", 12)
    assert "more than 12 files and folders" in others({}, "pkg/a.py")[2][0]
    monkeypatch.setattr(surroundings, "MOST_ENTRIES", 1000)
    monkeypatch.setattr(surroundings, "MOST_BYTES", 2)
    assert "not known" in others({}, "pkg/a.py")[2][0]


def test_a_folder_of_many_scripts_is_not_read(others, monkeypatch):
    monkeypatch.setattr(surroundings, "MOST_SCRIPTS", 10)
    files = {f"script{n}.py": "from a import f\n" for n in range(50)} | {"a.py": MODULE}
    found, named, (note,) = others(files, "a.py")
    assert (found, named) == ({}, {"a.py": "a"})
    assert "more than 10 Python files" in note


def test_files_that_cannot_be_read_are_named(others, tree, monkeypatch):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    root = tree({"setup.py": "", "a.py": MODULE, "b.py": "import a\n"})
    (root / "b.py").chmod(0)
    assert "b.py: cannot be read" in others({}, "a.py")[2][0]


def test_links_are_followed_once(others, tree):
    root = tree({"setup.py": "", "a.py": MODULE, "b.py": "import a\n"})
    os.symlink("b.py", root / "c.py")
    os.symlink("a.py", root / "d.py")
    os.symlink(".", root / "again")
    assert set(others({}, "a.py")[0]) == {"b.py"}
