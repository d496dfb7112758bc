"""Division of integers that may divide by zero."""

import pytest

from np2jax.tests.helpers.differential import convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves, reports

test_example = example_of(__name__)
test_reported = reports(
    __name__, function("n = np.arange(3)\nn //= x.astype(int)\nreturn n"), function("return np.arange(3) % 0")
)
test_left = leaves(
    __name__,
    function("return np.arange(3) // 2"),
    function("return np.arange(3) / 2.0"),
    function("n = np.arange(3)\nn += x.astype(int)\nreturn n"),
)


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


@pytest.mark.parametrize(
    "expression",
    ["np.arange(3) // x.astype(int)", "np.arange(3) % x.astype(int)", "np.floor_divide(np.arange(3), x.astype(int))"],
)
def test_d08_integer_division(expression):
    assert notes(function(f"return {expression}")) & {"NJ602", "NJ604"}


@pytest.mark.parametrize(
    "expression", ["np.arange(3) // 2", "x / 2", "x // 0.5", "np.arange(3) % 7", "len(x) // x.ndim", "x % 2.0"]
)
def test_d08_what_cannot_divide_by_zero(expression):
    assert not notes(function(f"return {expression}")) & {"NJ602", "NJ604"}
