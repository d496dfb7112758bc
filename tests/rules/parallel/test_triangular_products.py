"""Products of parts of rows and columns whose lengths change from one iteration to the next, as one product of matrices."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert

A = np.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0], [2.0, 4.0, -0.5]])
X = np.array([2.0, -1.0, 0.5])
FILLED = "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = {}\nreturn y"
ROWS = "for i in range(B.shape[0]):\n    for j in range(B.shape[1]):\n        {}\nreturn B"


def program(lines, params):
    return f"import numpy as np\n\n\ndef f({params}):\n    " + lines.replace("\n", "\n    ") + "\n"


def with_one(array, place, value):
    made = np.array(array, dtype=np.result_type(array, type(value)))
    made[place] = value
    return made


def specials(array):
    """With NaN or an infinity at some places: most iterations leave them out."""
    places = list(np.ndindex(np.shape(array)))
    for place, value in zip((places[0], places[-1], places[len(places) // 2]), (np.nan, np.inf, -np.inf), strict=True):
        yield with_one(array, place, value)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "value",
    [
        "L[i, :i] @ x[:i]",
        "L[i, i:] @ x[i:]",
        "np.dot(L[i + 1:, i], x[i + 1:])",
        "(x[i] - L[i, :i] @ x[:i]) / L[i, i]",
        "2 * np.dot(x[:i + 1], L[:i + 1, i]) + i",
        "L[i, :i] @ x[:i] - L[i, i:] @ x[i:]",
    ],
)
def test_a_matrix_times_a_vector(value):
    calls = [(A, X), *((A, x) for x in specials(X)), *((a, X) for a in specials(A)), (A[:1, :1], X[:1])]
    text = check_agrees(program(FILLED.format(value), "L: np.ndarray, x: np.ndarray"), *calls)
    assert "_masked_matmul(" in body(text)
    assert "lax.map" not in body(text).partition("def f(")[2]


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(1, len(L)):\n    y[i] = L[i - 1, :i] @ x[:i]",
        "for i in range(len(x) - 1, -1, -1):\n    y[i] = np.dot(x[:i], L[i, :i])",
        "for i in range(0, len(x), 2):\n    y[i] = L[i, :i + 1] @ x[:i + 1]",
        "for i in range(1, len(x)):\n    y[i] -= 2 * (x[i:] @ L[i:, i])",
    ],
)
def test_some_of_the_rows(loop):
    text = program(f"y = np.ones(len(x))\n{loop}\nreturn y", "L: np.ndarray, x: np.ndarray")
    assert "_masked_matmul(" in body(check_agrees(text, (A, X), *((A, x) for x in specials(X)), *((a, X) for a in specials(A))))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64", "bool"])
def test_a_sum_of_products(dtype):
    text = program(
        "last = x[0]\nfor i in range(len(x)):\n    last = last + L[i, :i] @ x[:i]\nreturn last", "L: np.ndarray, x: np.ndarray"
    )
    check_agrees(text, ((A * 60).astype(dtype), (X * 50).astype(dtype)))


@pytest.mark.parametrize(
    "statement",
    [
        "B[i, j] += np.dot(A[i + 1:, i], B[i + 1:, j])",
        "B[i, j] = A[i + 1:, i] @ B[i + 1:, j] * alpha",
        "B[i, j] -= alpha * (B[i + 1:, j] @ A[i + 1:, i])",
    ],
)
@pytest.mark.parametrize("params", ["alpha, A, B", "alpha: float, A: np.ndarray, B: np.ndarray"])
def test_a_matrix_times_a_matrix(statement, params):
    """What an iteration reads, later iterations change: all iterations read what there was before the loop."""
    B = np.arange(12.0).reshape(3, 4) / 4 - 1
    calls = [(1.5, A, B), (2.0, A, B[:, :1]), *((0.5, A, b) for b in specials(B)), *((0.5, a, B) for a in specials(A))]
    text = check_agrees(program(ROWS.format(statement), params), *calls)
    assert "_masked_matmul(" in body(text)
    assert "fori_loop" not in text


def test_columns_in_the_outer_loop():
    lines = "C = np.zeros((3, 4))\nfor j in range(4):\n    for i in range(3):\n        C[i, j] = A[i, :i] @ B[:i, j]\nreturn C"
    B = np.arange(12.0).reshape(3, 4) / 4 - 1
    check_agrees(program(lines, "A: np.ndarray, B: np.ndarray"), (A, B), *((A, b) for b in specials(B)))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "dtypes", ["int64 int64", "int32 int32", "bool bool", "complex128 float64", "float32 float32", "int8 int8"]
)
def test_dtypes(dtypes):
    one, other = dtypes.split()
    lines = "y = np.zeros(len(x), dtype=complex)\nfor i in range(len(x)):\n    y[i] = L[i, :i] @ x[:i]\nreturn y"
    check_agrees(program(lines, "L: np.ndarray, x: np.ndarray"), ((A * 2).astype(one), (X * 2).astype(other)))
    check_agrees(program(lines, "L, x"), ((A * 2).astype(one), (X * 2).astype(other)))


def test_nothing_to_multiply():
    text = program(FILLED.format("L[i, :i] @ x[:i]"), "L: np.ndarray, x: np.ndarray")
    check_agrees(text, (np.zeros((0, 0)), np.zeros(0)), (A, X))


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "lines",
    [
        "for i in range(len(x)):\n    x[i] = (x[i] - L[i, :i] @ x[:i]) / L[i, i]\nreturn x",  # what iterations before it made
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = x[:i] @ L[0, :i]\nreturn y",  # no matrix is there yet
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = np.sum(L[i, :i] * x[:i])\nreturn y",  # small integers
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = np.vdot(L[i, :i], x[:i])\nreturn y",  # it conjugates
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = np.sort(L[i]) @ x\nreturn y",
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    k = i // 2\n    y[i] = L[i, :k] @ x[:k]\nreturn y",
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = L[i, :i:2] @ x[:i:2]\nreturn y",
        "y = np.zeros(len(x))\nfor i in range(len(x)):\n    y[i] = L[i, :i] @ x[:i][::-1]\nreturn y",
        "y = np.zeros((len(x), 3))\nfor i in range(len(x)):\n    y[i] = L[i, :i] @ L[:i]\nreturn y",  # rows
    ],
)
def test_others_stay_what_they_were(lines):
    text = check_agrees(program(lines, "L: np.ndarray, x: np.ndarray"), (A, X), *((A, x) for x in specials(X)), keep=True)
    assert "_masked_matmul" not in text


def test_converting_twice_changes_nothing():
    once = convert(program(FILLED.format("L[i, :i] @ x[:i]"), "L: np.ndarray, x: np.ndarray"))[0]
    assert convert(once)[0] == once
