"""np.histogram, whose counts JAX makes floating point and which it searches for one by one."""

from functools import partial

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from np2jax.rules.definitions import DEFINITIONS
from np2jax.tests.helpers.differential import agrees_on, check_agrees, compare_values, convert

NAMES: dict = {}
exec("import jax\nimport jax.numpy as jnp\njax.config.update('jax_enable_x64', True)\n" + DEFINITIONS["_histogram"], NAMES)
VALUES = np.array([0.5, 3.0, -1.25, 3.0, 7.0, 2.0, 2.5, 0.0, 7.0])


COMPILED = partial(jax.jit, static_argnames=("bins", "density"))(NAMES["_histogram"])


def agrees(a, bins, compiled=True, **given):
    want = np.histogram(a, bins, **given)
    for function in [NAMES["_histogram"], *([COMPILED] if compiled and isinstance(bins, int) else [])]:
        got = function(a, bins=bins, **given)
        difference = compare_values(tuple(np.asarray(g) for g in got), want, "histogram")
        assert not difference, difference


RARE = [pytest.param(dtype, marks=pytest.mark.slow) for dtype in (np.float16, np.int8, np.uint8)]


@pytest.mark.quick(4)
@pytest.mark.parametrize("dtype", [float, np.float32, np.int64, *RARE])
@pytest.mark.parametrize("bins", [1, 3, 10, [0, 2, 7], [0.0, 0.5, 2.5, 2.5], np.array([-3, 1, 1, 9], dtype=np.int32)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"range": (0, 3)},
        {"range": (-2.5, 2.5)},
        {"range": (2, 2)},
        {"density": True},
        {"weights": True},
        {"density": True, "weights": True},
    ],
)
def test_counts_edges_and_dtypes(dtype, bins, options):
    a = np.abs(VALUES).astype(dtype) if np.dtype(dtype).kind == "u" else VALUES.astype(dtype)
    for weights in (np.arange(9), np.linspace(-1, 1, 9), np.linspace(-1, 1, 9).astype(np.float32), np.arange(9) * 1j):
        given = options | ({"weights": weights} if "weights" in options else {})
        agrees(a, bins, compiled=weights.dtype == int and np.array_equal(bins, 10), **given)
        if "weights" not in options:
            break


@pytest.mark.quick(3)
@pytest.mark.parametrize("a", [[], [2.0], [2.0, 2.0], [3, 3], [[1, 2], [3, 4]], [1e300, -1e300], [-128, 127]])
@pytest.mark.parametrize("bins", [1, 4])
def test_edge_cases(a, bins):
    agrees(np.asarray(a), bins)


def test_nan_and_infinities_are_outside_of_a_range_and_of_edges():
    a = np.array([np.nan, 1.0, np.inf, -np.inf, 2.0])
    agrees(a, 4, range=(0, 2))
    agrees(a, [0.0, 1.0, 2.0])


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    st.lists(st.floats(-10, 10, allow_subnormal=False) | st.integers(-4, 4).map(float), min_size=1, max_size=12),
    st.integers(1, 7),
)
def test_what_lies_at_an_edge_is_counted_where_numpy_counts_it(values, bins):
    a = np.array(values)
    agrees(a, bins)
    agrees(a, bins, range=(-4, 4))


def test_in_code():
    text = """\
import numpy as np


def f(x: np.ndarray, w: np.ndarray):
    counts, edges = np.histogram(x, 4, (0, 8))
    sums = np.histogram(x, bins=4, weights=w, range=(0.0, 8.0))[0]
    return counts, edges, sums, np.histogram(x, [0, 2, 4])[0]
"""
    made = check_agrees(text, (VALUES, np.arange(9.0)), (VALUES.astype(np.int32), np.arange(9)))
    assert "_histogram(x, bins=4, range=(0, 8))" in made and "@jax.jit" in made


def test_derivatives_and_maps():
    def densities(a, weights):
        return NAMES["_histogram"](a, bins=3, range=(0, 9), weights=weights)[0]

    slope = jax.grad(lambda w: densities(VALUES, w)[1])(np.ones(9))
    np.testing.assert_array_equal(slope, (VALUES >= 3) & (VALUES < 6))
    rows = jax.vmap(densities)(np.stack([VALUES, VALUES + 1]), np.ones((2, 9)))
    np.testing.assert_array_equal(rows[1], np.histogram(VALUES + 1, 3, (0, 9))[0])
    np.testing.assert_array_equal(
        jax.vmap(lambda a: NAMES["_histogram"](a, bins=3)[1])(VALUES[None])[0], np.histogram(VALUES, 3)[1]
    )


@pytest.mark.quick(3)
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "int64", "float64"])
def test_weights_of_bincount_are_added_as_float64(dtype):
    text = "import numpy as np\nfrom numpy.typing import NDArray\n\n\ndef f(x: NDArray[np.int64], w: NDArray[np.DTYPE]):\n    return np.bincount(x, weights=w, minlength=5), np.bincount(x)\n"
    text = text.replace("DTYPE", dtype)
    made, functions, _diagnostics = convert(text, placement="device")
    assert functions["f"].transform == "eager" and ("astype" in made) is (dtype != "float64")
    agrees_on(text, made, functions["f"], (np.array([0, 3, 3, 1]), np.array([1, 2, 3, 0.5]).astype(dtype)))
