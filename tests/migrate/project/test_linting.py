"""Which rules `lint` applies to which files: those for NumPy, and those for code that imports JAX."""

import pytest

import np2jax
from np2jax.migrate.commands.lint import fix
from np2jax.migrate.project.driver import CommandLine

NUMPY = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"
HOST = "import jax\nimport numpy as np\n\ntable = np.arange(3)\n\n\n@jax.jit\ndef f(x):\n    return x + table\n"
BROKEN = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:{}\n        return x\n    return -x\n"


@pytest.fixture
def found(tree, tmp_path):
    def lint(files, **options):
        root = tree(files)
        lint = np2jax.lint(root, cache_folder=tmp_path / "cache", **options)
        return sorted((item.path.rpartition("/")[2], item.code) for item in lint.diagnostics), lint.errors

    return lint


def test_numpy_code_is_linted_as_before(found):
    assert found({"a.py": NUMPY}) == ([("a.py", "NJ101"), ("a.py", "NJ501")], ())


def test_files_that_have_nothing_to_do_with_numpy_are_left_alone(found):
    text = '"""Knows the names of numpy."""\n\n\ndef wide(box):\n    total = box * 2\n    return total.device\n'
    assert found({"words.py": text, "b.py": NUMPY})[0] == [("b.py", "NJ101"), ("b.py", "NJ501")]


def test_numpy_is_a_choice_in_files_that_import_jax(found):
    assert found({"a.py": HOST}) == ([], ())
    assert found({"a.py": HOST, "b.py": NUMPY})[0] == [("b.py", "NJ101"), ("b.py", "NJ501")]


LOADER = {"pkg/__init__.py": "", "pkg/data.py": NUMPY, "pkg/model.py": HOST}
WIDE = 'import jax\n\njax.config.update("jax_enable_x64", True)\n'


def test_numpy_is_a_choice_in_programs_that_run_jax_with_32_bits(found):
    assert found(LOADER) == ([], ())
    assert found({"a.py": HOST, "b.py": NUMPY, "main.py": "import a, b\n"}) == ([], ())
    assert found({**LOADER, "pkg/tests/test_model.py": WIDE}) == ([], ())


@pytest.mark.parametrize(
    "files", [{**LOADER, "pkg/__init__.py": WIDE}, {"b.py": NUMPY, "tests/test_b.py": f"import b\n{HOST}"}], ids=["wide", "tests"]
)
def test_numpy_code_is_linted_in_other_programs(found, files):
    assert {code for _file, code in found(files)[0]} == {"NJ101", "NJ501"}


HELPER = "def scale(x):\n    x *= 2\n    return x\n"
CALLER = f"{HOST}\nfrom .helper import scale\n\nscaled = scale(np.arange(3.0))\n"


def test_a_program_of_jax_without_numpy_elsewhere_has_nothing_to_convert(found):
    jax = {"pkg/__init__.py": WIDE, "pkg/model.py": CALLER, "pkg/helper.py": HELPER}
    assert found(jax) == ([], ())
    assert found({**jax, "pkg/tests/test_helper.py": NUMPY}) == ([], ())
    assert {("data.py", "NJ101"), ("helper.py", "NJ203")} <= {*found({**jax, "pkg/data.py": NUMPY})[0]}
    assert ("helper.py", "NJ203") in found(jax, select=["NJ2"])[0]
    numpy = {
        "pkg/__init__.py": "",
        "pkg/helper.py": HELPER,
        "pkg/tests/test_helper.py": CALLER.replace("import jax", "import re"),
    }
    assert found(numpy) == found({**numpy, "tools/model.py": HOST})  # another program


def test_numpy_in_traced_code_is_found_in_files_without_jax(found):
    files = {**LOADER, "pkg/model.py": "import jax\n\nfrom .data import f\n\nfast = jax.jit(f)\nfast(1.0)\n"}
    assert found(files)[0] == [("data.py", "NJ803")]


