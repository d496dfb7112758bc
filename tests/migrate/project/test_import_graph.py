"""Which files arrays may get to: those that import NumPy or JAX, and those that imports connect with them."""

from pathlib import Path

import pytest

from np2jax.migrate.project.import_graph import near_arrays


def near(files):
    data = {Path("/project", name): text.encode() for name, text in files.items()}
    return {path.relative_to("/project").as_posix() for path in near_arrays(data)}


@pytest.mark.parametrize(
    "text",
    [
        "import numpy",
        "import os, numpy.linalg as la",
        "from numpy import *",
        "def f():\n    import jax.numpy as jnp",
        "np = importlib.import_module('numpy')",
        "np = __import__('numpy')",
        "import numpy as np\nwrong syntax",
    ],
)
def test_files_that_import_numpy(text):
    assert near({"a.py": text}) == {"a.py"}


@pytest.mark.parametrize(
    "text", ["", '"""\nimport numpy as np\n"""', "NAME = 'numpy'", "from .numpy import x", "import numpydoc", "# import numpy"]
)
def test_files_that_only_name_it(text):
    assert near({"a.py": text}) == set()


def test_callers_and_callees_are_near():
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": "import numpy as np",
        "pkg/shapes.py": "def area(x):\n    return x * x",
        "run.py": "from pkg.core import f",
        "tools/words.py": "import re",
        "space/a.py": "import space.b",
        "space/b.py": "import numpy as np",
        "other/c.py": "from words import x",
        "cli.py": "import run",
    }
    assert near(files) == set(files) - {"tools/words.py", "other/c.py"}


def test_without_numpy_nothing_is_near():
    assert near({"pkg/__init__.py": "", "pkg/a.py": "from . import b", "pkg/b.py": "import re"}) == set()
