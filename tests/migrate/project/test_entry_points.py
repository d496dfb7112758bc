"""Which files enable float64: a program has to run one of them before its first array, and pays for the import of JAX there."""

import pytest

from np2jax.tests.helpers.differential import convert_project

WORK = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.sin(x @ x) + 0.5\n"
PLAIN = (
    "import numpy as np\n\n\ndef size(x):\n    return np.shape(x)[0]\n\n\nif __name__ == '__main__':\n    print(size([1, 2]))\n"
)
MAIN = "\n\nif __name__ == '__main__':\n    n = int(input())\n    print(f(np.ones((n, n))))\n"


def enabled(**sources):
    paths = {
        path.replace("__init__", "@").replace("__", "/").replace("@", "__init__") + ".py": text for path, text in sources.items()
    }
    texts, _functions, _diagnostics = convert_project(paths, placement="fast")
    return {path for path, text in texts.items() if "jax_enable_x64" in text}


def test_a_package():
    assert enabled(pkg____init__="", pkg__m=WORK, pkg__n=PLAIN.partition("\n\n\nif")[0] + "\n") == {"pkg/__init__.py"}


def test_a_script_of_a_package_that_imports_nothing_of_it():
    assert enabled(pkg____init__="", pkg__m=WORK, pkg__n=PLAIN) == {"pkg/__init__.py"}


def test_a_script_beside_converted_ones():
    assert enabled(a__m=WORK + MAIN, a__n=PLAIN) == {"a/m.py"}


@pytest.mark.parametrize("line", ["from m import f", "import m", "from tools.m import f", "from tools import m"])
def test_a_script_of_a_package_that_imports_it_by_a_shorter_name(line):
    """`sys.path` has a folder of the package: its `__init__` does not run."""
    script = f"import numpy as np\n{line}\n\n\nif __name__ == '__main__':\n    print(np.ones(3))\n"
    found = enabled(pkg____init__="", pkg__tools____init__="", pkg__tools__m=WORK, pkg__tools__run=script)
    assert found == {"pkg/__init__.py", "pkg/tools/m.py", "pkg/tools/run.py"}


@pytest.mark.parametrize("line", ["from .m import f", "from pkg.m import f", "from . import m"])
def test_a_script_of_a_package_that_imports_it_by_its_name(line):
    script = f"import numpy as np\n{line}\n\n\nif __name__ == '__main__':\n    print(np.ones(3))\n"
    assert enabled(pkg____init__="", pkg__m=WORK, pkg__run=script) == {"pkg/__init__.py"}


def test_a_test_that_imports_a_module_by_a_shorter_name():
    test = "import numpy as np\nfrom tools.m import f\n\n\ndef test_f():\n    assert f(np.zeros(1))[0] == 0.5\n"
    found = enabled(pkg____init__="", pkg__tools____init__="", pkg__tools__m=WORK, pkg__tests__test_m=test)
    assert found == {"pkg/__init__.py", "pkg/tools/m.py"}


def test_a_library_of_the_same_name_as_a_module():
    script = "import random\nimport numpy as np\n\nprint(np.ones(3), random.random())\n"
    assert enabled(pkg____init__="", pkg__random=WORK, pkg__run=script) == {"pkg/__init__.py"}
