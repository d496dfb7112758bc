"""Loops whose iterations can be taken at once: reductions, and iterations that store into places of their own."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import body, check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

ROWS = [
    np.array([]),
    np.array([2.5]),
    np.arange(5.0),
    np.array([1.0, np.nan, -np.inf, 3.0]),
    np.array([np.inf, -np.inf, 2.0]),
    np.array([3, -1, 4, 1]),
    np.array([3, -1, 4, 1], np.int32),
    np.array([100, 100, 100], np.int8),
    np.array([True, False, True]),
    np.array([1 + 2j, 3 - 1j]),
    np.array([0.1, 0.2, 0.3], np.float32),
]


def loops(text):
    return body(convert("import numpy as np\n" + text)[0])


def check(source, *calls, uses=()):
    text = check_agrees("import numpy as np\n\n" + source, *calls)
    assert "fori_loop" not in text and "scan" not in text and "for i in" not in text, text
    for part in uses:
        assert part in text, text
    return text


SUMS = [
    "total += x[i]",
    "total = total + x[i]",
    "total = x[i] + total",
    "total -= x[i]",
    "total += x[i] * x[i]",
    "t = x[i] * 2\n        total += t - 1",
    "total += np.sin(x[i])",
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("iteration", SUMS)
@pytest.mark.parametrize("start", ["0", "0.0", "10.5"])
def test_sums(iteration, start):
    source = f"def f(x: np.ndarray):\n    total = {start}\n    for i in range(len(x)):\n        {iteration}\n    return total\n"
    calls = [
        (x,)
        for x in ROWS
        if x.size and not (x.dtype == bool and "-" in iteration) and not (x.dtype.itemsize < 8 and "sin" in iteration)
    ]
    check(source, *calls)


def test_a_sum_over_no_iterations():
    source = "def f(x: np.ndarray):\n    total = 1.5\n    for i in range(len(x)):\n        total += x[i]\n    return total\n"
    check(source, (np.array([]),))


@pytest.mark.parametrize("rows", [np.arange(6.0).reshape(2, 3), np.arange(3.0), np.arange(24).reshape(2, 3, 4), np.ones((1, 3))])
def test_a_sum_of_rows(rows):
    source = "def f(xs: np.ndarray, w):\n    total = 0.0\n    for x in xs:\n        total = total + x * w\n    return total\n"
    check(
        source, (rows, np.array(2.0)), (rows, np.ones(rows.shape[1:])), (rows, np.arange(3.0)) if rows.ndim < 3 else (rows, 2.0)
    )


def test_products():
    source = "def f(x: np.ndarray):\n    p = 1\n    for i in range(1, len(x)):\n        p *= x[i]\n    return p\n"
    check(
        source,
        *((x,) for x in ROWS if len(x) > 1 and x.dtype != bool),
        uses=["p = p * jnp.prod(x[1:], axis=0, dtype=jnp.result_type(p, x))"],
    )


def test_the_trace():
    text = loops(
        "def f(a: np.ndarray):\n    t = 0.0\n    for i in range(a.shape[0]):\n        t += np.tanh(a[i, i])\n    return a + t\n"
    )
    assert "i = jnp.arange(a.shape[0])\n    t = t + jnp.sum(jnp.tanh(a[i, i]), axis=0)" in text
    source = (
        "def f(a: np.ndarray):\n    t = 0.0\n    for i in range(a.shape[0]):\n        t += np.tanh(a[i, i])\n    return a + t\n"
    )
    check(source, (np.arange(9.0).reshape(3, 3),), (np.ones((2, 4)),), (np.ones((2, 2, 2)),))


def test_a_function_of_the_project_is_mapped_over_rows():
    source = """
def energy(x: np.ndarray):
    return np.sum(x**2) + np.prod(x)


def f(xs: np.ndarray):
    acc = 0.0
    for x in xs:
        acc += energy(x)
    return acc
"""
    check(source, (np.arange(6.0).reshape(3, 2),), uses=["acc = acc + jax.vmap(energy)(xs).sum()"])


def test_several_results_of_an_iteration():
    source = """
