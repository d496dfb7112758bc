"""Which files may run the code of a changed one: a hook lints these alone, and says of it what a lint of the project says."""

import pytest

import np2jax
from np2jax.migrate.project.importers import Module, importing


def reaching(files, *wanted):
    """`files`: the text by module name; a name that ends with "." is that of a package."""
    modules = [
        Module(name.rstrip("."), name.rstrip(".") if name.endswith(".") else name.rpartition(".")[0], text.encode())
        for name, text in files.items()
    ]
    return importing(modules, wanted)


@pytest.mark.parametrize(
    "text",
    [
        "import pkg.core",
        "import pkg.core as core",
        "from pkg import core",
        "from pkg.core import f",
        "from pkg.core import *",
        "from . import core",
        "from .core import f",
        "def g():\n    from .core import f",
        "import pkg\npkg.core.f()",
        "import other",
    ],
)
def test_files_that_may_run_a_module(text):
    files = {"pkg.": "", "pkg.core": "def f(): pass", "pkg.user": text, "other": "import pkg.core\ndef g(): pass"}
    assert reaching(files, "pkg.core") == {"pkg.core", "pkg.user", "other"}


@pytest.mark.parametrize("text", ["import jax", "from .helper import f", "import pkg\npkg.helper.f()", "import pkg", "core = 1"])
def test_files_that_do_not(text):
    files = {"pkg.": "", "pkg.core": "def f(): pass", "pkg.helper": "def f(): pass", "pkg.user": text}
    assert reaching(files, "pkg.core") == {"pkg.core"}


PACKAGE = {
    "pkg.": "from pkg.core import f\nfrom pkg.more import g as h\nfrom pkg.rest import *",
    "pkg.core": "def f(): pass",
    "pkg.more": "def g(): pass",
    "pkg.rest": "def k(): pass",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import pkg\npkg.f()", {"pkg.core"}),
        ("from pkg import f", {"pkg.core"}),
        ("from pkg import f as e", {"pkg.core"}),
        ("import pkg\npkg.h()", set()),
        ("import pkg", set()),
    ],
)
def test_a_package_that_only_imports_gives_what_is_named(text, found):
    files = {**PACKAGE, "user": text}
    assert {name for name in PACKAGE if "user" in reaching(files, name)} == found | {"pkg.more", "pkg.rest"}


def test_a_package_that_defines_something_gives_all():
    files = {**PACKAGE, "pkg.": f"{PACKAGE['pkg.']}\ndef start(): f()", "user": "import pkg\npkg.start()"}
    assert "user" in reaching(files, "pkg.core")


CORE = "import jax\nimport jax.numpy as jnp\n\n\ndef scale(x, flag):\n    if flag:\n        return x\n    return -x\n"
USER = "import jax\nfrom pkg import scale\n\n\n@jax.jit\ndef step(x):\n    return scale(x, x > 0)\n"
ALONE = "import jax\n\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n"
FILES = {
    "setup.py": "",
    "pkg/__init__.py": "from .core import scale\n",
    "pkg/core.py": CORE,
    "pkg/alone.py": ALONE,
    "use.py": USER,
}


@pytest.mark.parametrize("names", [["pkg/core.py"], ["pkg/alone.py"], ["use.py"], ["pkg/core.py", "use.py"], ["pkg/__init__.py"]])
def test_a_hook_finds_what_a_lint_of_the_project_finds(tree, tmp_path, names):
    root = tree(FILES)
    whole = np2jax.lint(root, cache_folder=tmp_path / "whole").diagnostics
    assert {(item.path.rpartition("/")[2], item.line) for item in whole} == {("core.py", 6), ("alone.py", 6)}
    chosen = [root / name for name in names]
    alone = np2jax.lint(*chosen, cache_folder=tmp_path / "hook").diagnostics
    assert alone == tuple(item for item in whole if item.path in {str(path) for path in chosen})


def test_a_file_that_is_not_asked_for_may_set_what_others_read(tree, tmp_path):
    state = "import jax\n\nscale = None\n\n\ndef start():\n    global scale\n    scale = 2.0\n"
    user = "import jax\nimport state\n\n\n@jax.jit\ndef f(x):\n    if state.scale > x:\n        return x\n    return -x\n"
    root = tree({"setup.py": "", "state.py": state, "user.py": user})
    whole = np2jax.lint(root, cache_folder=tmp_path / "whole").diagnostics
    assert np2jax.lint(root / "user.py", cache_folder=tmp_path / "hook").diagnostics == whole != ()


SIBLINGS = {
    f"examples/{name}/{file}.py": text
    for name in ("one", "two")
    for file, text in {
        "model": "def scale(x):\n    if x > 0:\n        return x\n    return -x\n",
        "train": "import jax\nimport model\nfrom model import scale\n\n\n@jax.jit\ndef step(x):\n    return scale(x) + model.scale(x)\n",
    }.items()
}


def test_scripts_of_the_same_names_in_several_folders(tree, tmp_path):
    root = tree({"setup.py": "", **SIBLINGS})
    whole = np2jax.lint(root, cache_folder=tmp_path / "whole").diagnostics
    assert [(item.path.split("/")[-2:], item.code) for item in whole] == [
        ([name, "model.py"], "NJ801") for name in ("one", "two")
    ]
    alone = np2jax.lint(root / "examples/one/model.py", cache_folder=tmp_path / "hook").diagnostics
    assert alone == whole[:1]
