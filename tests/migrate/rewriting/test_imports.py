"""The lines that a converted file gets at its top."""

from np2jax.tests.helpers.differential import convert_project

WORK = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.sin(x) + 0.5\n"


def test_an_empty_file_ends_with_a_newline():
    texts, _functions, _diagnostics = convert_project({"pkg/__init__.py": "", "pkg/m.py": WORK})
    assert texts["pkg/__init__.py"] == 'import jax\n\njax.config.update("jax_enable_x64", True)\n'


def test_a_file_without_a_newline_at_its_end_stays_one():
    texts, _functions, _diagnostics = convert_project({"pkg/__init__.py": "VERSION = 1", "pkg/m.py": WORK})
    assert texts["pkg/__init__.py"].endswith("\nVERSION = 1")


def test_an_import_that_asks_whether_numpy_is_installed_stays():
    asks = 'try:\n    import numpy as _np\nexcept ImportError:\n    raise SystemExit("install numpy")\n'
    texts, _functions, _diagnostics = convert_project({"pkg/__init__.py": asks, "pkg/m.py": WORK})
    assert "    import numpy as _np\n" in texts["pkg/__init__.py"] and "jax_enable_x64" in texts["pkg/__init__.py"]
