"""What is said about a difference: the smallest input, the statement at which the versions part, a test that fails."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

pytest.importorskip("jax")

from np2jax.runtime_shim.values.calls import Outcome, arguments
from np2jax.runtime_shim.values.contract import Contract
from np2jax.runtime_shim.values.snapshot import Array, Node
from np2jax.runtime_shim.verification.pytest_case import pytest_case
from np2jax.runtime_shim.verification.verify import verify

BEFORE = """
import numpy as np

def spread(x, width):
    middle = x.mean()
    away = np.abs(x - middle)
    near = away <= width
    return away[0] * near.sum()

def checked(x):
    if np.isnan(x).any():
        raise ValueError("not a number")
    return x * 2.0

def last(x):
    level = 0.0
    for i in range(len(x)):
        level = 0.5 * level + x[i]
    return level

def solved(a):
    pivot = a[0, 0] - a[0, 1] * a[1, 0] / 1e-18
    return pivot + a[0, 1] * a[1, 0] / 1e-18

def up_to(x, most):
    if most < 1:
        return x
    return np.minimum(x, most)

def nearest(x):
    best = np.inf
    for i in range(len(x)):
        if np.abs(x[i]) < best:
            best = np.abs(x[i])
    return best
"""

AFTER = """
import jax
import jax.numpy as jnp
from jax import lax

@jax.jit
def spread(x, width):
    middle = x.mean()
    away = jnp.abs(x - middle)
    near = away < width
    return away[0] * near.sum()

def checked(x):
    if jnp.isnan(x).all():
        raise ValueError("not a number")
    return x * 2.0

@jax.jit
def last(x):
    level = 0.0

    def step(i, level):
        level = 0.5 * level + x[i]
        return level

    level = lax.fori_loop(0, len(x) - 1, step, level)
    return level

@jax.jit
def solved(a):
    pivot = a[0, 0] - a[0, 1] * a[1, 0] / 1e-18
    return pivot + a[0, 1] * a[1, 0] / 1e-18

@jax.jit
def up_to(x, most): return jnp.where(most < 1, x, jnp.minimum(x, most))

@jax.jit
def nearest(x):
    return lax.fori_loop(0, len(x), lambda i, best: jnp.where(jnp.abs(x[i]) < best, jnp.abs(x[i]), best), jnp.inf)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The verdicts by name, and the folder of the converted code."""
    folder = tmp_path_factory.mktemp("differences")
    for name, text in (("before", BEFORE), ("after", AFTER)):
        (folder / name).mkdir()
        (folder / name / "code_of_mine.py").write_text(textwrap.dedent(text))
    report = verify(folder / "before" / "code_of_mine.py", folder / "after" / "code_of_mine.py")
    return {one.name.removeprefix("code_of_mine."): one for one in report.functions}, folder / "after", report


@pytest.mark.slow
def test_the_input_is_small_and_the_statement_is_the_one_with_the_bug(found):
    functions, _, report = found
    assert functions["spread"].verdict == functions["last"].verdict == "differs"
    assert functions["last"].call == "x=[1.] float64"
    assert functions["last"].parting.startswith("the result is 1.0 in NumPy (line 19) and 0.0 in the converted version (line 27)")
    assert "`near`" in functions["spread"].parting and "(line 7)" in functions["spread"].parting, functions["spread"]
    assert "(line 10)" in functions["spread"].parting
    assert "    the versions part: `near`" in report.to_text()


@pytest.mark.slow
def test_an_exception_that_both_have_is_part_of_what_a_function_does(found):
    checked = found[0]["checked"]
    assert checked.verdict == "differs" and "the original raises ValueError" in checked.reason, checked
    assert "with pytest.raises(ValueError, match=" in checked.test


@pytest.mark.slow
def test_right_conversions_are_not_reported(found):
    functions = found[0]
    assert functions["up_to"].verdict == "agrees", functions["up_to"].summary  # `most` is no array: `if` compares it
    assert functions["nearest"].verdict == "agrees", functions["nearest"].summary  # integers give another dtype only
    assert functions["solved"].verdict == "agrees", functions["solved"].summary  # what is left of 1e18 minus 1e18


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spread", "last", "checked"])
def test_the_test_fails_until_the_bug_is_mended(found, name):
    functions, folder, _ = found
    (folder / f"test_{name}.py").write_text(functions[name].test)
    right = {"spread": ("away < width", "away <= width"), "last": ("len(x) - 1", "len(x)"), "checked": (".all()", ".any()")}
    assert passes(folder, name) is False
    code = folder / "code_of_mine.py"
    code.write_text(code.read_text().replace(*right[name]))
    assert passes(folder, name) is True


def passes(folder, name):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{name}.py"], cwd=folder)
    assert done.returncode in (0, 1)
    return done.returncode == 0


def test_a_test_is_python_and_holds_the_values():
    call = arguments([Array(np.array([np.nan, -np.inf, 1.5])), Array(np.zeros((0, 2)))], {"how": "sum", "level": float("inf")})
    result = Node("tuple", items=(Array(np.array(2, np.int32), "jax"), Node("list", items=(None, "a", 0.5))))
    contract = Contract("pkg/m.py", "pkg.m", "pkg.m.f", results=2, returns=("x",))
    want = Outcome("returned", result, arguments([Array(np.array([1.0])), Array(np.zeros((0, 2)))]))
    text = pytest_case(contract, ("x", "y"), call, want, "float64", False)
    compile(text, "test", "exec")
    assert (
        'f(jnp.array([np.nan, -np.inf, 1.5], dtype="float64"), jnp.zeros((0, 2), dtype="float64"), how=\'sum\', level=np.inf)'
        in text
    )
    for line in (
        "from pkg.m import f",
        'np.testing.assert_array_equal(result[0], np.array(2, dtype="int32"))',
        "assert result[1][0] is None",
        "assert result[1][1] == 'a'",
        'np.testing.assert_allclose(result[2], np.array([1.0], dtype="float64"), rtol=1e-09, atol=1e-11)',
    ):
        assert line in text


def test_what_cannot_be_written_down_has_no_test():
    want = Outcome("returned", 1.0, arguments([]))
    contract = Contract("m.py", "m", "m.f")
    assert pytest_case(contract, ("x",), arguments([Node("object", "m.py::C")]), want, "float64", False) == ""
    assert pytest_case(contract, ("x",), arguments([Array(np.zeros(500))]), want, "float64", False) == ""
    method = Contract("m.py", "m", "m.C.f")
    assert pytest_case(method, ("x",), arguments([1.0]), want, "float64", False) == ""