def f(x: np.ndarray, y: np.ndarray):
    n = x.shape[0]
    z = np.zeros(n)
    s = 0
    for i in range(n - 1, -1, -1):
        d = x[n - 1 - i] - y[i]
        z[i] = d * d
        s = s + d
    return z, s
"""
    check(source, (np.arange(4.0), np.ones(4)), (np.arange(4), np.ones(5, int)), (np.ones(1), np.ones(1)))


# --- stores --------------------------------------------------------------------------------------------------------------

STORES = [
    ("y[i] = x[i] * 2", "range(n)"),
    ("y[i] = x[i] * c", "range(n)"),
    ("y[i] += x[i]", "range(n)"),
    ("y[i] -= x[i]", "range(n)"),
    ("y[i] *= x[i]", "range(n)"),
    ("y[i + 1] = x[i]", "range(n)"),
    ("y[i] = x[i - 1]", "range(1, n)"),
    ("y[i] = x[i - 1]", "range(n)"),
    ("y[i] = x[n - 1 - i]", "range(n)"),
    ("y[i] = (x[i + 1] - x[i - 1]) / 2", "range(1, n - 1)"),
    ("y[i] = x[i]", "range(2, n - 3)"),
    ("y[i] = x[i]", "range(0, n, 2)"),
    ("y[i] = x[i]", "range(1, n - 1, 3)"),
    ("y[i] = x[i]", "range(n - 1, -1, -1)"),
    ("y[i] = i", "range(n)"),
    ("y[i] = i * x[0]", "range(n)"),
    ("y[i] = 7", "range(n)"),
    ("y[i] = y[i + 1] + x[i]", "range(n)"),
    ("y[i] = y[i] + x[i]", "range(n)"),
    ("y[i] = np.where(x[i] > 1, x[i], 0)", "range(n)"),
    ("y[i] = abs(x[i]) + np.minimum(x[i], 2)", "range(n)"),
    ("k = i + 1\n        y[k] = x[k - 1]", "range(n)"),
    ("y[i] = x[x.size - 1]", "range(n)"),
]


@pytest.mark.quick(8)
@pytest.mark.parametrize(("iteration", "iterations"), STORES)
def test_stores(iteration, iterations):
    source = f"""
def f(x: np.ndarray, c):
    n = x.shape[0]
    y = np.ones(n + 1)
    for i in {iterations}:
        {iteration}
    return y
"""
    for size in (0, 1, 2, 3, 4, 5, 9):
        if size or not any(part in iteration for part in ("x[0]", "x.size")):
            check(source, (np.arange(float(size)) ** 2 - 3, 2.5), (np.arange(size), 2))


MADE = [
    "np.empty(x.shape[0])",
    "np.zeros(len(x), dtype=x.dtype)",
    "np.empty_like(x)",
    "np.zeros(len(x), int)",
    "np.zeros(x.shape[0], np.float32)",
]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("iteration", ["x[i] * 2", "x[i] / 2", "i", "np.sin(x[i])"])
def test_the_dtype_of_the_array_stays(made, iteration):
    source = f"def f(x: np.ndarray):\n    y = {made}\n    for i in range(x.shape[0]):\n        y[i] = {iteration}\n    return y\n"
    check(
        source,
        (np.arange(4.0),),
        (np.arange(3),),
        (np.array([]),),
        *([(np.array([0.5, 2.5], np.float32),)] if "sin" not in iteration else []),
    )


GRIDS = [
    ("C[i, j] = A[i, j] * 2", "A * 2"),
    ("C[i, j] = A[i, j] * b[j] + c[i]", "A * b[:m] + c[:n, None]"),
    ("C[i, j] = b[j] - c[i]", "b[:m] - c[:n, None]"),
    ("C[i, j] += A[i, j]", "at[:].add(A)"),
    ("C[i, j] = i * 10 + j", "i * 10 + j"),
    ("C[i, j] = A[i, j] + C[i, j]", "A + C"),
    ("C[i, j] = C[i, j + 1]", ""),
    ("C[i, j] = C[i + 1, 0]", ""),
    ("C[i, j] = C[i + 1, j - 1]", ""),
]


@pytest.mark.quick(4)
@pytest.mark.parametrize(("iteration", "form"), GRIDS)
def test_grids(iteration, form):
    bound = "n - 1" if "i + 1" in iteration else "n"
    width = "m - 1" if "j + 1" in iteration else "m"
    source = f"""
