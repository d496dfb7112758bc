"""Arithmetic in which JAX gives a narrower dtype."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return x * 2.0"), function("return np.zeros(3, np.float32) + np.ones(3, np.float32)"))


I64, F64 = np.array([4, 5, 6]), np.array([0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.int32) * x.astype(np.float32)",
        "x.astype(np.float32) - np.arange(3)",
        "x.astype(np.uint32) + x.astype(np.float32)",
        "x.astype(np.float16) * x.astype(np.int16)",
        "x.astype(np.int32) / 2",
        "2 / x.astype(np.int32)",
        "x.astype(np.uint8) / 255",
        "x.astype(np.int16) / x.astype(np.int8)",
        "(x > 1) / (x < 9)",
        "x.astype(np.float32) @ np.arange(3)",
        "x.astype(np.float32) > np.arange(3)",
        "np.add(x.astype(np.float32), np.arange(3))",
        "np.divide(x.astype(np.int32), 2)",
        "np.where(x > 1, x.astype(np.float32), np.arange(3))",
        "np.concatenate([x.astype(np.float32), np.arange(3)])",
        "np.dot(x.astype(np.float32), np.arange(3))",
        "np.hypot(x.astype(np.float32), np.arange(3))",
        "-x.astype(np.float32) * x.astype(np.int64)",
    ],
)
def test_d02_integers_with_narrow_floats(expression):
    check_agrees(function(f"return {expression}"), (I64,))


def test_d02_augmented_of_a_scalar():
    check_agrees(function("total = 0.5\nfor i in range(2):\n    total += x.astype(np.int32)[i] / 2\nreturn total"), (I64,))


@pytest.mark.parametrize("expression", ["x.astype(np.uint64) + x.astype(np.int64)", "np.add(x.astype(np.uint64), np.arange(3))"])
def test_d03_unsigned_with_signed(expression):
    check_agrees(function(f"return {expression}"), (I64,))


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(np.float32) * np.exp(t)",
        "x.astype(np.float32) * np.float64(3)",
        "x.astype(np.float32) + np.float64(t)",
        "x.astype(np.float32) * np.sqrt(2)",
        "x.astype(np.float32) * np.where(x > 1, 1.0, 0.0)",
        "x.astype(np.float32) * np.full(3, 0.5)",
        "(x.astype(np.uint8) * 0.5) * x.astype(np.float32)",
        "x.astype(np.float32) * np.array(0.5)",
        "np.append(x.astype(np.float32), 0.5)",
        "np.maximum(x.astype(np.float32), np.exp(t))",
        "x.astype(np.int8) & np.full(3, 3)",
        "np.full(3, 300) | x.astype(np.uint8)",
        "x.astype(np.int32) ^ np.where(x > 1, 1, 0)",
        "x.astype(np.int8) << np.full(3, 9)",
        "np.array(1025) >> x.astype(np.uint16) % 3",
        "np.bitwise_and(x.astype(np.int16), np.full(3, 70000))",
    ],
)
def test_d04_numbers_are_strong(expression):
    check_agrees(function(f"return {expression}", "x: np.ndarray, t: float"), (I64, 0.25))


@pytest.mark.parametrize("expression", ["x.astype(np.float32) * 2.5", "x.astype(np.float32) * np.pi", "x.astype(np.uint8) + 3"])
def test_d04_python_numbers_give_way(expression):
    assert "float64" not in check_agrees(function(f"return {expression}"), (I64,)).partition("def f")[2]


@pytest.mark.parametrize(
    "iteration",
    [
        "out[i] = x[i] * y[i]",
        "out[i] = x[i] / 2 + y[i]",
        "out[i] += y[i] - x[i]",
        "if x[i] > 2:\n            out[i] = y[i] / x[i]",
    ],
)
def test_d02_casts_inside_of_iterations_that_are_taken_at_once(iteration):
    """The cast and the slice met in one place, and the function was kept."""
    source = (
        "import numpy as np\nimport numpy.typing as npt\n\n\ndef f(x: npt.NDArray[np.int32], y: npt.NDArray[np.float32]):\n"
        f"    out = np.zeros(len(x))\n    for i in range(len(x)):\n        {iteration}\n    return out\n"
    )
    text = check_agrees(source, (np.array([3, 2**25 + 1, -7], np.int32), np.array([0.1, 1.5, np.inf], np.float32)))
    assert "astype" in text and ("out.at[:]" in text)


@pytest.mark.parametrize("start", ["y[0]", "np.abs(y[0])", "-x[0]"])
def test_a_number_is_widened_by_what_is_added(start):
    """An int64 plus a float32 is a float64 in NumPy: no array of integers could hold it, so that it is a number."""
    other = "y[1]" if "x" in start else "x[1]"
    text = (
        "import numpy as np\nfrom numpy.typing import NDArray\n\n\n"
        f"def f(x: NDArray[np.float32], y: NDArray[np.int64]):\n    s = {start}\n    s += {other}\n    return s, s + float(x[0])\n"
    )
    check_agrees(text, (np.float32([0.1, 0.7]), np.array([3, 5])))
