"""`while i < n: ...; i += step`: loops that count."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import CONVERTED, agrees_on, convert, function

RNG = np.random.default_rng(5)
SIZES = ((1, 1, 1), (2, 1, 4), (5, 3, 2), (12, 1, 5), (12, 3, 2), (12, 12, 3), (4, 6, 2))
PARAMS = "x: np.ndarray, size: int, hop: int"
COUNTING = {
    "elements": "y = np.zeros(len(x))\ni = 0\nwhile i < len(x):\n    y[i] = 2 * x[i]\n    i += 1\nreturn y",
    "recurrence": "t = 0.0\ni = 0\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += 1\nreturn np.array([t])",
    "backwards": "t = 0.0\ni = len(x) - 1\nwhile i >= 0:\n    t = 0.5 * t + x[i]\n    i -= 1\nreturn np.array([t])",
    "not zero": "t = 0.0\ni = len(x)\nwhile i > 0:\n    t = 0.5 * t + x[i - 1]\n    i = i - 1\nreturn np.array([t])",
    "first": "t = 0.0\ni = -1\nwhile i < len(x) - 1:\n    i += 1\n    t = 0.5 * t + x[i]\nreturn np.array([t])",
    "in pairs": "y = np.zeros(len(x) // 2)\ni, k = 0, 0\nwhile i + 1 < len(x):\n    y[k] = x[i] * x[i + 1]\n    i += 2\n    k += 1\nreturn y",
    "literal step": "t = 0.0\ni = 1\nwhile len(x) > i:\n    t = 0.5 * t + x[i]\n    i += 3\nreturn np.array([t])",
    "step": "t = 0.0\ni = 0\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += hop\nreturn np.array([t])",
    "down by a step": "t = 0.0\ni = len(x) - 1\nwhile i >= size:\n    t = 0.5 * t + x[i]\n    i -= hop\nreturn np.array([t])",
    "windows": "y = np.zeros(max(len(x) - size + 1, 0))\ni = 0\nwhile i + size <= len(x):\n    y[i] = np.max(x[i : i + size])\n    i += 1\nreturn y",
    "hopping windows": "y = np.zeros(len(x))\ni = k = 0\nwhile i + size <= len(x):\n    y[k] = np.sum(x[i : i + size])\n    i += hop\n    k += 1\nreturn y",
    "appended": "y = []\ni = 0\nwhile i <= len(x) - size:\n    y.append(x[i : i + size].mean())\n    i += hop\nreturn np.array(y)",
    "written windows": "y = np.zeros(len(x))\ni, level = 0, 1.0\nwhile i + size <= len(x):\n    y[i : i + size] += level * x[i]\n    level = -level\n    i += hop\nreturn y",
    "read between": "y = np.zeros(len(x))\ni = 0\nk = i + 1\nwhile i < len(x):\n    y[i] = x[i] + k\n    i += 1\nreturn y",
    "other start": "t = 0.0\ni, k = 2, size + 1\nwhile i < len(x):\n    t = 0.5 * t + x[i] * k\n    k -= 2\n    i += 1\nreturn np.array([t])",
    "late": "t = 0.0\ni, k = 0, 0\nwhile i < len(x):\n    k += 2\n    t = 0.5 * t + x[i] * k\n    i += 1\nreturn np.array([t])",
    "read after": "t = 0.0\ni = k = 0\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += hop\n    k += 1\nreturn np.array([t, i, k])",
    "one read after": "t = 0.0\ni = 3\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += 1\nreturn np.array([t, i])",
    "break": "t = 0.0\ni = 0\nwhile i < len(x):\n    if x[i] > 1.0:\n        break\n    t = 0.5 * t + x[i]\n    i += 1\nreturn np.array([t])",
    "continue": "t = 0.0\ni = -1\nwhile i + 1 < len(x):\n    i += 1\n    if x[i] > 0:\n        continue\n    t += x[i] * i\nreturn np.array([t])",
    "nested": "y = np.zeros((len(x), len(x)))\ni = 0\nwhile i < len(x):\n    j = i\n    while j < len(x):\n        y[i, j] = x[i] * x[j]\n        j += 1\n    i += 1\nreturn y",
    "in a for": "y = np.zeros(len(x))\nfor k in range(len(x)):\n    i = 0\n    while i < k:\n        y[k] = 0.5 * y[k] + x[i]\n        i += 1\nreturn y",
    "in a branch": "t = 0.0\nif size > 2:\n    i = 0\n    while i < len(x):\n        t = 0.5 * t + x[i]\n        i += 1\nreturn np.array([t])",
}

# the condition may end these, or the step would have to be static
SEQUENTIAL = ("step", "down by a step", "read after", "break")


@pytest.mark.quick(8)
@pytest.mark.parametrize("body", COUNTING.values(), ids=COUNTING)
def test_counting(body):
    text = function(body, PARAMS)
    made, functions, _diagnostics = convert(text)
    assert "while i" not in made, made
    assert functions["f"].label in CONVERTED, functions["f"].reason
    assert ("lax.while_loop" in made) is (body in [COUNTING[k] for k in SEQUENTIAL]), made
    assert all(agrees_on(text, made, functions["f"], (RNG.normal(size=n), size, hop)) for n, size, hop in SIZES)


def test_pooling():
    text = function(
        """
