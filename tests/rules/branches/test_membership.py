"""`x in (a, b)`: a traced number that is looked up among others is compared with each of them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import CONVERTED, check_agrees, convert, function

IMAGE = np.random.default_rng(3).integers(0, 3, (6, 7)).astype(float)
LOOP = """
n = 0
for i in range(1, len(x) - 1):
    if TEST:
        n += 1 + i
return n
"""
TESTS = (
    "x[i] in (1, 2)",
    "x[i] not in (1, x[i - 1])",
    "1 in (x[i - 1], x[i + 1], x[0])",
    "x[i] in [x[i - 1], 2.5, k]",
    "x[i] in {1, 2}",
    "i not in (0, k) and x[i] > 0",
    "x[i] in (k, k + 1, -k)",
)


@pytest.mark.quick(3)
@pytest.mark.parametrize("test", TESTS)
def test_members_are_compared_one_by_one(test):
    calls = [(values, k) for values in ([0.0, 1, 2, 2, np.nan, 1, 0], [np.nan] * 4, [1.0, 1, 1]) for k in (1, 2)]
    text = check_agrees(function(LOOP.replace("TEST", test), "x: np.ndarray, k: int"), *((np.array(x), k) for x, k in calls))
    assert "@jax.jit" in text, text


def test_neighbours_of_a_pixel_that_the_loop_changes():
    body = """
for r in range(1, x.shape[0] - 1):
    for c in range(1, x.shape[1] - 1):
        if x[r, c] == 1:
            if 2 in (x[r - 1, c], x[r, c - 1], x[r, c + 1], x[r + 1, c], x[r - 1, c - 1]):
                x[r, c] = 2
            else:
                x[r, c] = 0
return x
"""
    text = check_agrees(function(body), (IMAGE,), (IMAGE.astype(int),))
    assert "@jax.jit" in text, text


@pytest.mark.parametrize("test", ["x[i] in k", "x[i] in (*k,)", "x[i] in (k, 'a')", f"x[i] in {tuple(range(9))}"])
def test_what_may_not_be_a_number_is_left_to_python(test):
    text, functions, _diagnostics = convert(function(LOOP.replace("TEST", test), "x: np.ndarray, k"))
    assert f"if {test}:" in text or functions["f"].label not in CONVERTED, text