def test_lint_options_decide_about_programs_with_32_bits(found):
    assert ("data.py", "NJ101") in found(LOADER, select=["NJ1"])[0]
    assert {code for _file, code in found(LOADER, precision="float32")[0]} == {"NJ101", "NJ501"}


def test_fix_leaves_the_precision_of_a_program_alone(tree):
    root = tree(LOADER)
    for select in ((), ("NJ1", "NJ5")):
        fix([root], CommandLine(select=select, placement="device"), allow_dirty=True)
        assert {name: (root / name).read_text() for name in LOADER} == LOADER


def test_rules_for_numpy_may_be_selected_in_files_that_import_jax(found):
    assert ("a.py", "NJ101") in found({"a.py": HOST}, select=["NJ1"])[0]


def test_jax_code_is_linted(found):
    assert found({"a.py": BROKEN.format("")}) == ([("a.py", "NJ801")], ())
    assert found({"a.py": BROKEN.format("")}, ignore=["NJ801"]) == ([], ())
    assert found({"a.py": BROKEN.format("")}, select=["NJ82"]) == ([], ())
    assert found({"a.py": BROKEN.format("  # np2jax: ignore[NJ8]")}) == ([], ())


def test_a_rule_that_is_off_runs_when_it_is_selected(found):
    text = "import jax\n\nkey = jax.random.PRNGKey(0)\n"
    assert found({"a.py": text}) == ([], ())
    assert found({"a.py": text}, select=["NJ825"]) == ([("a.py", "NJ825")], ())


def test_functions_are_followed_through_modules(found):
    files = {
        "pkg/__init__.py": "",
        "pkg/steps.py": "import jax.numpy as jnp\n\n\ndef clip(x):\n    return x if jnp.sum(x) > 0 else -x\n",
        "pkg/main.py": "import jax\n\nfrom . import steps\n\n\n@jax.jit\ndef f(x):\n    return steps.clip(x)\n",
    }
    assert found(files)[0] == [("steps.py", "NJ801")]


def test_a_file_without_jax_may_hand_on_names(found):
    files = {
        "pkg/__init__.py": "from .steps import clip\n",
        "pkg/steps.py": "import jax.numpy as jnp\n\n\ndef clip(x):\n    return x if jnp.sum(x) > 0 else -x\n",
        "main.py": "import jax\n\nimport pkg\n\n\n@jax.jit\ndef f(x):\n    return pkg.clip(x)\n",
    }
    assert found(files)[0] == [("steps.py", "NJ801")]


def test_a_file_that_is_not_python_is_reported(found):
    diagnostics, errors = found({"a.py": "import jax\n\ndef f(:\n"})
    assert not diagnostics
    assert len(errors) == 1


def test_code_nested_deeply_is_read(found):
    text = "import jax\n\n\n@jax.jit\ndef f(x):\n    return " + " + ".join(["x"] * 900) + "\n"
    assert found({"a.py": text}) == ([], ())


def test_fixes_leave_files_that_import_jax_alone(tree):
    root = tree({"a.py": HOST, "b.py": NUMPY, "c.py": BROKEN.format("  # np2jax: ignore[NJ801]"), "d.py": BROKEN.format("")})
    found = fix([root], CommandLine(placement="device"), allow_dirty=True)
    assert (root / "a.py").read_text() == HOST
    assert "import jax" in (root / "b.py").read_text()
    left = [(item.path.rpartition("/")[2], item.code) for item in found.lint.diagnostics if not item.fixed]
    assert left == [("d.py", "NJ801")]


def test_fixes_of_selected_rules_may_change_files_that_import_jax(tree):
    root = tree({"a.py": HOST + "\n\ndef g(x):\n    return np.sqrt(x)\n"})
    found = fix([root], CommandLine(select=("NJ101",), placement="device"), allow_dirty=True)
    assert {item.code for item in found.lint.diagnostics} == {"NJ101"}
