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


@pytest.mark.parametrize("value", ["x * 0.5", "x", "np.sqrt(x)"])
def test_d07_floats_written_into_integers(value):
    assert "NJ603" in notes(function(f"y = np.zeros(3, np.uint8)\ny[:] = {value}\nreturn y"))


@pytest.mark.parametrize("value", ["3", "2.7", "np.arange(3)", "np.clip(x, 0, 9)", "x > 2"])
def test_d07_what_fits_is_written_without_a_word(value):
    assert "NJ603" not in notes(function(f"y = np.zeros(3, np.uint8)\ny[:] = {value}\nreturn y"))
