"""Integers to the power of integers that may be negative."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)
test_left = leaves(__name__, function("return np.arange(3) ** 2"), function("return x**2"))


def notes(text, **options):
    return {d.code for d in convert(text, **options)[2] if not d.fixed}


def test_d09_negative_powers():
    assert "NJ605" in notes(function("return np.arange(3) ** x.astype(int)"))
    assert "NJ605" in notes(function("return np.power(np.arange(3), x.astype(int))"))
    assert "NJ605" not in notes(function("return np.arange(3) ** 2 + x ** 3"))


def powers(body, params="x: float"):
    return f"import numpy as np\n\n\ndef f({params}, y: np.ndarray):\n    return {body}\n"


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("2 ** x * np.sin(y)", "2.0 ** x"),
        ("2 ** (x - 1) * y", "2.0 ** (x - 1)"),
        ("x ** -1 * y", "x ** -1.0"),
        ("y * (1 - x) ** -2", "(1 - x) ** -2.0"),
        ("10 ** (x / 20) * y", "10 ** (x / 20)"),
        ("x ** 2 * y", "x ** 2"),
        ("y ** -1 + x", "y ** -1"),
    ],
)
def test_powers_of_numbers_that_may_be_given_as_integers(body, written):
    y = np.array([1.0, 2.0])
    assert written in check_agrees(powers(body), *((x, y) for x in (-1, 3, -2.5, 2)))


@pytest.mark.parametrize(("params", "noted"), [("x", True), ("x: float", False), ("x: np.ndarray", False), ("*, x=2.0", False)])
def test_an_exponent_of_which_nothing_is_known_is_noted(params, noted):
    found = [d for d in convert(powers("2 ** x * np.sin(y)", params))[2] if d.code == "NJ605" and not d.fixed]
    assert bool(found) == noted


def test_an_exponent_that_is_static_stays():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, n: int):\n    return np.zeros(2 ** n) + x[0]\n"
    assert "jnp.zeros(2 ** n)" in check_agrees(text, (np.arange(3.0), 2), (np.arange(3.0), 0))


@pytest.mark.parametrize("power", ["-1", "-2"])
def test_a_number_that_nothing_is_known_about(power):
    """An integer of Python gives a fraction; NumPy raises for an array of integers."""
    before = function(f"y = x * k**{power}\nreturn np.exp(y) * np.sin(y) + y", "x: np.ndarray, k")
    for given in (4, 0.5, np.array([2.0, 4.0]), np.float32(3.0)):
        check_agrees(before, (np.array([1.0, 2.0]), given))
    assert f"k**{power}.0" in convert(before)[0]
    assert "exponent" not in str(convert(before)[1]["f"].conditions)
