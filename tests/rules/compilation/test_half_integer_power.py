"""`r2 ** -1.5`: a root and products, where the base is not negative and the power is infinite at 0."""

import re

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

TEXT = "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    {0}return {1}\n"
ROOT = re.compile(r"sqrt\(.*\) ?\*\*|/ ?jnp\.sqrt")
VALUES = [
    (np.array([0.5, -0.0, 0.0, -3.0, 1e-200, 1e150]), np.full(6, 2.0)),
    (np.array([np.nan, np.inf, -np.inf]), np.ones(3)),
    (np.zeros((0, 2)), np.zeros((0, 2))),
    (np.array(4.0), np.array(0.25)),
    (np.array([1, 0, -2]), np.array([3, 4, 5])),
    (np.array([0.5, 3.0], np.float32), np.array([1.5, 1e10], np.float32)),
    (np.array([1 + 2j, -3.0, 2j]), np.array([1j, 1.0, 1 - 1j])),
]


def of(expression, before=""):
    return TEXT.format(before, expression)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("expression", "before", "written"),
    [
        ("y / (x**2) ** 1.5", "", "y / jnp.sqrt(x**2) ** 3"),
        ("y * (x * x + y**2) ** -0.5", "", "(1 / jnp.sqrt(x * x + y**2))"),
        ("np.abs(x) ** (-3 / 2)", "", "jnp.sqrt(jnp.abs(x)) ** -3"),
        ("abs(x) ** -1.5", "", "jnp.sqrt(abs(x)) ** -3"),
        ("x / (3.0 * (x**2 + 1) ** (5 / 2))", "", "jnp.sqrt(x**2 + 1) ** 5"),
        ("z", "z = y + 0.0\n    z[z > 0] = z[z > 0] ** -2.5\n    ", "** -5"),
        ("r2**-3.5", "r2 = x**2 + y**2\n    ", "jnp.sqrt(r2)**-7"),
        ("r**-1.5", "r = x**2\n    for k in range(3):\n        r = r + y**2\n    ", "jnp.sqrt(r)**-3"),
    ],
)
def test_a_root_and_products_take_the_place_of_the_power(expression, before, written):
    assert written in check_agrees(of(expression, before), *VALUES)


@pytest.mark.parametrize(
    ("expression", "before"),
    [
        ("x**-1.5", ""),  # the sign of -0.0
        ("x**-1.5", "x = np.sqrt(x)\n    "),
        ("(x**2) ** 1.5", ""),  # the derivative at 0
        ("(x**2) ** 0.5", ""),
        ("(x**2) ** -1.2", ""),
        ("(x**2) ** -4.5", ""),
        ("(x**2) ** -2.0", ""),
        ("(x**2 - y**2) ** -1.5", ""),
        ("(x**3) ** -1.5", ""),
        ("r**-1.5", "r = x**2\n    r[0] = -1.0\n    "),
        ("r**-1.5", "r = x**2\n    r[...] *= -0.0\n    "),
        ("r**-1.5", "r = x**2\n    v = r[1:]\n    v[...] = -0.0\n    "),
        ("r**-1.5", "r = x**2\n    for k in range(3):\n        r = r * y\n    "),
        ("x[y > 0] ** -2.5", ""),
        ("x[x >= 0] ** -2.5", ""),
    ],
)
def test_other_powers_stay(expression, before):
    assert not ROOT.search(check_agrees(of(expression, before), *VALUES[:1]))


def test_a_power_with_a_comment_and_one_of_narrow_floats_stay():
    assert "# cubed" in convert(of("(y /  # cubed\n        (x**2) ** 1.5)"))[0]
    assert "sqrt" not in convert(of("(np.float16(x) ** 2) ** -1.5"))[0]


def test_the_derivative_is_that_of_the_power():
    text = check_agrees(of("(y / (x**2 + y**2) ** 1.5).sum()"), (np.array([0.5, 2.0]), np.array([1.0, 3.0])))
    derivative = jax.grad(run(text)["f"])(np.array([0.5, 2.0]), np.array([1.0, 3.0]))
    assert np.allclose(derivative, [-3 * 0.5 / 1.25**2.5, -9 * 2 / 13**2.5])
