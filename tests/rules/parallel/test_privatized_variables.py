"""Variables of an iteration that loops in it add to: each becomes an array of what all iterations add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2jax.tests.helpers.differential import check_agrees
from np2jax.tests.helpers.drawn_programs import check_few, check_many

A = np.array([[3.0, -1.5, 0.0], [0.25, -4.0, 7.0], [1.0, 2.0, -2.0], [0.5, 0.0, 9.0]])
B = np.array([[1.0, 2.0, -3.0], [0.0, 1.0, 5.0], [4.0, -1.0, 0.5], [2.0, 2.0, 2.0]])
LOOPS = ("fori_loop", "scan", "while_loop", "for i in", "vmap")


def text_of(lines, start="out = np.zeros(n)\n    total = 0.0", result="out, a, b, total * np.ones(1)"):
    inner = "".join(f"        {line}\n" for line in lines.split("\n"))
    head = "import numpy as np\n\n\ndef f(a: np.ndarray, b: np.ndarray):\n    n, m = a.shape\n    k, m2 = b.shape\n"
    return f"{head}    {start}\n    for i in range(n):\n{inner}    return {result}\n"


def calls():
    special = np.array([[np.nan, np.inf, 1.0], [-np.inf, -0.0, 2.0]])
    pairs = [(A, B), (B, A), (special, B[:2]), (A[:1], B[:1]), (A.astype(np.float32), B.astype(np.float32))]
    return [(a.copy(), b.copy()) for a, b in pairs]


SUM = "s = 0.0\nfor j in range(m):\n    s += a[i, j] * b[i, j]\n"
IN_PARALLEL = {
    "stored": SUM + "out[i] = s",
    "computed with": SUM + "out[i] = np.sqrt(abs(s)) + b[i, 0]",
    "two": SUM + "t = 1.0\nfor j in range(m):\n    t *= b[i, j]\nout[i] = s - t",
    "one in one loop after the other": SUM + "for j in range(m):\n    s -= b[i, j]\nout[i] = s",
    "bound again": SUM + "s = s / m\nfor j in range(m):\n    a[i, j] = a[i, j] - s",
    "of a turn's variable": "s = 0.0\nfor j in range(m):\n    d = a[i, j] - b[i, j]\n    s += d * d\nout[i] = s",
    "of what was stored": "out[i] = a[i, 0]\ntotal += out[i]",
    "with a test": "s = 0.0\nfor j in range(m):\n    if a[i, j] > 0:\n        s += a[i, j]\n    else:\n        s -= 1\nout[i] = s",
    "but one": "s = 0.0\nfor j in range(m):\n    if j != i:\n        s += a[i, j]\nout[i] = (b[i, 0] - s) / 4",
    "a count": "c = 0\nfor j in range(m):\n    if a[i, j] > b[i, j]:\n        c += 1\nout[i] = c",
    "added up": SUM + "out[i] = s\ntotal += s * s",
    "nothing but added up": SUM + "total += s",
    "a branch": SUM + "if s > 0:\n    out[i] = s\nelse:\n    out[i] = -1",
    "a choice": SUM + "v = s if s > 1 else a[i, 0]\nout[i] = v",
    "that starts as an item": "s = b[i, 0]\nfor j in range(m):\n    s += a[i, j]\nout[i] = s",
    "in two loops": "s = 0.0\nfor j in range(m):\n    for q in range(k):\n        s += a[i, j] * b[q, j]\nout[i] = s",
    "of the index": "s = 0.0\nfor j in range(m):\n    s += a[i, j] * i + j\nout[i] = s",
    "of what turns share": "s = 0.0\nfor j in range(m):\n    s += b[0, j] * a[i, j]\nout[i] = s",
}
NOT_AS_ARRAYS = {
    "what the last turn leaves": "s = 0.0\nfor j in range(m):\n    t = a[i, j]\n    s += t\nout[i] = s + t",
    "a recurrence": "s = 0.0\nfor j in range(m):\n    s = s * 0.5 + a[i, j]\nout[i] = s",
    "read while it is added to": "s = 0.0\nfor j in range(m):\n    s += a[i, j]\n    b[i, j] = s\nout[i] = s",
    "a total that turns read": SUM + "total += s\nout[i] = total",
    "as far as the index": "s = 0.0\nfor j in range(min(i, m)):\n    s += a[i, j]\nout[i] = s",
    "what another turn stored": "s = 0.0\nfor j in range(m):\n    s += a[i, j] * out[0]\nout[i] = s",
}
SEVERAL_PATHS = {
    "columns": "a[i, 0] = b[i, 0]\na[i, 1] = b[i, 1] * 2",
    "columns, on one side": "if b[i, 0] > 0:\n    a[i, 0] = b[i, 1]\n    a[i, 1] = 5",
    "columns, on both sides": "r = np.sqrt(b[i, 0] ** 2 + b[i, 1] ** 2)\nif r > 0:\n    a[i, 0] = b[i, 0] / r\n    a[i, 1] = b[i, 1] / r\n"
    "else:\n    a[i, 0] = 0.0\n    a[i, 1] = 1.0",
    "added to": "a[i, 0] += b[i, 0]\na[i, 2] -= b[i, 2]",
    "a quotient of a side": "if b[i, 1] != 0:\n    q = b[i, 0] / b[i, 1]\n    a[i, 0] = q\n    a[i, 1] = 1 - q",
}


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", IN_PARALLEL)
def test_at_once(name):
    none = [] if name == "of what turns share" else [(A[:0].copy(), B[:0].copy())]  # one item of none: JAX raises
    text = check_agrees(text_of(IN_PARALLEL[name]), *calls(), *none)
    assert not any(word in text for word in LOOPS), text


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", IN_PARALLEL)
def test_integers(name):
    whole = [np.rint(x).astype(int) for x in (A, B)]
    check_agrees(text_of(IN_PARALLEL[name]), (*whole,), (whole[0], B.copy()), keep=True)
    check_agrees(text_of(IN_PARALLEL[name], "out = np.zeros(n, dtype=int)\n    total = 0"), (*whole,), keep=True)


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", NOT_AS_ARRAYS)
def test_not_as_arrays(name):
    text = check_agrees(text_of(NOT_AS_ARRAYS[name]), *calls()[:3], keep=True)
    assert any(word in text for word in LOOPS), text


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", SEVERAL_PATHS)
def test_several_places(name):
    text = check_agrees(text_of(SEVERAL_PATHS[name]), *calls(), keep=True)
    assert not any(word in text for word in LOOPS), text


@pytest.mark.parametrize(
    "lines",
    ["a[i, 0] = b[i, 0]\na[i, i % 2] = 7", "a[i, 0] = 1\na[n - 1 - i, 0] = 2", "a[0, 1] += b[i, 0]\na[0, i % 3] += 1"],
)
def test_places_that_may_be_one(lines):
    text = check_agrees(text_of(lines), *calls()[:2], keep=True)
    assert any(word in text for word in LOOPS), text


def test_a_product_of_matrices():
    source = """import numpy as np

