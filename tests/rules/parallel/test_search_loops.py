"""Loops that look for the first iteration in which a test holds: all tests are taken at once."""

import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert
from np2jax.tests.programs.generators.loops.search_programs import nested, program

X = np.array([1.0, -2.0, 0.5, np.nan, 3.0, np.inf])
CALLS = [(X, 2.0), (X, 99.0), (X, np.inf), (X, -9.0), (X[:1], 0.5), (X[:0], 0.5), (X, np.nan)]


def check(loop, *calls, before="", after=""):
    """`f(x, limit)` agrees with NumPy, and no loop is left; the converted text."""
    text = check_agrees(source(loop, before, after), *(calls or CALLS))
    assert "while_loop" not in text and "for " not in text, text
    return text


def check_stays(loop, *calls, before="", after=""):
    """`f(x, limit)` agrees, and the iterations are taken one after the other."""
    text = check_agrees(source(loop, before, after), *(calls or CALLS[:-2]), keep=True)
    assert "argmax" not in text and "jnp.any" not in text, text
    return text


def source(loop, before, after):
    lines = [line for part in (before, loop, after) for line in part.split("\n") if line]
    return (
        "\n".join(["import numpy as np", "", "", "def f(x: np.ndarray, limit: float):", *(f"    {line}" for line in lines)])
        + "\n"
    )


def test_whether_there_is_one():
    text = check(
        "for i in range(len(x)):\n    if x[i] > limit:\n        found = True\n        break",
        before="found = False",
        after="return found",
    )
    assert "found = jnp.any(x > limit)" in text


def test_where_it_is():
    text = check("for i in range(len(x)):\n    if x[i] > limit:\n        k = i\n        break", before="k = -1", after="return k")
    assert "jnp.argmax(jnp.append(x > limit, True))" in text


def test_it_is_returned():
    text = check("for i in range(len(x)):\n    if x[i] > limit:\n        return i", after="return -1")
    assert "return jnp.where(k < len(x), k, -1)" in text
    text = check("for i in range(len(x) - 1):\n    if x[i] > x[i + 1]:\n        return False", after="return True")
    assert "jnp.any(x[:-1] > x[1:])" in text and "return ~found" in text
    check("for i, v in enumerate(x):\n    if v > limit:\n        return i", after="return -1")
    check("for i, v in enumerate(x):\n    if v > limit and v < 9:\n        return 2 * i + 1", after="return -1")


def test_several_variables_and_what_is_there():
    check(
        "for i in range(1, len(x)):\n    d = abs(x[i] - x[i - 1])\n    if d > limit:\n        k = i + 1\n        best = x[i]\n        found = True\n        break",
        *CALLS[:4],
        before="k = -1\nbest = 0.0\nfound = False",
        after="return k, best, found",
    )


def test_the_truth_of_a_number():
    check(
        "for i in range(len(x)):\n    if x[i]:\n        return i",
        (np.array([0.0, np.nan]), 1.0),
        (np.zeros(3), 1.0),
        after="return -1",
    )


STAYS = [
    (
        "k = -1",
        "for i in range(len(x)):\n    s = limit\n    if x[i] > limit:\n        k = i\n        break\n    limit = limit * 0.5",
        "return k",
    ),
    ("y = np.zeros(9)", "for i in range(len(x)):\n    y[i] = 1\n    if x[i] > limit:\n        break", "return y"),
    ("s = 0.0", "for i in range(len(x)):\n    s += x[i]\n    if x[i] > limit:\n        break", "return s"),
    ("s = 0.0", "for i in range(len(x)):\n    if x[i] > limit:\n        break\n    s += x[i]", "return s"),
    ("k = -1", "for i in range(len(x)):\n    if x[i] > limit:\n        k = i\n        break", "return k, i"),
    ("k = -1", "for i in range(len(x)):\n    if x[i] > limit:\n        k = k + 1\n        break", "return k"),
    ("k = -1", "for i in range(5):\n    if i * i > limit:\n        k = i\n        break", "return k"),  # no item of an array
    ("k = -1", "for i in range(len(x)):\n    if x[:i].sum() > limit:\n        k = i\n        break", "return k"),
    (
        "k = -1",
        "for i in range(len(x)):\n    if x[i] > limit:\n        k = i\n        break\n    elif x[i] < -9:\n        k = 0\n        break",
        "return k",
    ),
    (
        "k = -1",
        "for i in range(len(x)):\n    if x[i] > limit:\n        k = i\n    if x[i] > limit + 1:\n        break",
        "return k",
    ),
    (
        "k = -1",
        "for i in range(len(x)):\n    for j in range(3):\n        if x[i] > limit + j:\n            k = j\n            break",
        "return k",
    ),
]


@pytest.mark.quick(5)
@pytest.mark.parametrize(("before", "loop", "after"), STAYS)
def test_what_is_more_than_a_search_stays(before, loop, after):
    calls = [(X[:5], 2.0), (X[:5], 99.0), (X[:5], -9.0)]
    text = check_agrees(source(loop, before, after), *calls, keep=True)
    assert "jnp.argmax(" not in text or "for j" in loop, text


IN_NESTS = {
    "each row": "for i in range(len(y)):\n    k = -1\n    for j in range(len(x)):\n        if x[j] > y[i]:\n            k = j\n            break\n"
    "    out[i] = k",
    "carried": "for i in range(len(y)):\n    k = -1\n    for j in range(len(x)):\n        if x[j] > limit + y[i]:\n            k = j\n"
    "            break\n    limit = 0.5 * limit + k",
    "whether": "for i in range(len(y)):\n    found = False\n    for j in range(len(x)):\n        if x[j] > y[i]:\n            found = True\n"
    "            break\n    if found:\n        out[i] = 1.0",
}


@pytest.mark.parametrize("loop", IN_NESTS.values(), ids=IN_NESTS)
def test_searches_in_the_iterations_of_another_loop(loop):
    text = source(loop, "y = x[::-1] * 0.5\nout = np.zeros(len(y))", "return out, limit")
    made = check_agrees(text, (X[:5], 2.0), (X[:5], 99.0), (np.array([np.nan, 1.0, -np.inf]), -9.0))
    assert "jnp.argmax(" in made or "jnp.any(" in made, made


def test_what_a_test_asks_of_has_one_element():
    """The truth of it shows that, whatever is known of the dimensions of the arrays."""
    loop = "for j in range(len(x)):\n    if x[j] > y[0]:\n        k = j\n        break"
    text = source(loop, "k = -1\ny = limit * x", "return k")
    made = check_agrees(text, (X[:5].reshape(5, 1), 0.5), (X[:5], 0.5), (X[:5], 2.0))
    assert "jnp.argmax(" in made


def check_nested_search(seed):
    return check_search(seed, nested(seed))


def check_search(seed, text=""):
    """Whether a program ran in NumPy and agreed, and whether all iterations are taken at once."""
    text = text or program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (3, 1, 0):
        x = rng.normal(size=max(n, 3))
        if rng.random() < 0.4:
            x[rng.integers(len(x))] = rng.choice([np.nan, np.inf, 0.0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ran |= agrees_on(text, made, functions["f"], (x, rng.normal(size=3), float(rng.normal()), n))
    return ran, "argmax" in made or "jnp.any" in made


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_searches(seed):
    check_search(seed)
    check_nested_search(seed)
