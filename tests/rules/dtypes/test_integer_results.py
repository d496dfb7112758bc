"""Functions of which JAX makes floats out of integers: arrays whose dtype is not known keep theirs, as in NumPy."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, function, run

DTYPES = "bool int8 uint8 int32 int64 uint64 float32 float64 complex128".split()
CALLS = {
    "np.convolve(x, w)": "preferred_element_type=jnp.result_type(x, w)",
    "np.correlate(x, w, 'same')": "preferred_element_type=jnp.result_type(x, w)",
    "np.convolve(x[::-1], w[1:], mode='valid')": "preferred_element_type=jnp.result_type(x[::-1], w[1:])",
    "np.polymul(x, w)": ".astype(jnp.result_type(x, w))",
}


@pytest.mark.parametrize("call", CALLS)
def test_the_dtype_of_arrays_of_unknown_dtype_is_that_of_numpy(call):
    text = function(f"return {call}", "x: np.ndarray, w: np.ndarray")
    made = convert(text, placement="device")[0]
    assert CALLS[call] in made
    before, after = run(text)["f"], run(made)["f"]
    for dtype in DTYPES[1:] if "polymul" in call else DTYPES:
        x, w = np.array([1, 2, 1, 3]).astype(dtype), np.array([1, 1, 2]).astype(dtype)
        expected, found = before(x, w), after(x, w)
        assert found.dtype == expected.dtype, dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=dtype)


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ("return np.convolve(x, w)", "x: npt.NDArray[np.float64], w: npt.NDArray[np.float64]"),
        ("return np.convolve(x, np.ones(3) / 3, mode='same')", "x: np.ndarray"),
        ("return np.correlate(x / 2, x)", "x: np.ndarray"),
    ],
)
def test_floats_need_nothing(body, params):
    made = convert("import numpy.typing as npt\n" + function(body, params))[0]
    assert "result_type" not in made


@pytest.mark.parametrize("call", ["np.convolve(g(x, seen), w)", "np.cumprod(g(x, seen))", "np.nancumsum(g(x, seen), axis=0)"])
def test_an_operand_with_an_effect_is_not_computed_twice(call):
    text = f"""
import numpy as np


def g(x: np.ndarray, seen: list):
    seen.append(1)
    return x[::-1] * x


def f(x: np.ndarray, w: np.ndarray):
    seen = []
    return {call}, len(seen)
"""
    made, functions, _diagnostics = convert(text, placement="device")
    assert functions["f"].label == "kept" and "would be computed twice" in functions["f"].reason
    assert run(made)["f"](np.arange(3), np.arange(3))[1] == 1
