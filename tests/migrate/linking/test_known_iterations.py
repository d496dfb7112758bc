"""Loops with few iterations, as their text tells, do little: jit would make them slower."""

import pytest

from np2jax.tests.helpers.differential import convert

FEW = {
    "halves an interval": "lo, hi = 0, len(x)\nwhile lo < hi:\n    mid = (lo + hi) // 2\n    if x[mid] < v:\n        lo = mid + 1\n    else:\n        hi = mid\nreturn lo",
    "halves an interval of floats": "lo, hi = 0.0, 1.0\nwhile hi - lo > 1e-9:\n    mid = 0.5 * (lo + hi)\n    if x[int(mid)] > v:\n        hi = mid\n    else:\n        lo = mid\nreturn lo",
    "goes to the parent": "i = len(x) - 1\nwhile i > 0 and x[i] > v:\n    i = (i - 1) // 2\nreturn x[i]",
    "goes to a child": "i = 0\nwhile 2 * i + 1 < len(x):\n    j = 2 * i + 1\n    if x[j] < v:\n        j = j + 1\n    i = j\nreturn x[i]",
    "shifts": "n, s = len(x), 0\nwhile n:\n    n >>= 1\n    if x[n] > v:\n        s = s + 1\nreturn s",
    "replaces by the remainder": "a, b = int(v), len(x)\nwhile b:\n    a, b = b, a % b\nreturn x[a - 1]",
    "has three indices": "out = np.zeros(3)\nfor i in range(3):\n    for j in range(3):\n        out[i] += x[3 * i + j] * v\nreturn out",
    "has a constant of the module": "s = 0\nfor i in range(POINTS - 1):\n    if x[i] > v:\n        s = s + i\nreturn s",
}
MANY = {
    "has the length of an array": "s = 0.0\nfor i in range(len(x)):\n    s = s + x[i] * v\nreturn s",
    "has many indices": "s = 0.0\nfor i in range(1000):\n    s = s + x[i] * v\nreturn s",
    "has an index that depends on another": "s = 0.0\nfor i in range(3):\n    for j in range(i, len(x)):\n        s = s + x[j] * v\nreturn s",
    "decreases slowly": "r, s = 1.0, 0.0\nwhile r > v:\n    r = 0.99 * r\n    s = s + x[0] * r\nreturn s",
    "halves another number": "i, s = 0, 0.0\nwhile i < len(x):\n    s = s / 2 + x[i]\n    i = i + 1\nreturn s",
}


def transform(text):
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    source = f"import numpy as np\n\nPOINTS = 4\n\n\ndef f(x: np.ndarray, v: float):\n{lines}"
    return convert(source, placement="fast")[1]["f"].transform


@pytest.mark.parametrize("name", FEW)
def test_what_stays(name):
    assert transform(FEW[name]) == ""


@pytest.mark.parametrize("name", MANY)
def test_what_is_compiled(name):
    assert transform(MANY[name]) == "jit"