def f(A: np.ndarray, b: np.ndarray, c: np.ndarray):
    n, m = A.shape[0], A.shape[1]
    C = np.zeros((n, m))
    C += 3 * A
    for i in range({bound}):
        for j in range({width}):
            {iteration}
    return C
"""
    rng = np.random.default_rng(0)
    for n, m in ((3, 4), (1, 1), (2, 2), (5, 1), *(() if "C[i + 1" in iteration else ((0, 3), (3, 0)))):
        text = check_agrees("import numpy as np\n" + source, (rng.normal(size=(n, m)), rng.normal(size=m), rng.normal(size=n)))
    assert form in text, text


def test_rows_are_stored():
    source = """
def f(A: np.ndarray, x: np.ndarray):
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s
    return y
"""
    check(source, (np.arange(6.0).reshape(2, 3), np.ones(3)), (np.ones((1, 1)), np.ones(2)))


def test_columns_are_stored():
    source = """
def norm(v: np.ndarray):
    return np.sqrt(np.sum(v * v))


def f(A: np.ndarray):
    n, m = A.shape
    out = np.zeros((n, m))
    for j in range(m):
        out[:, j] = A[:, j].reshape(n) / norm(A[:, j])
    return out
"""
    check_agrees("import numpy as np\n" + source, (np.arange(6.0).reshape(2, 3) + 1,), (np.ones((3, 1)),))


# --- what is not taken at once -------------------------------------------------------------------------------------------

CARRIED = [
    "y[i + 1] = y[i] * 2",
    "y[i] = y[i - 1] + x[i]",
    "y[0] = x[i]",
    "y[i % 3] = x[i]",
    "y[i // 2] = x[i]",
    "y[k[i]] = x[i]",
    "y[i] = x[i]\n        y[i + 1] = 2.0",
    "y[i] = s\n        s = s + x[i]",
    "s = s * 0.5 + x[i]",
    "s = x[i] - s",
    "s += y[i]\n        y[i + 1] = x[i]",
    "s += s * x[i]",
    "y[i - 2] = x[i]",
    "y[i] = y[n - 1 - i] + 1",
    "y[i] = y[k[i]] + 1",
    "z = y[1:]\n        y[i] = z[i] + z[0]",
    "y[i] = y.sum()",
    "y[i] += 1\n        s += y[n - 1 - i]",
    "s = np.maximum(s, x[i]) + 1",
]


@pytest.mark.quick(7)
@pytest.mark.parametrize("iteration", CARRIED)
def test_carried_iterations(iteration):
    source = f"""
import numpy as np

def f(x: np.ndarray, k: np.ndarray):
    n = x.shape[0]
    y = np.ones(n + 2)
    s = 0.5
    for i in range(n):
        {iteration}
    return y, s
"""
    for size in (1, 2, 5, 8):
        k = np.arange(size)[::-1] // 2
        text = check_agrees(source, (np.arange(float(size)) ** 2 - 3, k), keep=True)
    one_by_one = "fori_loop" in text or "lax.scan" in text or "for i in range" in text
    assert "vmap" not in text and (one_by_one or "cumsum" in text), text


def test_views_of_what_is_stored():
    source = """
import numpy as np

def f(x: np.ndarray):
    y = x[1:]
    for i in range(x.shape[0] - 1):
        x[i + 1] = y[i] + x[0]
    return x
