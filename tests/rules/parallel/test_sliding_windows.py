"""Parts of arrays, of one length, of which each iteration of a loop reads its own: all of them are stacked, and `jax.vmap` maps over them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees

VECTOR = np.sin(np.arange(12.0))
MATRIX = np.sin(np.arange(110.0)).reshape(11, 10)
CUBE = np.cos(np.arange(330.0)).reshape(3, 11, 10)

ALONG = {
    "from the index on": ("range(n - m + 1)", "n - m + 1", "i : i + m"),
    "around it": ("range(1, n - 1)", "n", "i - 1 : i + 2"),
    "up to it": ("range(m, n)", "n", "i - m : i"),
    "after it": ("range(n - m)", "n - m", "i + 1 : i + 1 + m"),
    "backwards": ("range(n - 4, -1, -1)", "n", "i : i + 3"),
}
OF_ONE = ["np.median(x[{p}])", "np.sort(x[{p}])[0] - x[i]", "np.median(x[{p}, None] * w)", "np.linalg.norm(x[{p}][::-1] - w[0])"]


def along(where, iteration):
    iterations, size, part = ALONG[where]
    return f"""\
import numpy as np


def f(x, w):
    n = x.shape[0]
    m = w.shape[0]
    out = np.zeros({size})
    for i in {iterations}:
        out[i] = {iteration.format(p=part)}
    return out"""


@pytest.mark.quick(3)
@pytest.mark.parametrize("size", [1, 3, 9, 12])
@pytest.mark.parametrize("iteration", OF_ONE)
@pytest.mark.parametrize("where", ALONG)
def test_along_a_vector(where, iteration, size):
    text = along(where, iteration)
    w = np.arange(size) + 1.0
    made = check_agrees(text, *((VECTOR[:n], w) for n in (12, size, size + 1) if n > 4))
    assert "_windows(" in made


IN_A_PLANE = """\
import numpy as np


def f(x, w):
    m = w.shape[0]
    h = x.shape[-2] - m + 1
    v = x.shape[-1] - m + 1
    out = np.zeros({shape})
    for i in range(h):
        for j in range(v):
            {turn}
    return out"""
OF_A_MATRIX = [
    ("(h, v)", "out[i, j] = np.median(x[i:i + m, j:j + m])"),
    ("(h, v)", "out[i, j] = np.sum(x[i:i + m, j:j + m] * w)"),
    ("(v, h)", "out[j, i] = np.median(x[i:i + m, j:j + m])"),
    ("(h, v)", "out[i, j] += np.median(x[1, j:j + m])"),
    ("(h, v)", "out[i, j] = np.median(x[i:i + m, 1]) + x[0, j]"),
    ("(h, v)", "out[i, j] = np.median(x[i:i + m, j:j + m]) - np.median(x[0:m, j:j + m])"),
    ("(h, v)", "s = x[i:i + m, j:j + m] - w\n            out[i, j] = np.max(s @ s.T)"),
]
OF_A_CUBE = [
    ("(3, h, v)", "out[:, i, j] = np.median(x[:, i:i + m, j:j + m], axis=(1, 2))"),
    ("(h, v)", "out[i, j] = np.median(x[0, i:i + m, j:j + m])"),
    ("(h, 3, v)", "out[i, :, j] = np.max(x[:, i:i + m, j:j + m], axis=(1, 2))"),
    ("(3, h, v)", "out[:, i, j] = np.sum(x[:, i:i + m, j:j + m] * w, axis=(1, 2))"),
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("size", [2, 9])
@pytest.mark.parametrize(
    ("x", "shape", "iteration"), [(x, *each) for x, forms in ((MATRIX, OF_A_MATRIX), (CUBE, OF_A_CUBE)) for each in forms]
)
def test_in_a_plane(x, shape, iteration, size):
    text = IN_A_PLANE.format(shape=shape, turn=iteration)
    first = 1 if x is CUBE else 0
    text = text.replace("-2", str(first)).replace("-1]", f"{first + 1}]")
    assert "_windows(" in check_agrees(text, (x, np.ones((size, size)) * 2))


ROWS = """\
import numpy as np


def f(x):
    out = np.zeros((x.shape[0], x.shape[1] - 2))
    for i in range(x.shape[0]):
        for j in range(x.shape[1] - 2):
            out[i, j] = np.median(x[i, j:j + 3]) + x[i, 0]
    return out"""


def test_of_each_row():
    made = check_agrees(ROWS, (MATRIX,), (MATRIX[:, :2],), (MATRIX[:0],))
    assert "(x[:, 0], _windows(x, 0, x.shape[1] - 2, 3, axis=1))" in made


NOT_STACKED = {
    "a length that the turn tells": "out = np.zeros(9)\n    for i in range(9):\n        m = 3\n        out[i] = np.median(x[i:i + m, 0])",
    "a variable of the turn": "out = np.zeros(11)\n    for i in range(k, 11):\n        a = i - k\n        out[i] = np.median(x[a:a + 2, 0])",
    "one diagonal": "out = np.zeros(9)\n    for i in range(9):\n        out[i] = np.median(x[i:i + 2, i:i + 2])",
    "a stride": "out = np.zeros(9)\n    for i in range(4):\n        out[i] = np.median(x[2 * i:2 * i + 2, 0])",
    "every other turn": "out = np.zeros(9)\n    for i in range(0, 9, 2):\n        out[i] = np.median(x[i:i + 2, 0])",
    "only where a test holds": "out = np.zeros(11)\n    n = x.shape[0]\n    for i in range(n):\n        if i + 3 <= n:\n"
    "            out[i] = np.median(x[i:i + 3, 0])",
    "one turn after the other": "out = np.zeros(11)\n    for i in range(1, x.shape[0] - 1):\n"
    "        out[i] = 0.5 * out[i - 1] + np.median(x[i - 1:i + 2, 0])",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("why", NOT_STACKED)
def test_others_are_looked_up(why):
    text = f"import numpy as np\n\n\ndef f(x, k=2):\n    {NOT_STACKED[why]}\n    return out"
    assert "_windows(" not in check_agrees(text, (MATRIX,))


def test_numbers_of_windows_along_two_axes():
    """Not all of the windows of a matrix are in memory at once."""
    text = """\
import numpy as np


def f(x: np.ndarray, size: int, hop: int):
    n = (x.shape[0] - size) // hop + 1
    m = (x.shape[1] - size) // hop + 1
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = np.max(x[i * hop : i * hop + size, j * hop : j * hop + size])
    return out"""
    made = check_agrees(text, (MATRIX, 3, 2), (MATRIX, 1, 1), (MATRIX, 10, 4))
    assert made.count("jax.vmap(") == 1 and "lax.fori_loop" in made


def test_windows_around_a_position_of_the_outer_loop():
    """They are looked up: where they begin is known only when the function runs."""
    text = """\
import numpy as np


def f(x: np.ndarray, p: int, s: int):
    n = x.shape[0]
    padded = np.pad(x, p + s)
    out = np.zeros(n)
    for i in range(n):
        at = i + p + s
        total = 0.0
        for d in range(-s, s + 1):
            total += np.max(padded[at + d - p : at + d + p + 1]) * d
        out[i] = total
    return out"""
    made = check_agrees(text, (VECTOR, 1, 2), (VECTOR, 0, 3), (VECTOR, 2, 0))
    assert "jax.vmap(" in made and "_windows(" not in made
