"""Loops that store no more than constants to the border of a matrix stay NumPy, where the function around them does."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

EDIT = """
import numpy as np


def f(a: np.ndarray, b: np.ndarray):
    n, m = len(a), len(b)
    D = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        D[i, 0] = i
    for j in range(m + 1):
        D[0, j] = 2 * j
    print(n)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + (a[i - 1] - b[j - 1]) ** 2)
    return D
"""


def test_the_table_is_compiled_and_its_border_is_not():
    after = convert(EDIT, placement="fast")[0]
    assert "    for i in range(n + 1):\n        D[i, 0] = i\n" in after and "        D[0, j] = 2 * j\n" in after
    assert "D[...] = _f_loop(" in after


def test_a_border_in_a_compiled_function_is_compiled_with_it():
    after = convert(EDIT.replace("    print(n)\n", ""), placement="fast")[0]
    assert "D = D.at[:, 0].set(i)" in after and "np." not in after.replace("jnp.", "")


def test_what_is_computed_is_more_than_a_border():
    after = convert(EDIT.replace("D[i, 0] = i", "D[i, 0] = D[i - 1, 0] + a[i - 1] ** 2"), placement="fast")[0]
    assert "D[i, 0] = " not in after


def test_an_iteration_that_appends_is_no_border():
    text = (
        "import numpy as np\n\n\ndef g(x: np.ndarray):\n    y = np.zeros_like(x)\n    for i in range(1, len(x)):\n"
        "        y[i] = 0.5 * y[i - 1] + x[i]\n    return y\n\n\ndef f(x: np.ndarray):\n    print(len(x))\n    items = []\n"
        "    for row in x:\n        items.append(g(row))\n    return np.array(items)\n"
    )
    assert "_f_loop(" in convert(text, placement="fast")[0]


def test_they_agree():
    after = convert(EDIT, placement="fast")[0]
    x = np.linspace(0, 1, 6) ** 2
    for a, b in ((x, x[::-1]), (x, x[:1]), (x[:0], x), (x, x[:0])):
        assert not compare_values(run(after)["f"](a, b), run(EDIT)["f"](a, b))


LINES = """
import numpy as np


def f(A: np.ndarray, x: np.ndarray, log):
    out = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        print(i, file=log)
        for j in range(len(x)):
            out[i, j] += A[i, j] * np.sqrt(x[j])
    return out
"""


@pytest.mark.parametrize("term", ["A[i, j] * np.sqrt(x[j])", "np.dot(A[i], x)"])
def test_a_line_of_a_matrix_in_each_iteration_of_a_loop_that_stays(term):
    """Its elements are fewer than those of the matrix, which would be copied each time."""
    text = LINES.replace("A[i, j] * np.sqrt(x[j])", term)
    assert convert(text, placement="fast")[0] == text


@pytest.mark.parametrize(
    "changes",
    [
        ("out[i, j] += A[i, j] * np.sqrt(x[j])", "for k in range(len(x)):\n                out[i, j] += A[i, k] * A[k, j]"),
        ("out[i, j] +=", "out[j, j] +="),
        ("        print(i, file=log)\n", ""),
        ("out[i, j] += A", "x[j] += A"),
    ],
)
def test_more_than_a_line_is_compiled(changes):
    assert "jax.jit" in convert(LINES.replace(*changes), placement="fast")[0]
