"""Loops over a range whose iterations bind the variable of the loop: in Python the next iteration has its own value all the same."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, function

VECTORS = [np.array(v) for v in ([3.0, -1.0, 2.0, 5.0, -4.0], [4, 1, -3, 2, 2, 7], [1.5, -2.0, 0.25, 8.0], [2.5])]
BODIES = {
    "with break": "s = 0.0\nfor i in range(len(x)):\n    s += x[i]\n    i += 1\n    if s > 6:\n        break\nreturn s",
    "read after break": "s = 0.0\nfor i in range(len(x)):\n    s += x[i]\n    i += 1\n    if s > 6:\n        break\nreturn s, i",
    "read after it": "out = np.zeros(len(x))\nfor i in range(len(x)):\n    out[i] = x[i]\n    i += 2\nreturn out, i",
    "with return": "for i in range(len(x)):\n    i += 1\n    if x[i - 1] > 2:\n        return i\nreturn -1",
    "on a side": "for i in range(len(x)):\n    if x[i] > 2:\n        i = 0\nreturn i",
    "by an inner loop": "s = 0.0\nfor i in range(len(x)):\n    for i in range(2):\n        s += x[0] * i\nreturn s, i",
    "by an inner while": "n = len(x)\nc = 0\nfor i in range(n):\n    while i < n and x[i] > 0:\n        i += 1\n        c += 1\n    if c > 4:\n        break\nreturn c",
    "downwards": "s = 0.0\nfor i in range(len(x) - 1, -1, -1):\n    s += x[i]\n    i = i - 3\n    if s > 6:\n        break\nreturn s",
    "in steps": "s = 0.0\nfor i in range(0, len(x), 2):\n    s += x[i]\n    i *= 10\nreturn s, i",
    "read behind it": "s = 0.0\nfor i in range(len(x)):\n    j = 2\n    i = i * 2\n    s += i * x[0]\nreturn s",
    "unpacked": "s = 0.0\nfor i in range(len(x)):\n    i, t = i + 1, x[i]\n    s += t * i\nreturn s, i",
    "a comprehension has its own": "s = 0.0\nfor i in range(len(x)):\n    s += sum([x[i] for i in range(1)]) + x[i]\nreturn s, i",
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_iterations_that_bind_their_variable(body):
    check_agrees(function(body), *((v,) for v in VECTORS))


def test_how_it_is_written():
    text = check_agrees(function(BODIES["with break"]), (VECTORS[0],))
    assert "i_turn, done, s = carry" in text and "    i = i_turn\n" in text


def test_another_loop_is_as_before():
    text = check_agrees(function("s = 0.0\nfor i in range(1, len(x)):\n    s = s * x[i - 1] + x[i]\nreturn s"), (VECTORS[0],))
    assert "_turn" not in text
