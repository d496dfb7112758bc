"""Loops through what may be a list of arrays of different shapes, of which no array can be made: NumPy's own statements run for it."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

R = np.random.default_rng(0)
WEIGHTS = [R.normal(size=(3, 4)), R.normal(size=(4, 2))]
EQUAL = [R.normal(size=(3, 3)), R.normal(size=(3, 3))]
LISTS = {
    "different shapes": WEIGHTS,
    "a tuple": tuple(WEIGHTS),
    "a list that starts with a number": [0, *WEIGHTS],
    "equal shapes": EQUAL,
    "one": WEIGHTS[:1],
    "none": [],
    "an array": np.array(EQUAL),
}
SUMS = {
    "items": "    s = 0.0\n    for w in ws:\n        s += np.sum(w**2)\n    return s",
    "indices": "    s = 0\n    for i in range(len(ws)):\n        s += np.sum(np.abs(ws[i]))\n    return s",
    "stores": "    found = np.zeros(len(ws))\n    for i, w in enumerate(ws):\n        found[i] = np.sqrt(np.sum(w**2))\n    return found",
    "stores by index": "    found = np.zeros(len(ws))\n    for i in range(len(ws)):\n        found[i] = np.sqrt(np.sum(ws[i] ** 2))\n    return found",
}
CHAINS = {
    "rows": "    for i in range(n):\n        x = np.tanh(x @ ws[i] + bs[i])\n    return x",
    "rows by name": "    for i in range(n):\n        w = ws[i]\n        x = np.hstack((np.tanh(x @ w), x))[:, : w.shape[1]] + bs[i]\n    return x",
    "in two steps": "    for i in range(n):\n        z = np.dot(x, ws[i]) + bs[i]\n        x = 1 / (1 + np.exp(-z))\n    return x",
    "products": "    for i in range(n):\n        x = np.tanh(np.dot(x, ws[i]) + bs[i])\n    return x",
}


def versions(text):
    made = convert(text, placement="fast")[0]
    return made, run(text), run(made)


@pytest.mark.parametrize("given", LISTS)
@pytest.mark.parametrize("body", SUMS)
def test_sums(body, given):
    made, before, after = versions(f"import numpy as np\n\n\ndef f(ws):\n{SUMS[body]}\n")
    assert "_is_ragged(ws)" in made and "jit" in made
    assert not compare_values(after["f"](LISTS[given]), before["f"](LISTS[given]))


@pytest.mark.parametrize("body", CHAINS)
def test_layers_by_a_counter(body):
    """Their number is a static argument, as the layers may have different shapes."""
    made, before, after = versions(f"import numpy as np\n\n\ndef f(x, ws, bs, n):\n{CHAINS[body]}\n")
    assert "jit" in made
    x, rows = R.normal(size=(5, 3)), R.normal(size=(2, 3))
    for ws, bs in (
        (WEIGHTS, [np.ones(4), np.ones(2)]),
        (dict(enumerate(WEIGHTS)), {0: np.ones(4), 1: np.ones(2)}),
        (tuple(WEIGHTS), (1.0, 2.0)),
        (EQUAL, rows),
        (np.array(EQUAL), rows),
    ):
        for n in (2, 1, 0):
            assert not compare_values(after["f"](x, ws, bs, n), before["f"](x, ws, bs, n))


def test_layers_in_a_method():
    made, before, after = versions(
        "import numpy as np\n\n\nclass C:\n    def f(self, x, ws, bs):\n"
        "        for i in range(len(ws)):\n            x = np.tanh(np.dot(x, ws[i]) + bs[i])\n        return x\n"
    )
    assert "jit" in made and "np.ndarray" in made
    for ws in (WEIGHTS, EQUAL, np.array(EQUAL), dict(enumerate(WEIGHTS))):
        x, bs = R.normal(size=(5, 3)), [0.5, 1.5]
        assert not compare_values(after["C"]().f(x, ws, bs), before["C"]().f(x, ws, bs))


def test_a_loop_of_a_method_that_multiplies_numbers_asks_nothing():
    made = convert(
        "import numpy as np\n\n\nclass C:\n    def f(self, xs, w):\n        found = np.zeros(len(xs))\n"
        "        for i in range(len(xs)):\n            found[i] = np.dot(w, xs[i])\n            w = w + found[i]\n        return found\n",
        placement="fast",
    )[0]
    assert "jit" in made and "np.ndarray and" not in made


@pytest.mark.parametrize(
    "function",
    [
        "def f(xs):\n    s = 0.0\n    for x in xs:\n        s += x * x\n    return s",  # the items are numbers
        "def f(xs: np.ndarray):\n    s = 0.0\n    for x in xs:\n        s += np.sum(x**2)\n    return s",
        "def f(xs):\n    n, m = xs.shape\n    s = 0.0\n    for i in range(n):\n        s += np.sum(xs[i] ** 2)\n    return s",
        "def f(xs, k):\n    s = np.zeros(3)\n    for i in range(k):\n        s = s + np.sum(xs) * i\n    return s",  # not its items
        "def f(xs):\n    s = np.zeros(3)\n    for i in range(10):\n        s = s + xs[i] * i\n    return s",
    ],
)
def test_arrays_are_not_asked(function):
    made = convert(f"import numpy as np\n\n\n{function}\n", placement="fast")[0]
    assert "_is_ragged" not in made


def test_an_array_that_a_counter_indexes_leaves_the_trip_count_dynamic():
    made = convert(
        "import numpy as np\n\n\ndef f(xs: np.ndarray, y: np.ndarray, n: int):\n    for i in range(n):\n        y = np.tanh(y @ xs[i])\n    return y\n",
        placement="fast",
    )[0]
    assert "static" not in made and "fori_loop" in made


def test_arrays_of_objects():
    """Arrays of different lengths that somebody has put into an array."""
    source = "import numpy as np\n\n\ndef f(v):\n    s = np.zeros(len(v))\n    for i in range(len(v)):\n        s[i] = np.sum(v[i]) / len(v[i])\n    return s\n"
    text = convert(source, placement="fast")[0]
    assert "_is_ragged(v)" in text
    for v in (np.array([np.ones(2), np.arange(3.0)], dtype=object), np.eye(3)):
        assert not compare_values(run(text)["f"](v), run(source)["f"](v))
