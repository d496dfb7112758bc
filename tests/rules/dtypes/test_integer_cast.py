"""A cast of floating point values to integers."""

import pytest

from np2jax.tests.helpers.differential import convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves, reports

test_example = example_of(__name__, found=False)
test_reported = reports(__name__, function("return (x * 300.0).astype(np.uint8)"))
test_left = leaves(__name__, function("return np.arange(3).astype(np.int64)"), function("return x.astype(float)"))


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


@pytest.mark.parametrize("dtype", ["np.uint8", "np.int16", "int", "'u1'", "np.int64", "'int32'"])
def test_d07_floats_become_integers(dtype):
    assert "NJ603" in notes(function(f"return x.astype({dtype})"))
    assert "NJ603" in notes(function(f"return np.asarray(x, {dtype})"))
    assert "NJ603" in notes(function(f"return np.array(x * 0.5, dtype={dtype})"))


@pytest.mark.parametrize(
    "expression",
    [
        "x.astype(float)",
        "np.arange(3).astype(np.uint8)",
        "(x > 0).astype(int)",
        "np.clip(x, 0, 255).astype(np.uint8)",
        "x.astype(np.float32)",
    ],
)
def test_d07_what_is_in_range(expression):
    assert "NJ603" not in notes(function(f"return {expression}"))


BOUNDED = [
    "np.clip(x, 0, 255.5).astype(np.uint8)",
    "np.clip(x, a_min=-128, a_max=127).astype('int8')",
    "np.clip(x, min=0, max=np.iinfo(np.uint16).max).astype(np.uint16)",
    "x.clip(0, 255).astype(np.uint8)",
    "np.clip(x, 0, n - 1).astype(int)",
    "np.mod(x, 256).astype(np.uint8)",
    "(x % 7).astype(np.int16)",
    "np.remainder(x, -100).astype(np.int8)",
    "np.clip(x.astype(np.float64), 0, 2147483647).astype(np.int32)",
]
UNBOUNDED = [
    "np.clip(x, 0, 1000).astype(np.uint8)",
    "np.clip(x, -1, 255).astype(np.uint8)",
    "np.clip(x, 0, None).astype(np.uint8)",
    "np.clip(x, low, high).astype(np.uint8)",
    "np.clip(x, 0, n).astype(np.uint8)",
    "np.clip(x, 0, 2147483647).astype(np.int32)",
    "np.clip(x, 0, 9223372036854775807).astype(np.int64)",
    "np.mod(x, 1000).astype(np.uint8)",
    "np.mod(x, -9).astype(np.uint8)",
    "np.mod(x, low).astype(np.int8)",
    "np.mod(x, 1e300).astype(int)",
]


@pytest.mark.parametrize(("expression", "found"), [*((b, False) for b in BOUNDED), *((u, True) for u in UNBOUNDED)])
def test_bounds_must_lie_in_the_range_of_the_dtype(expression, found):
    """256.0, of np.clip(x, 0, 1000), is 0 as a uint8 in NumPy and 255 in JAX."""
    source = function(f"return {expression}", "x: np.ndarray, low: float, high: float, n: int")
    assert ("NJ603" in notes(source)) == found


@pytest.mark.parametrize("value", ["x * 0.5", "x", "np.sqrt(x)", "np.clip(x, 0, 999)"])
def test_d07_floats_written_into_integers(value):
    assert "NJ603" in notes(function(f"y = np.zeros(3, np.uint8)\ny[:] = {value}\nreturn y"))


@pytest.mark.parametrize("value", ["3", "2.7", "np.arange(3)", "np.clip(x, 0, 9)", "x > 2"])
def test_d07_what_fits_is_written_without_a_word(value):
    assert "NJ603" not in notes(function(f"y = np.zeros(3, np.uint8)\ny[:] = {value}\nreturn y"))
