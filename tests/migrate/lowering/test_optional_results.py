"""`best = None` ahead of a loop: what it finds is a number, and a flag says whether it did."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import convert, run

X = np.array([1.0, -2.0, 5.0, 0.5])
P = np.array([[0.0, 1.0], [2.0, 2.0], [0.2, 0.9]])

COMPILED = {
    "an index": "    best = None\n    least = np.inf\n    for i in range(len(x)):\n        if x[i] < least:\n            least = x[i]\n            best = i\n    return best, least\n",
    "the first": "    at = None\n    for i in range(len(x)):\n        if x[i] > 3:\n            at = i\n            break\n    return at\n",
    "the last": "    at = None\n    for i in range(len(x)):\n        if x[i] > 0:\n            at = i\n    return at\n",
    "asked in the loop": "    at = None\n    for i in range(len(x)):\n        if at is None and x[i] > 0:\n            at = i\n    return at\n",
    "asked, not None": "    at = None\n    n = 0\n    for i in range(len(x)):\n        if at is not None:\n            n += 1\n        if x[i] > 0:\n            at = i\n    return at, np.float64(n)\n",
    "a float": "    half = None\n    for i in range(len(x)):\n        if x[i] > 2:\n            half = i / 2\n    return half\n",
    "while": "    at = None\n    i = 0\n    while i < len(x):\n        if x[i] > 2:\n            at = i\n        i += 1\n    return at\n",
}
STAY = {
    "an array": "    best = None\n    for i in range(len(x)):\n        if x[i] > 0:\n            best = x * i\n    return best\n",
    "a number of unknown dtype": "    best = None\n    for i in range(len(x)):\n        if x[i] > 0:\n            best = x[i]\n    return best\n",
    "read before it is found": "    at = None\n    for i in range(len(x)):\n        if x[i] > 0:\n            print(at)\n            at = i\n    return at\n",
    "bound elsewhere": "    at = None\n    at = 3\n    for i in range(len(x)):\n        if x[i] > 0:\n            at = i\n    return at\n",
    "None again": "    at = None\n    for i in range(len(x)):\n        at = i\n        if x[i] < 0:\n            at = None\n    return at\n",
}


def source_of(lines):
    return f"import numpy as np\n\n\ndef f(x: np.ndarray):\n{lines}"


def same(mine, theirs):
    mine, theirs = ((v if isinstance(v, tuple) else (v,)) for v in (mine, theirs))
    return all(
        a is None if b is None else a is not None and np.array_equal(a, b, equal_nan=True)
        for a, b in zip(mine, theirs, strict=True)
    )


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    made, _functions, _diagnostics = convert(source_of(COMPILED[name]))
    assert "_found" in made and "jax.jit" in made, made
    for x in (X, -X, X * np.nan, X[:1], np.array([-1.0, -2.0])):
        assert same(run(made)["f"](x), run(source_of(COMPILED[name]))["f"](x)), made


@pytest.mark.parametrize("name", STAY)
def test_stays(name):
    made, _functions, _diagnostics = convert(source_of(STAY[name]))
    assert "_found" not in made, made
    for x in (X, -X, X[:1]):
        assert same(run(made)["f"](x), run(source_of(STAY[name]))["f"](x))


def test_who_asks_for_none_is_told():
    source = """import numpy as np

def nearest(points: np.ndarray, target: np.ndarray, most: float):
    best = None
    for i in range(points.shape[0]):
        d = np.sum((points[i] - target) ** 2)
        if d < most:
            most = d
            best = i
    return best

def f(points: np.ndarray, target: np.ndarray, most: float):
    k = nearest(points, target, most)
    if k is None:
        return np.zeros(2)
    return points[k]
"""
    made, _functions, _diagnostics = convert(source)
    assert "best_found" in made
    for most in (0.0, 0.5, np.inf):
        given = (P, np.array([0.1, 1.0]), most)
        np.testing.assert_array_equal(run(made)["f"](*given), run(source)["f"](*given))
