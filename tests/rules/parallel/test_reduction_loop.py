"""Nests of loops that add products to the items of arrays: matrix products, `einsum`, sums along axes."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, function
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

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


@pytest.mark.quick(5)
@pytest.mark.parametrize(("order", "iteration", "form"), NESTS)
@pytest.mark.parametrize("dtype", [float, int, bool])
def test_nests(order, iteration, form, dtype):
    if dtype is bool and "-" in iteration:
        return
    bounds = {"i": "n", "j": "p", "k": "m"}
    heads = "".join(f"{'    ' * (k + 1)}for {name} in range({bounds[name]}):\n" for k, name in enumerate(order))
    source = f"""import numpy as np

def f(A: np.ndarray, B: np.ndarray, alpha: float):
    n, m, p = A.shape[0], A.shape[1], B.shape[1]
    C = np.zeros((n, p + 2))
{heads}                {iteration}
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


ONE_ARM = """import numpy as np

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
    check_agrees(ONE_ARM, (np.array([[-np.inf, 2.0]]), np.array([[1.0, 0.0, 0.5], [3.0, 0.0, 1.0]])))
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


@pytest.mark.quick(4)
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


def typed(iterations, start="s = 0.0", x="float32", y="float32", result="s"):
    """A file whose function has arguments of known dtypes."""
    return (
        f"import numpy as np\nimport numpy.typing as npt\n\n\ndef f(x: npt.NDArray[np.{x}], y: npt.NDArray[np.{y}]):\n"
        f"    {start}\n" + "".join(f"    {line}\n" for line in iterations.split("\n")) + f"    return {result}\n"
    )


ROWS = np.array([[3, 120, 100, 7], [90, 2, 77, 11]])


@pytest.mark.parametrize(
    ("start", "x", "y"),
    [
        ("s = 0.0", np.full(3, 2**62), ROWS),  # `jnp.sum` of int64 overflows
        ("s = 0.0", np.full(3, 2**63, np.uint64), ROWS),
        ("s = np.float32(0)", np.full(3, 60000, np.float16), ROWS),
        ("s = np.float32(0)", np.full(300, 2**24 + 1, np.uint32), ROWS),
        ("s = np.float64(0)", np.full(300, 0.1, np.float32), ROWS),
        ("s = y[0]", np.full(300, 0.1, np.float16), np.ones(1, np.float32)),
        ("s = y[0]", np.full(300, 0.1, np.float32), np.ones(1)),
    ],
)
def test_sums_in_the_dtype_of_the_loop(start, x, y):
    """The terms were added up in their own dtype, and the sum became one of the start's: overflow and rounding, silently."""
    check_agrees(typed("for v in x:\n    s += v", start, x.dtype, y.dtype), (x, y))


def test_sums_in_the_dtype_of_a_known_start():
    """A float64 was added to a float32 that the array was summed in, silently."""
    source = (
        "import numpy as np\n\n\ndef f(x: np.ndarray):\n    s = np.float64(0)\n    for v in x:\n        s += v\n    return s\n"
    )
    check_agrees(source, (np.full(300, 0.1, np.float32),), (np.full(300, 0.1),), (np.arange(3),))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float32"])
@pytest.mark.parametrize("into", ["float", "np.float32"])
def test_sums_that_are_stored(dtype, into):
    iterations = "for i in range(x.shape[0]):\n    for j in range(x.shape[1]):\n        s[i] += x[i, j]"
    x = np.tile(ROWS / 7, 50).astype(dtype)
    check_agrees(typed(iterations, f"s = np.zeros(x.shape[0], dtype={into})", dtype), (x, ROWS.astype(np.float32)))


PRODUCTS = "for i in range(x.shape[0]):\n    for j in range(y.shape[0]):\n        for k in range(x.shape[1]):\n            s[i, j] += x[i, k] * y[j, k]"


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("x", "y"),
    [("int8", "int8"), ("uint8", "uint8"), ("int16", "uint8"), ("int32", "int32"), ("float16", "float16"), ("int32", "float32")],
)
def test_products_are_made_in_their_own_dtype(x, y):
    """They were cast before they were multiplied, and did not overflow as NumPy's do, silently."""
    scale = 1000 if x == "int32" else 1
    arguments = (ROWS * scale).astype(x), (ROWS * scale).astype(y)
    check_agrees(typed(PRODUCTS, "s = np.zeros((2, 2))", x, y), arguments)
    if "float" not in y:
        check_agrees(typed("for i in range(4):\n    s += x[0, i] * y[1, i]", "s = 0.0", x, y), arguments)


@pytest.mark.parametrize("term", ["i * 0.5", "0.5", "i"])
@pytest.mark.parametrize("dtype", [np.float32, float])
def test_numbers_of_python_do_not_widen_arrays(term, dtype):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    for i in range(len(y)):\n        x = x + {term}\n    return x\n"
    check_agrees(text, (np.ones(3, dtype), np.ones(4)))


def test_an_array_that_is_made_after_the_loop_gives_a_sum_no_dtype():
    body = "s = True\nfor i, v in enumerate(x):\n    s = s + x[i] * x[i]\nout = np.zeros(3)\nout[0] = s\nreturn out"
    text = "from numpy.typing import NDArray\n" + function(body, "x: NDArray[np.bool_]")
    check_agrees(text, (np.array([True, False]),))