def f(A: np.ndarray, B: np.ndarray):
    n, m = A.shape
    p = B.shape[1]
    C = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            s = 0.0  # the sum
            for k in range(m):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    return C
"""
    text = check_agrees(source, (A, B.T.copy()), (A[:1], B.T[:, :1].copy()), (A[:, :0], B.T[:0].copy()))
    assert "@ B" in text and "# the sum" in text and not any(word in text for word in LOOPS), text


def test_forces():
    components = """import numpy as np

def f(pos: np.ndarray, mass: np.ndarray, eps: float):
    n, dim = pos.shape
    acc = np.zeros((n, 3))
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            r2 = dx * dx + dy * dy + eps
            inv = mass[j] / (r2 * np.sqrt(r2))
            acc[i, 0] += dx * inv
            acc[i, 1] += dy * inv
    return acc
"""
    rows = """import numpy as np

def f(pos: np.ndarray, mass: np.ndarray, eps: float):
    n, dim = pos.shape
    F = np.zeros((n, dim))
    for i in range(n):
        for j in range(n):
            if i != j:
                d = pos[j] - pos[i]
                r = np.sqrt(np.sum(d ** 2) + eps)
                F[i] += mass[i] * mass[j] * d / r ** 3
    return F
"""
    given_ = [(A, np.arange(4.0) + 1, 0.1), (B, np.ones(4), 0.0), (A[:1], np.ones(1), 0.0)]
    assert not any(word in check_agrees(components, *given_) for word in LOOPS)
    assert "fori_loop" not in check_agrees(rows, *given_)


def bodies():
    atoms = st.sampled_from(["a[i, j]", "b[i, j]", "a[i, 0]", "b[0, j]", "2.0", "i", "j"])
    terms = st.one_of(atoms, st.tuples(atoms, st.sampled_from("+-*"), atoms).map(" ".join))
    adds = st.tuples(st.sampled_from(["s", "t"]), st.sampled_from(["+=", "-=", "*="]), terms).map(" ".join)
    guarded = st.tuples(st.sampled_from(["j != i", "a[i, j] > 0", "j > i"]), adds).map(lambda p: f"if {p[0]}:\n        {p[1]}")
    inner = st.one_of(adds, guarded).map(lambda line: f"for j in range(m):\n    {line}")
    plain = st.sampled_from(
        ["s = s / 2", "t = s - t", "s = a[i, 0]", "if s > t:\n    t = s", "t = s if s > 0 else b[i, 1]", "total += s"]
    )
    last = st.sampled_from(["out[i] = s", "out[i] = s + t", "out[i] += t", "a[i, 1] = s\nout[i] = t", "out[n - 1 - i] = s"])
    return st.tuples(st.lists(st.one_of(inner, inner, plain), min_size=1, max_size=4), last).map(
        lambda p: "\n".join(["s = 0.0", "t = 1.0", *p[0], p[1]])
    )


def compared(lines):
    check_agrees(text_of(lines), *calls()[:1], (A[:1].copy(), B[:1].copy()), keep=True)


def test_drawn_iterations():
    check_few(given(bodies())(compared))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_many_drawn_iterations(start):
    check_many(given(bodies())(compared), start)


ROWS = {
    "a row and a number": "d = x - c[i]\nout[i] = d",
    "a number and a row": "w = np.exp(-c[i])\nout[i] = X[i] * w",
    "in place": "t = X[i] / c[i]\nX[i] = t",
    "the index": "p = x * i\nout[i] = p",
    "of rows": "r = X[i] - X[0]\nout[i] = r",
    "added up": "d = x - c[i]\ntotal += d",
    "a number of a row": "d = X[i] * c[i]\nout[i, 0] = d.sum()",
    "a power": "p = c[i] ** x\nout[i] = p",
    "twice": "row = X[i] * x\nrow = row + c[i]\nout[i] = row",
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("annotated", [True, False])
def test_rows_that_iterations_hold(name, annotated):
    inner = "".join(f"        {line}\n" for line in ROWS[name].split("\n"))
    params = "X: np.ndarray, x: np.ndarray, c: np.ndarray" if annotated else "X, x, c"
    source = f"""import numpy as np

def f({params}):
    n, m = X.shape
    out = np.zeros((n, m))
    total = np.zeros(m)
    for i in range(n):
{inner}    return out, X, total
"""
    rng = np.random.default_rng(0)
    given_ = [
        (rng.normal(size=(n, m)), rng.normal(size=m), rng.normal(size=n) + 3) for n, m in ((4, 3), (3, 3), (2, 1), (1, 1), (1, 4))
    ]
    check_agrees(source, *given_, keep=True)