n, m = (x.shape[0] - size) // hop + 1, (x.shape[1] - size) // hop + 1
out = np.zeros((n, m))
i = row = 0
while i + size <= x.shape[0]:
    j = column = 0
    while j + size <= x.shape[1]:
        out[row, column] = np.max(x[i : i + size, j : j + size])
        j += hop
        column += 1
    i += hop
    row += 1
return out""",
        "x: np.ndarray, size, hop",
    )
    made, functions, _diagnostics = convert(text)
    assert "lax.dynamic_slice_in_dim" in made and "jnp.where" not in made and "while" not in made
    assert made.count("assert hop > 0") == 1 and "row = " not in made
    sizes = (((6, 8), 3, 2), ((7, 7), 1, 3), ((5, 5), 5, 1), ((4, 9), 2, 7))
    assert all(agrees_on(text, made, functions["f"], (RNG.normal(size=s), size, hop)) for s, size, hop in sizes)


def test_steps_that_are_not_positive():
    made = convert(function(COUNTING["appended"], PARAMS))[0]
    assert made.count("assert hop > 0") == 1 and "hop >= 0" not in made
    said = convert(function("assert hop > 0\n" + COUNTING["appended"], PARAMS))[0]
    assert said.count("assert hop") == 1


UNLIKE = {
    "floats": "t = 0.0\ns = 0.0\nwhile t < 1.0:\n    t += 0.1\n    s = 0.5 * s + x[0] * t\nreturn np.array([s])",
    "another condition": "t = 1.0\ni = 0\nwhile t > 1e-3 and i < 20:\n    t = 0.5 * t * np.cos(x[0])\n    i += 1\nreturn np.array([t, i])",
    "conditional": "t = 0.0\ni = 0\nwhile i < len(x):\n    if x[i] > 0:\n        i += 2\n    else:\n        i += 1\n    t += 1.0\nreturn np.array([t])",
    "bound again": "t = 0.0\ni = 0\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += 1\n    i = max(i, 2)\nreturn np.array([t])",
    "read before and after": "t = 0.0\ni = 0\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += 1\n    t += i\nreturn np.array([t])",
    "another end": "n = len(x)\nt = 0.0\ni = 0\nwhile i < n:\n    t = 0.5 * t + x[i]\n    n -= 1\n    i += 2\nreturn np.array([t])",
    "the step changes": "t = 0.0\ni, s = 0, 1\nwhile i < len(x):\n    t = 0.5 * t + x[i]\n    i += s\n    s += 1\nreturn np.array([t])",
    "twice": "t = 0.0\ni = 0\nwhile 2 * i < len(x):\n    t = 0.5 * t + x[i]\n    i += 1\nreturn np.array([t])",
    "break and read": "t = 0.0\ni = 0\nwhile i < len(x):\n    if x[i] > 1.0:\n        break\n    t = 0.5 * t + x[i]\n    i += 1\nreturn np.array([t, i])",
    "skipped": "t = 0.0\ni = 0\nwhile i < len(x):\n    t += 1\n    if x[i] > t and t < 30:\n        continue\n    t = 0.5 * t + x[i]\n    i += 1\nreturn np.array([t])",
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("body", UNLIKE.values(), ids=UNLIKE)
def test_not_counting(body):
    text = function(body, PARAMS)
    made, functions, _diagnostics = convert(text)
    assert "lax.fori_loop" not in made and "range(" not in made and "scan" not in made
    assert all(agrees_on(text, made, functions["f"], (RNG.normal(size=n) + 1, 1, 1)) for n in (1, 4, 9))


def test_unknown_ends():
    """A float may end a `while`, but no range; a list may grow."""
    made = convert(
        function("t = 0.0\ni = 0\nwhile i < n:\n    t = 0.5 * t + i * x[0]\n    i += 1\nreturn np.array([t])", "x: np.ndarray, n")
    )[0]
    assert "lax.while_loop" in made
    made = convert(
        function(
            "todo = [0]\ni = 0\nwhile i < len(todo):\n    if i < 5:\n        todo.append(i)\n    i += 1\nreturn np.sum(x) + len(todo)"
        )
    )[0]
    assert "while i < len(todo)" in made
    made = convert(function("i = 0\nwhile i < len(x) and x[i] > 0:\n    x = np.append(x, 0.0)\n    i += 1\nreturn x"))[0]
    assert "while i < len(x)" in made


def test_with_another_form():
    """Forms that edit the same loop are spelled out one after the other."""
    text = function("at = None\ni = 0\nwhile i < len(x):\n    if x[i] > 1:\n        at = i\n    i += 1\nreturn at")
    made, functions, _diagnostics = convert(text)
    assert functions["f"].label != "kept" and "while" not in made
    assert all(agrees_on(text, made, functions["f"], (np.array(x),)) for x in ([0.0, 2.0, 3.0, 0.5], [0.0, 0.5]))


def test_comments_stay():
    made = convert(
        function(
            "y = np.zeros(len(x))\ni = 0\n# each element\nwhile i < len(x):\n    y[i] = 0.5 * y[i - 1] + x[i]\n    i += 1\nreturn y"
        )
    )[0]
    assert "# each element" in made
