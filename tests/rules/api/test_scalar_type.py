"""A test for one of NumPy's scalars."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function, refused
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return isinstance(n, str)", "n"), function("return np.float64(n)", "n: float"))


I64, F64 = np.array([4, 5, 6]), np.array([0.1, 0.2, 0.3])


@pytest.mark.parametrize("test", ["isinstance(y, float)", "isinstance(y, (int, np.floating))", "type(y) is np.float64"])
def test_p01_results_are_no_python_numbers(test):
    assert "NJ108" in refused(function(f"y = np.sum(x)\nif {test}:\n    return 1.0\nreturn y"))


def test_p01_numbers_that_callers_give():
    text = function("if not isinstance(n, (int, np.integer)):\n    return 0\nreturn np.sum(x) * n", "x: np.ndarray, n")
    assert "np.integer" in check_agrees(text, (F64, 3), (F64, np.int64(2)), (F64, 2.5))
    assert "isinstance(_number(n), (int, np.integer))" in convert(text)[0]


TYPE_TESTS = [
    "isinstance(v, float)",
    "isinstance(v, (int, float))",
    "isinstance(v, np.floating)",
    "isinstance(v, numbers.Real)",
    "isinstance(v, complex)",
    "not isinstance(v, np.ndarray)",
    "not isinstance(v, (list, np.ndarray))",
    "isinstance(v, np.generic)",
    "not isinstance(v, Iterable)",
    "not hasattr(v, '__len__')",
    "type(v) in (float, np.float64)",
    "type(v) is np.float64",
    "np.isscalar(v)",
]


@pytest.mark.quick(5)
@pytest.mark.parametrize("test", TYPE_TESTS)
@pytest.mark.parametrize("given", ["x[0], x, x.sum(), np.mean(x) + 1, 3, 2.5", "x[0], x, 3, [1.5]", "x[1:], x[1]", "2.5, -1.0"])
def test_numbers_that_other_functions_give_are_numbers(test, given):
    """An item, or a sum, of JAX's is an array of rank 0: no `float`, but one with a length."""
    text = f"""
    import numbers
    from collections.abc import Iterable

    import numpy as np

    def g(v):
        if {test}:
            return 1.0
        return 0.0

    def f(x: np.ndarray):
        return [g(v) for v in ({given})], [g(x[i]) for i in range(len(x))], g(np.max(x))
    """
    check_agrees(text, (np.arange(1.0, 5.0),), (np.arange(1, 5),), (np.array([1j, 2.0]),), keep=True)
