"""Nests of loops that add products to the items of arrays: matrix products, `einsum`, sums along axes."""

import numpy as np
import pytest

from tests.differential import check_agrees

SHAPES = [(2, 3, 4), (1, 1, 1), (3, 1, 2), (2, 0, 3), (0, 2, 2)]
NESTS = [
    ("ijk", "C[i, j] += A[i, k] * B[k, j]", "A.astype(C.dtype) @ B[:m]"),
    ("ikj", "C[i, j] += A[i, k] * B[k, j]", "A.astype(C.dtype) @ B[:m]"),
    ("kij", "C[i, j] = C[i, j] + A[i, k] * B[k, j]", "A.astype(C.dtype) @ B[:m]"),
    ("ijk", "C[i, j] -= alpha * A[i, k] * B[k, j]", "C.at[:, :-2].subtract((alpha * A"),
    ("ijk", "C[i, j] += (A[i, k] - B[k, j]) ** 2", "jnp.sum("),
    ("ijk", "C[i, 0] += A[i, k] * B[k, j]", "jnp.sum(A[:, None] * B[:m].T, axis=(-2, -1))"),
    ("ijk", "C[i, j] += A[i, k]", "jnp.sum(A[:, None], axis=-1)"),
    ("ijk", "C[i, j] += A[i, k] * A[i, k] + B[k, j]", "jnp.sum("),
    ("ijk", "C[i, j] += C[i, j] * A[i, k]", ""),
    ("ijk", "C[i, j] += A[i, k] * k", ""),
    ("ijk", "C[i, j] *= A[i, k]", ""),
    ("ijk", "C[i, k % 2] += A[i, k] * B[k, j]", ""),
]


@pytest.mark.parametrize(("order", "turn", "form"), NESTS)
@pytest.mark.parametrize("dtype", [float, int, bool])
def test_nests(order, turn, form, dtype):
    if dtype is bool and "-" in turn:
        return
    bounds = {"i": "n", "j": "p", "k": "m"}
    heads = "".join(f"{'    ' * (k + 1)}for {name} in range({bounds[name]}):\n" for k, name in enumerate(order))
    source = f"""import numpy as np

def f(A: np.ndarray, B: np.ndarray, alpha: float):
    n, m, p = A.shape[0], A.shape[1], B.shape[1]
    C = np.zeros((n, p + 2))
{heads}                {turn}
    return C
"""
    rng = np.random.default_rng(0)
    calls = []
    for n, m, p in SHAPES if form else SHAPES[:3]:
        A, B = rng.normal(size=(n, m)) * 3, rng.normal(size=(m, p)) * 3
        calls.append(
            ((A > 0).astype(dtype) if dtype is bool else A.astype(dtype), (B > 0) if dtype is bool else B.astype(dtype), 2.5)
        )
    text = check_agrees(source, *calls)
    assert form in text, text


ONE_SIDE = """import numpy as np

def f(A: np.ndarray, B: np.ndarray):
    n, m, p = A.shape[0], A.shape[1], B.shape[1]
    C = np.zeros(n)
    for i in range(n):
        for k in range(m):
            for j in range(p):
                C[i] += A[i, k] * B[k, j]
    return C
"""


def test_what_is_not_finite():
    source = """import numpy as np

def f(A: np.ndarray, x: np.ndarray, alpha: float):
    y = np.ones(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[i] += alpha * A[i, j] * x[j]
    return y
"""
    A = np.array([[1.0, np.nan, 0.0], [np.inf, 1.0, 2.0], [0.0, 0.0, 0.0]])
    check_agrees(ONE_SIDE, (np.array([[-np.inf, 2.0]]), np.array([[1.0, 0.0, 0.5], [3.0, 0.0, 1.0]])))
    text = check_agrees(source, (A, np.array([1.0, 0.0, np.inf]), 2.0), (A, np.zeros(3), np.inf), (A, np.ones(3), -1.0))
    assert " @ " in text


def test_a_number_that_is_stored_after_its_sum():
    source = """import numpy as np

def f(A: np.ndarray, B: np.ndarray):
    n, m, p = A.shape[0], A.shape[1], B.shape[1]
    C = np.empty((n, p))
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    return C
"""
    rng = np.random.default_rng(0)
    text = check_agrees(source, *((rng.normal(size=(n, m)), rng.normal(size=(m, p))) for n, m, p in SHAPES if n * p))
    assert "s = s + A.astype(C.dtype) @ B[:m]" in text and "vmap" not in text


def test_columns_and_transposes():
    source = """import numpy as np

def f(A: np.ndarray, b: np.ndarray):
    n, m = A.shape
    y = np.zeros(m)
    C = np.empty((m, n))
    T = np.zeros((n, m, 3))
    for i in range(n):
        for j in range(m):
            y[j] += A[i, j]
    for i in range(m):
        for j in range(n):
            C[i, j] = A[j, i] + b[i]
    for i in range(m):
        for j in range(n):
            T[j, i, 1] = A[j, i]
    return y, C, T
"""
    rng = np.random.default_rng(0)
    text = check_agrees(source, *((rng.normal(size=(n, m)), rng.normal(size=m)) for n, m in ((2, 3), (1, 1), (0, 2), (3, 1))))
    assert "fori_loop" not in text and "A.T + b[:m, None]" in text


def test_items_of_rows_are_not_numbers():
    source = """import numpy as np

def f(A: np.ndarray, w: np.ndarray):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total = total + A[i, j] * w[j]
    return total
"""
    rng = np.random.default_rng(0)
    check_agrees(source, (rng.normal(size=(2, 3)), rng.normal(size=3)), (rng.normal(size=(2, 3, 3)), rng.normal(size=3)))


STARTS = ["False", "np.bool_(False)", "0", "1.5", "x[0] > 2", "np.zeros((), np.int8)", "np.int16(3)", "m[0]", "np.uint8(1)"]


@pytest.mark.parametrize("term", ["x[i] > 2", "m[i]", "np.any(x[:2] > i)", "np.isnan(x[i])"])
@pytest.mark.parametrize("start", STARTS)
def test_bools_are_counted_from_numbers_on_and_are_an_or_else(start, term):
    text = f"""
    import numpy as np

    def f(x: np.ndarray, m: np.ndarray):
        hit = {start}
        for i in range(len(x)):
            hit = hit + ({term})
        return hit
    """
    x = np.array([1.0, 3.0, np.nan, 5.0])
    check_agrees(text, (x, x > 2), (x, x > 9), (x, np.array([2, 0, 1, 3])), (x[:1], x[:1] > 2))


@pytest.mark.parametrize("start", ["np.zeros(3, bool)", "np.ones(3, bool)", "np.zeros(3)", "np.zeros(3, np.int32)", "m[0]"])
def test_rows_of_bools(start):
    text = f"""
    import numpy as np

    def f(m: np.ndarray):
        hit = {start}
        for row in m:
            hit = hit + (row > 0)
        return hit
    """
    check_agrees(text, (np.array([[1, -1, 0], [2, 0, 0], [3, -3, 0]]),), (np.array([[True, False, True]]),))
