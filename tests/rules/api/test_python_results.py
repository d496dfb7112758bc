"""What Python's numbers give, and arrays of one number do not: fractions of negative powers, sums of comparisons, means of bools."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert

X = np.array([0.5, -1.0, 2.0, 3.0])
Y = np.array([1, 2, 2, 0])

POWERS = {
    "of an index": (
        "w = np.zeros(40)\n    for k in range(40):\n        w[k] = (k + 1) ** -p\n    return w",
        (X, 2),
        (X, 1.5),
        (X, 1),
    ),
    "of a number": ("return np.abs(p ** -len(x))", (X, 2), (X, 2.5)),
    "in a sum": ("t = 0.0\n    for k in range(1, 50):\n        t += k ** -p\n    return np.float64(t)", (X, 2), (X, 0.5)),
    "with parameters of turns": (
        "t = 0.0\n    for k in range(len(x)):\n        t += x[k] * p ** -k\n    return np.float64(t)",
        (X, 3),
        (X, 2.0),
    ),
    "of ten": ("y = np.zeros(len(x))\n    for k in range(len(x)):\n        y[k] = x[k] * 10 ** (-k)\n    return y", (X, 0)),
    "of arrays": ("return np.abs(x + 3) ** -p", (X, 2), (X.astype(np.float32), 2), (X, 0.5)),
    "signs": (
        "y = np.zeros(len(x))\n    for k in range(len(x)):\n        y[k] = (-1) ** k * x[k]\n    return y",
        (X, 0),
        (np.arange(5), 0),
    ),
}


@pytest.mark.parametrize("name", POWERS)
def test_powers_that_are_fractions(name):
    body, *calls = POWERS[name]
    made = check_agrees(f"import numpy as np\n\n\ndef f(x: np.ndarray, p):\n    {body}\n", *calls)
    assert "jax.jit" in made and "for k" not in made


COMPARED = {
    "mean": "np.mean(y == p)",
    "a method": "(y == p).mean()",
    "accuracy": "1 - np.mean(y != p)",
    "along an axis": "np.mean(y > p, axis=0)",
    "deviation": "np.std(y == p)",
    "stored": "np.array([np.mean(y > p), 1.0])",
}


@pytest.mark.parametrize("name", COMPARED)
def test_the_mean_of_a_comparison_is_a_float64(name):
    made = check_agrees(
        f"import numpy as np\n\n\ndef f(y, p):\n    return {COMPARED[name]}\n", (Y, X), (Y[:3], Y[1:]), (X, X[::-1])
    )
    assert "float64" in made and "jax.jit" in made


SUMS = {
    "steps": "d = np.zeros(5)\n    for i in range(5):\n        d[i] = (i >= a) + (i >= b)\n    return d",
    "a sign": "return np.ones(2) * ((a > b) - (a < b))",
    "votes": "return np.sqrt((a > 0) + (b > 0) + (a > b))",
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_comparisons_that_may_be_of_numbers(name):
    text = f"import numpy as np\n\n\ndef f(a, b):\n    {SUMS[name]}\n"
    made = check_agrees(text, (1.0, 3.0), (2, 2), (3, 1))
    assert "jax.jit" not in made


def test_sums_of_comparisons_of_arrays():
    text = "import numpy as np\n\n\ndef f(a: np.ndarray, b: np.ndarray):\n    return np.sum((a > 0) + (b > 0))\n"
    assert "jax.jit" in check_agrees(text, (X, X[::-1]))


@pytest.mark.parametrize(
    "test", ["i > 1 and a[i] == b[i - 1]", "not a[i] == b[i - 1]", "a[i] == b[i - 1] or i > 2", "0 < i and a[i] != b[0]"]
)
def test_letters_that_are_compared_beside_numbers(test):
    """They were taken for numbers, and every call with texts raised."""
    text = f"import numpy as np\n\n\ndef f(a, b):\n    d = np.zeros(len(a))\n    for i in range(1, len(a)):\n        if {test}:\n            d[i] = 2\n    return d\n"
    made, functions, _diagnostics = convert(text)
    for given in (("abcd", "aabc"), ([1, 2, 3], [1, 1, 2]), (np.array([1.0, 2.0]), np.array([1.0, 2.0]))):
        assert agrees_on(text, made, functions["f"], given)


def test_a_mask_of_two_dimensions():
    text = "import numpy as np\n\n\ndef f(s: np.ndarray, n: int):\n    mask = np.triu(np.ones((n, n), dtype=bool), 1)\n    s[:, mask] = 0\n    return s\n"
    check_agrees(text, (np.arange(12.0).reshape(3, 2, 2), 2))


def test_what_is_greater_is_asked_of_numbers():
    text = "import numpy as np\n\n\ndef f(x, limit):\n    n = 0\n    i = len(x) - 1\n    while i >= 0 and x[i] < limit:\n        n += 1\n        i -= 1\n    return n, i, np.sum(x)\n"
    made = check_agrees(text, (X, 1.0), (X, 5.0), (Y, 1))
    assert "jax.jit" in made
