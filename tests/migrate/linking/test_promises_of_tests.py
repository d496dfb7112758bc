"""What the tests of a project promise about the results of its functions."""

import pytest

from np2jax.tests.helpers.differential import convert_project

SCALE = """
import numpy as np


def scale(x: np.ndarray):
    y = np.sin(x) ** 2 + np.cos(x) * x - np.exp(-x)
    return y / np.sqrt(np.sum(y * y))


def length(x: np.ndarray):
    y = np.sin(x) ** 2 + np.cos(x) * x - np.exp(-x)
    return np.sqrt(np.sum(y * y))
"""


def kept(assertion):
    """Which of `scale` and `length` are kept, where a test asserts something of them."""
    test = f"import numpy as np\nimport pytest\nfrom m import length, scale\n\n\ndef test_it():\n    x = np.ones(3)\n    {assertion}\n"
    functions = convert_project({"m.py": SCALE, "tests/test_m.py": test})[1]
    return [name for name in ("scale", "length") if functions[f"m.{name}"].label == "kept"]


@pytest.mark.parametrize(
    "assertion",
    [
        "assert type(scale(x)) is np.ndarray",
        "assert isinstance(scale(x), np.ndarray)",
        "assert isinstance(scale(x)[0], float)",
    ],
)
def test_a_type_that_a_test_asks_for(assertion):
    assert kept(assertion) == ["scale"]


def test_approx_iterates_over_numbers_that_are_arrays_of_jax():
    assert kept("assert pytest.approx(length(x), rel=1e-9) == 2.0") == ["length"]


@pytest.mark.parametrize(
    "assertion, name",
    [
        ("np.testing.assert_equal(length(x), 2.0)", "length"),
        ("np.testing.assert_equal(np.round(length(x), 2), 2.0)", "length"),
        ("np.testing.assert_equal(scale(x), [1.0, 2.0, 3.0])", "scale"),
        ("np.testing.assert_almost_equal(scale(x), scale(2 * x))", "scale"),
        ("y = scale(x)\n    np.testing.assert_almost_equal(y, scale(2 * x))", "scale"),
    ],
)
def test_assertions_of_numpy_that_compare_arrays_of_numpy_alone(assertion, name):
    assert kept(assertion) == [name]


@pytest.mark.parametrize(
    "assertion",
    [
        "np.testing.assert_equal(scale(x), x)",
        "np.testing.assert_almost_equal(x, scale(x))",
        "np.testing.assert_almost_equal(scale(x), [1.0, 2.0, 3.0])",
        "np.testing.assert_almost_equal(length(x), 2.0)",
        "np.testing.assert_almost_equal(length(x), length(2 * x))",
        "np.testing.assert_allclose(scale(x), scale(2 * x))",
        "assert np.allclose(scale(x), 1.0)",
        "assert scale(x).shape == (3,)",
        "assert isinstance(scale(x), object)",
        "assert length(x) == pytest.approx(2.0, rel=1e-9)",
    ],
)
def test_what_arrays_of_jax_allow(assertion):
    assert kept(assertion) == []
