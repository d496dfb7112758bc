"""Folders that a program adds to `sys.path`, and the names by which it then imports its modules."""

from pathlib import Path

import pytest

from np2jax.migrate.project.import_names import with_siblings
from np2jax.migrate.project.outcome import ProjectFile
from np2jax.migrate.project.search_path import added_folders, is_script
from np2jax.tests.helpers.differential import convert_project

HERE = Path("/p/pkg/tools/run.py")
ADDED = [
    ("import sys, pathlib\nsys.path.append(str(pathlib.Path(__file__).parent.parent))", {"/p/pkg"}),
    ("import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).resolve().parents[2]))", {"/p"}),
    ("import sys, os\nsys.path.append(os.path.dirname(os.path.abspath(__file__)))", {"/p/pkg/tools"}),
    ("import sys, os\nsys.path.append(os.path.join(os.path.dirname(__file__), '..', '..'))", {"/p"}),
    ("import sys, os\nhere = os.path.dirname(__file__)\nsys.path += [here, here + '/../lib']", {"/p/pkg/tools", "/p/pkg/lib"}),
    ("import sys\nfrom pathlib import Path\nroot = Path(__file__).parent\nif root not in sys.path:\n    sys.path.append(str(root / 'a'))",
     {"/p/pkg/tools/a"}),
    ("import sys\nsys.path.append('..')  # __file__", set()),
    ("import sys\nfrom pathlib import Path\nroot = Path(__file__)\nroot = find()\nsys.path.append(root)", set()),
    ("import sys\npaths = []\npaths.append(__file__)\nprint(sys.path)", set()),
    ("import sys\nsys.path.append(__file__.", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "folders"), ADDED)
def test_added_folders(text, folders):
    assert added_folders(text.encode(), HERE) == {Path(folder) for folder in folders}


def test_scripts():
    assert is_script(b"x = 1\nif __name__ == '__main__':\n    main()\n") and not is_script(b"def f():\n    return __name__\n")


ADDS = "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent.parent))\n"


def names(**sources):
    files = []
    for name, text in sources.items():
        path = Path("/p") / (name.replace("__init__", "@").replace("__", "/").replace("@", "__init__") + ".py")
        module = ".".join(path.relative_to("/p").with_suffix("").parts).removesuffix(".__init__")
        files.append(ProjectFile(path, module, text.encode()))
    return {file.module: dict(file.siblings) for file in with_siblings(files)}


def test_names_below_an_added_folder():
    found = names(pkg____init__="", pkg__tools____init__="", pkg__tools__run=ADDS, pkg__util__angle="")
    assert found["pkg.tools.run"] == {"tools": "pkg.tools", "util": "pkg.util"}


def test_a_name_of_two_modules_is_not_known():
    twice = "sys.path.append(str(Path(__file__).parent))\n"
    found = names(pkg____init__="", pkg__tools____init__="", pkg__tools__run=ADDS + twice, pkg__util="", pkg__tools__util="")
    assert "util" not in found["pkg.tools.run"]


def test_libraries_come_first():
    assert names(pkg____init__="", pkg__tools____init__="", pkg__tools__run=ADDS, pkg__random="", pkg__numpy="")[
        "pkg.random"
    ] == {"tools": "pkg.tools"}


def test_only_scripts_import_from_their_folder():
    found = names(pkg____init__="", pkg__run="if __name__ == '__main__':\n    pass\n", pkg__util="")
    assert found["pkg.run"] == {"run": "pkg.run", "util": "pkg.util"} and found["pkg.util"] == {}


def test_functions_that_such_a_name_imports_are_known():
    sources = {
        "pkg/__init__.py": "",
        "pkg/tools/__init__.py": "",
        "pkg/util.py": "import numpy as np\n\n\ndef turned(a):\n    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])\n",
        "pkg/tools/run.py": ADDS
        + "import numpy as np\nfrom util import turned\n\n\ndef turns(x: np.ndarray, steps: int):\n"
        + "    for k in range(steps):\n        x = turned(0.1 * k) @ x\n    return x\n",
    }
    texts, functions, _diagnostics = convert_project(sources, placement="fast")
    assert functions["pkg.tools.run.turns"].transform == "jit", functions["pkg.tools.run.turns"]
    assert 'jax.config.update("jax_enable_x64", True)' in texts["pkg/tools/run.py"]