"""
    check_agrees(source, (np.arange(5.0),), keep=True)


# --- rows of arrays ------------------------------------------------------------------------------------------------------

ROW_LOOPS = [
    "for p, q in zip(x, y):\n        s = s + p * q",
    "for i, p in enumerate(x):\n        out[i] = p * i + y[i]",
    "for i, p in enumerate(x):\n        out[i] = p * 3",
    "for i, (p, q) in enumerate(zip(x, y)):\n        out[i] = p - q\n        s = s + np.sum(q)",
    "for i, p in enumerate(x):\n        s = s + p * i",
    "for p, _ in zip(x, y):\n        s = s + np.sin(p)",
]


@pytest.mark.parametrize("loop", ROW_LOOPS)
def test_rows(loop):
    source = f"def f(x: np.ndarray, y: np.ndarray):\n    s = 0.0\n    out = np.zeros_like(x)\n    {loop}\n    return s, out\n"
    rng = np.random.default_rng(0)
    pairs = [(rng.normal(size=shape), rng.normal(size=shape)) for shape in ((4,), (3, 2), (1, 2), (0,))]
    check(source, *pairs[: 3 if "s = s" in loop else 4], (np.arange(3), np.arange(3) - 1.5))


ALIGNED = ["x[i] * w[i]", "x[i] * i", "x[i] + w[i]", "x[i] * w[0]", "x[i] - x[i] * w[i] + i", "w[i] * 2"]


@pytest.mark.parametrize("value", ALIGNED)
def test_rows_and_numbers_are_not_mixed(value):
    source = f"""
def f(x: np.ndarray, n: int):
    w = np.arange(3.0)
    y = np.zeros_like(x)
    s = 0.0
    for i in range(len(x)):
        y[i] = {value}
    for i in range(len(x)):
        s = s + ({value})
    return y, s
"""
    check(source, (np.arange(9.0).reshape(3, 3), 3), (np.arange(3.0), 3), (np.arange(6.0).reshape(3, 2), 3))


def test_rows_of_arrays_that_are_not_as_long():
    source = """
import numpy as np

def f(x: np.ndarray, y: np.ndarray):
    s = 0.0
    for p, q in zip(x, y):
        s = s + p * q
    return s
"""
    check_agrees(source, (np.arange(3.0), np.ones(3)), (np.arange(3.0), np.ones(1)), (np.arange(1.0), np.arange(4.0)))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "iteration", ["out[i] += x[i]", "out[i] -= x[i] * 0.5", "out[i] *= x[i]", "out[i] += x[i] + j", "out[0] += x[i] * j"]
)
def test_integers_are_truncated_after_each_step(iteration):
    source = f"""
import numpy as np

def f(x: np.ndarray):
    out = np.arange(3) * 5
    for i in range(3):
        for j in range(len(x)):
            {iteration}
    for i in range(len(x)):
        out[i] += x[i]
    return out
"""
    check_agrees(source, (np.array([0.6, 0.7, -1.8]),))


@pytest.mark.parametrize(
    "iteration", ["best = max(best, v)", "best = min(best, v * 2)", "best = np.maximum(best, v)", "best = np.minimum(v, best)"]
)
@pytest.mark.parametrize("start", ["-np.inf", "0.5", "np.nan", "-2.5"])
def test_extremes(iteration, start):
    source = f"def f(x: np.ndarray):\n    best = {start}\n    for v in x:\n        {iteration}\n    return best\n"
    usual = [x for x in ROWS if x.size and x.dtype == float]
    check(source, *((x,) for x in usual), uses=[f".{'min' if 'min' in iteration else 'max'}("])


def test_the_greatest_from_the_first():
    source = "def f(x: np.ndarray):\n    best = x[0]\n    for i in range(1, len(x)):\n        best = max(best, x[i])\n    return best\n"
    check(source, *((x,) for x in ROWS if x.size and x.dtype not in (bool, complex)), (np.array([np.nan, 1.0]),))


def test_a_product_of_integers_that_starts_as_a_fraction():
    source = "def f(x: np.ndarray):\n    p = 1.0\n    for i in range(len(x)):\n        p *= x[i]\n    return p\n"
    check(source, (np.arange(1, 40),), (np.arange(1.0, 5),))


def test_an_array_that_says_how_many_iterations_there_are_is_made_before():
    source = """def f(image, kernel):
    h, w = image.shape
    k = kernel.shape[0]
    out = np.zeros((h - k + 1, w - k + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i:i + k, j:j + k] * kernel)
    return out
"""
    check(source, (np.arange(20.0).reshape(4, 5) ** 2, np.array([[1.0, 2.0], [3.0, np.inf]])), uses=["jax.vmap"])


def test_an_array_that_iterations_read_is_made():
    text = """
        import numpy as np

        def f(n: int):
            out = np.zeros(n)
            for i in range(n):
                out[i] = np.sin(out[i]) + i
            return out
    """
    assert "zeros(n)" in check_agrees(text, (3,), (0,))
