"""`np.where(c)[0][0]`: the first position where something holds, under jit."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

X = np.array([-1.0, -2.0, 3.0, 0.5, np.nan, 3.0])
FIRST = [
    "np.where(x > 0)[0][0]",
    "np.nonzero(x > 0)[0][1]",
    "np.flatnonzero(x == 3)[0] + 1",
    "np.argwhere(x > 0)[0]",
    "x[np.where(x > 0)[0][0]]",
    "np.nonzero(x)[0][0]",
    "np.argwhere(x > 0)[1][0]",
]
OTHERS = [
    "np.where(x > 0)[0][-1]",
    "np.where(x > 0)[0]",
    "np.nonzero(x)[0][:1]",
    "np.argwhere(x > 0)[0, 0]",
]
MATRICES = ["np.where(x > 0)[0][0], np.where(x > 0)[1][0]", "np.argwhere(x > 0)[0]", "np.flatnonzero(x > 0)[1]"]


def source(expression):
    return f"import numpy as np\n\ndef f(x: np.ndarray):\n    return {expression}\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("expression", FIRST)
def test_the_first_is_found_under_jit(expression):
    calls = [(X,), (-X,), (X[::-1].copy(),), ((X * 2)[:4],), (np.array([0, 3, 3, 2]),), (np.array([3.0]),), (-np.abs(X),)]
    text = check_agrees(source(expression), *calls)
    assert "@jax.jit" in text and "size=" in text


@pytest.mark.parametrize("expression", MATRICES)
def test_the_first_of_a_matrix(expression):
    text = check_agrees(source(expression), (X.reshape(2, 3),), (-X.reshape(3, 2),))
    assert "@jax.jit" in text


@pytest.mark.parametrize("expression", OTHERS)
def test_what_asks_for_more_stays(expression):
    text = check_agrees(source(expression), (X,), (-X,))
    assert "jit" not in text and "size=" not in text


def test_a_test_whether_there_is_one():
    text = "import numpy as np\n\ndef f(x: np.ndarray):\n    k = -1\n    if np.any(x > 0):\n        k = np.where(x > 0)[0][0]\n    return k\n"
    check_agrees(text, (X,), (-np.abs(X),))


def test_where_it_is_caught_that_there_is_none():
    text = "import numpy as np\n\ndef f(x: np.ndarray):\n    try:\n        return np.where(x > 9)[0][0]\n    except IndexError:\n        return -1\n"
    assert "size=" not in check_agrees(text, (X,), (X * 9,), keep=True)


def test_how_many_there_are():
    text = check_agrees(source("len(np.flatnonzero(x))"), (X,), (-X,), (X[:0],))
    assert "jnp.count_nonzero(x)" in text
