"""Loops that begin with a `break`, and numbers that each iteration sets for the next one: the loops are counted all the same."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function

IMAGE = np.random.default_rng(2).normal(size=(7, 9))
POOL = """
rows, columns = (x.shape[0] - size) // stride + 1, (x.shape[1] - size) // stride + 1
out = np.zeros((rows, columns))
i, j, r, c = 0, 0, 0, 0
while i < x.shape[0]:
    if i + size > x.shape[0]:
        break
    while j < x.shape[1]:
        if j + size > x.shape[1]:
            break
        out[r, c] = np.max(x[i : i + size, j : j + size])
        j += stride
        c += 1
    i += stride
    r += 1
    j = 0
    c = 0
return out AFTER
"""
CALLS = [(IMAGE, 3, 2), (IMAGE, 1, 1), (IMAGE, 7, 3), (IMAGE[:2], 2, 5)]
PARAMS = "x: np.ndarray, size: int, stride: int"


@pytest.mark.parametrize("after", ["", "+ j + c", "+ i"])
def test_windows_of_two_loops(after):
    text = check_agrees(function(POOL.replace("AFTER", after), PARAMS), *CALLS)
    assert "dynamic_slice" in text and "while_loop" not in text, text


SUM = """
i, total = 0, 0.0
while FIRST:
    if SECOND:
        break
    total = total * 0.5 + x[i]
    i += 1
return total, i
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("True", "i >= len(x)"),
        ("i < len(x)", "i + 2 > len(x)"),
        ("i < len(x) - 3", "i >= len(x)"),
    ],
)
def test_one_test_ends_the_loop_first(first, second):
    body = SUM.replace("FIRST", first).replace("SECOND", second)
    text = check_agrees(
        function(body, "x: np.ndarray, n: int"), *((np.arange(k, dtype=float), n) for k in (1, 2, 5) for n in (1, 3))
    )
    assert "while_loop" not in text, text


def test_what_is_not_asserted_where_numpy_code_stays_around_the_loop():
    body = SUM.replace("FIRST", "i < len(x)").replace("SECOND", "i + n > m")
    source = function(f"print(n)\n{body}", "x: np.ndarray, n: int, m: int")
    text = convert(source, placement="fast")[0]
    assert "assert" not in text, text


@pytest.mark.parametrize(
    "body",
    [
        "i = 0\nwhile i < len(x):\n    if x[i] > 2:\n        break\n    i += 1\nreturn i",
        "i, n = 0, 5\nwhile i < len(x):\n    if i > n:\n        break\n    n -= 1\n    i += 1\nreturn i",
        "t, s = 0.5, 0.0\nwhile t < len(x):\n    if t > len(x) - 1:\n        break\n    s += x[0]\n    t += 1\nreturn s",
        "t, s = 0.5, 0.0\nwhile t <= len(x) - 1:\n    if t >= len(x):\n        break\n    s += x[0]\n    t += 1\nreturn s",
        "i = j = 0\ns = 0.0\nfor j in range(3):\n    while i < 2:\n        s += x[0]\n        i += 1\n        j += 1\n    i = j = 0\nreturn s + j",
        "i, j, s = 0, 1, 0.0\nwhile i < len(x):\n    while j < len(x):\n        s += x[j]\n        j += 1\n    i += 1\n    j = 0\nreturn s",
    ],
    ids=["values", "both change", "floats", "larger floats", "a target", "another start"],
)
def test_other_loops_keep_their_meaning(body):
    check_agrees(function(body), *((np.arange(k, dtype=float),) for k in (1, 2, 6)))
