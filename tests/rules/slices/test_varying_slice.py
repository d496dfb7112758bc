"""Slices whose bounds change from one iteration to the next: masks on whole axes, windows of constant length, or loops that stay Python's."""

import re
import textwrap

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_or_asserts, check_agrees, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__)

RNG = np.random.default_rng(7)
NAN, INF = np.nan, np.inf


def one_by_one(made):
    """Whether JAX takes one iteration after the other."""
    return "lax.fori_loop" in made or "lax.scan" in made


def vector(n, *special):
    made = RNG.normal(size=n)
    for position, value in special:
        made[position] = value
    return made


def square(n):
    return RNG.normal(size=(n, n)) + n * np.eye(n)


READS = {
    "sum": "x[:i].sum()",
    "sum from": "np.sum(x[i:])",
    "both bounds": "np.sum(x[i:n - 1])",
    "prod": "np.prod(x[i + 1:])",
    "mean": "np.mean(x[:i + 1])",
    "method mean": "x[i:].mean()",
    "std": "np.std(x[:i + 1])",
    "var": "x[i:].var(ddof=0)",
    "any": "np.any(x[:i] > 0.5)",
    "all": "np.all(x[i:] > -3)",
    "count": "np.count_nonzero(x[:i] > 0)",
    "max": "np.max(x[:i + 1])",
    "min": "x[i:].min()",
    "dot": "np.dot(x[:i], x[:i])",
    "matmul": "x[i:] @ x[i:]",
    "scaled": "2 * x[:i] @ x[:i] + 1",
    "flip": "np.dot(np.flip(x[:i]), x[:i])",
    "turned": "np.dot(x[:i][::-1], x[:i])",
    "turned from": "np.sum(x[i:][::-1] * x[i:])",
    "both turned": "np.sum(np.exp(x[:i][::-1]) - x[:i][::-1])",
    "turned and shifted": "np.sum(x[1 : i + 1][::-1] * x[:i])",
    "backwards": "np.dot(x[i::-1], x[:i + 1])",
    "shifted": "np.sum(x[1:i + 1] * x[:i])",
    "functions": "np.sum(np.exp(x[:i]) * np.where(x[:i] > 0, 1.0, -x[:i]))",
    "last": "np.sum(x[i:-1])",
    "from the end": "np.sum(x[-i - 1:])",
    "nested": "abs(np.sum(x[:i])) + np.sqrt(np.sum(x[i:] ** 2))",
    "comparison": "1.0 * (np.sum(x[:i]) > np.sum(x[i:]))",
    "below zero": "x[:i - 1].sum() + np.sum(x[i - 2:i])",
    "bits": "x[:i ^ -4].sum()",
    "below zero, twice": "np.dot(x[i - 2:], 2 * x[i - 2:])",
    "len": "x[:i + 1].sum() / len(x)",
}


@pytest.mark.quick(11)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reads(read):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        n = x.shape[0]
        y = np.zeros(n)
        for i in range(n):
            y[i] = {read} + 0.5 * y[i - 1]
        return y
    """
    calls = [(vector(n),) for n in (1, 5, 10)] + [(vector(5, (3, NAN)),), (vector(5, (2, INF)),), (vector(5, (4, -INF)),)]
    made = check_agrees(text, *calls)
    assert one_by_one(made), made


STORES = {
    "below zero": "y[:i - 2] += 2 * x[:i - 2]",
    "prefix": "y[:i] = x[:i]",
    "number": "y[i:] = 2.0",
    "add": "y[:i] += x[:i] * y[i]",
    "subtract": "y[i + 1:] -= x[i] * y[i + 1:]",
    "multiply": "y[:i + 1] *= 0.5",
    "divide": "y[i:] /= 1 + x[i] ** 2",
    "power": "y[i:] **= 2",
    "flip": "y[:i] += 0.5 * np.flip(y[:i])",
    "backwards": "y[:i + 1] = y[i::-1]",
    "shifted": "y[1:i + 1] = y[:i] + x[i]",
    "between": "y[i:n - 1] = x[i + 1:n] - x[i]",
    "to the last": "y[i:-1] -= y[i + 1:]",
    "two": "y[:i] = y[i] ; y[i:] += x[i:]",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_stores(store):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        n = x.shape[0]
        y = np.ones(n)
        for i in range(n):
            {store}
        return y
    """
    made = check_agrees(text, *[(vector(n),) for n in (1, 5)], (vector(5, (1, NAN)),), (vector(5, (4, INF)),))
    assert one_by_one(made), made


@pytest.mark.parametrize(
    "store",
    [
        "x[i:i + k] *= y[i:i + k]",
        "y[i:i + k] = x[i:i + k]",
        "x[i] = np.sum(x[i:2 * i] * y[i:2 * i])",
        "x[i] = np.sum(x[i:i + k] * y[i:i + k])",
        "x[i] = (x[i:i + k] + y[i:i + k]).max()",
    ],
)
def test_slices_of_arrays_of_different_lengths_are_not_combined(store):
    """NumPy broadcasts the only element of a slice that the end of its array truncates."""
    text = f"""
import numpy as np


def f(x: np.ndarray, y: np.ndarray, k: int):
    for i in range(0, len(x), 2):
        if y[i] > -9:
            {store}
    return x, y
"""
    made, functions, _diagnostics = convert(text)
    assert agrees_or_asserts(text, made, functions["f"], (vector(6), vector(6, (2, 0.5)), 2))
    for length in (6, 9):
        agrees_or_asserts(text, made, functions["f"], (vector(5), vector(length), 3))
    host = convert(text, placement="fast")[0]
    agrees_or_raises(text, host, vector(5), vector(9), 3)


def agrees_or_raises(before, made, *arguments):
    """Both versions give the same, or NumPy raises."""
    try:
        want = run(before)["f"](*map(np.copy, arguments))
    except ValueError:
        return
    got = run(made)["f"](*map(np.copy, arguments))
    assert all(map(np.array_equal, got, want))


MATRICES = {
    "lu": """
        for i in range(A.shape[0]):
            for j in range(i):
                A[i, j] -= A[i, :j] @ A[:j, j]
                A[i, j] /= A[j, j]
            for j in range(i, A.shape[0]):
                A[i, j] -= A[i, :i] @ A[:i, j]
    """,
    "cholesky": """
        for i in range(A.shape[0]):
            for j in range(i):
                A[i, j] -= np.dot(A[i, :j], A[j, :j])
                A[i, j] /= A[j, j]
            A[i, i] = np.sqrt(np.abs(A[i, i] - np.dot(A[i, :i], A[i, :i])))
    """,
    "elimination": """
        n = len(A)
        for k in range(n - 1):
            for i in range(k + 1, n):
                factor = A[i, k] / A[k, k]
                A[i, k:] -= factor * A[k, k:]
    """,
    "outer": """
        n = A.shape[0]
        for k in range(n - 1):
            A[k + 1:, k] = A[k + 1:, k] / A[k, k]
            A[k + 1:, k + 1:] -= np.outer(A[k + 1:, k], A[k, k + 1:])
    """,
    "rank one": """
        n = A.shape[0]
        for k in range(n - 1):
            A[k + 1:, k + 1:] -= A[k + 1:, k][:, None] * A[k, k + 1:]
    """,
    "new axis": """
        n = A.shape[0]
        for k in range(n - 1):
            A[k + 1:, k + 1:] -= 0.1 * A[k + 1:, k, None] * A[k, None, k + 1:]
    """,
    "rows": """
        for i in range(A.shape[0]):
            A[i, :i + 1] *= 0.5
            A[i, :i + 1] += 0.1 * A[:i + 1, 0]
    """,
    "matrix times vector": """
        for i in range(A.shape[0]):
            A[:, i] = A[:, :i] @ A[:i, i]
    """,
    "columns": """
        for i in range(A.shape[0] - 1):
            A[i + 1:, i] = A[i, i + 1:] = A[:, i] @ A[:, i + 1:]
    """,
    "block sum": """
        for i in range(A.shape[0]):
            A[i, 0] = A[:i, i:].sum() + A[i:].sum(axis=0)[i]
    """,
    "axis": """
        for i in range(A.shape[0]):
            A[i] = A[:i + 1].sum(axis=0) + A[:, i:].mean(axis=1)
    """,
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(name):
    loops = textwrap.indent(textwrap.dedent(MATRICES[name]), "    ")
    bad = square(4)
    bad[3, 1] = NAN
    made = check_agrees(
        f"import numpy as np\n\ndef f(A: np.ndarray):\n{loops}\n    return A\n", (square(1),), (square(4),), (bad,)
    )
    assert one_by_one(made), made


HELD = {
    "row": """
        for i in range(A.shape[0]):
            row = A[i, :i]
            double = 2 * A[:i, 0]
            A[i, i] = 1 + row @ double - np.sum(row)
    """,
    "computed before": """
        n = len(A)
        for k in range(n - 1):
            factors = A[k + 1:, k] / A[k, k]
            A[k + 1:, k:] -= factors[:, None] * A[k, k:]
            A[k + 1:, k] = factors
    """,
    "in a loop of its own": """
        for i in range(A.shape[0]):
            above = np.abs(A[:i, i])
            for j in range(i):
                A[i, j] += above.sum() + j
    """,
    "of another": """
        for i in range(A.shape[0]):
            a = A[i, i:]
            b = a - A[i, i]
            A[i, i:] += b * b
    """,
}


@pytest.mark.parametrize("name", HELD)
def test_variables_that_hold_slices(name):
    loops = textwrap.indent(textwrap.dedent(HELD[name]), "    ")
    made = check_agrees(f"import numpy as np\n\ndef f(A: np.ndarray):\n{loops}\n    return A\n", (square(1),), (square(4),))
    assert one_by_one(made), made


def test_bounds_that_an_array_holds():
    text = """
    import numpy as np

    def f(rows, columns, values, x):
        y = np.zeros(rows.size - 1)
        for i in range(rows.size - 1):
            where = columns[rows[i]:rows[i + 1]]
            these = values[rows[i]:rows[i + 1]]
            y[i] = these @ x[where]
        return y
    """
    columns, values = np.array([0, 2, 1, 3, 0]), np.array([1.0, 2.0, NAN, 4.0, 5.0])
    starts = [np.array([0, 2, 2, 5]), np.array([0, 1, 4, -1]), np.array([1, -3, -1, 9])]
    made = check_agrees(text, *[(rows, columns, values, np.array([1.0, INF, 3.0, 4.0])) for rows in starts])
    assert "fori_loop" in made or "vmap" in made or "lax.map" in made, made


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "iteration",
    [
        "y[i] = np.median(x[:i + 1])",
        "y[i] = np.sum(np.sort(x[:i]))",
        "y[i] = len(x[:i])",
        "y[i] = x[:i - 1] @ x[1:i]",  # the first bound is -1, and counts from the end
        "y[i] = x[::i].sum() if i else 0.0",
        "y[i] = np.cumsum(x[:i + 1])[i]",
        "y[i] = np.linalg.norm(x[:i], 1)",
        "t = x[:i]\n            x[0] += 1\n            y[i] = t.sum()",
        "t = x[:i]\n            y[i] = t.sum() + len(t)",
        "t = x[:i]\n            t[:] = 0\n            y[i] = x.sum()",
        "y[i] = g(x[:i])",
        "y[:i] = x[i]\n            y[i] = np.argmax(x[:i + 1], 0)",
    ],
)
def test_what_is_not_understood_stays_a_loop_of_python(iteration):
    text = f"""
    import numpy as np

    def g(x):
        return np.sum(x)

    def f(x: np.ndarray):
        y = np.zeros(x.shape[0])
        for i in range(x.shape[0]):
            {iteration}
        return y
    """
    made = check_agrees(text, (vector(1),), (vector(5),), keep=True)
    assert "for i in range" in made, made


def test_integers_and_booleans():
    check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            y = np.zeros(x.shape[0], dtype=int)
            for i in range(x.shape[0]):
                y[i] = x[:i].sum() + (y[:i] > 2).sum()
                y[i:] += 1
            return y
        """,
        (np.arange(6),),
        (np.array([3, -2, 5], dtype=np.int32),),
    )


def test_reversed_and_strided_loops():
    check_agrees(
        """
        import numpy as np

        def f(A: np.ndarray, b: np.ndarray):
            x = np.zeros_like(b)
            for i in range(A.shape[0] - 1, -1, -1):
                x[i] = (b[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
            for i in range(0, b.shape[0], 2):
                x[i:] += x[:i + 1].sum()
            return x
        """,
        (square(1), vector(1)),
        (square(5), vector(5)),
    )


def test_the_rank_that_only_use_tells_is_checked():
    text = """
    import numpy as np

    def f(C, A):
        for i in range(A.shape[0]):
            C[i, :i + 1] *= 0.5
            C[i, :i + 1] += A[:i + 1, 0]
        return C
    """
    made = check_agrees(text, (square(4), square(4)))
    assert "assert C.ndim == 2" in made


def test_a_nest_whose_masks_vary_with_the_outer_loop_takes_only_the_inner_one_at_once():
    source = """
    import numpy as np

    def f(A: np.ndarray, B: np.ndarray):
        for i in range(B.shape[0]):
            for j in range(B.shape[1]):
                B[i, j] += np.dot(np.abs(A[i + 1:, i]), B[i + 1:, j])
        return B
    """
    A, B = RNG.normal(size=(5, 5)), RNG.normal(size=(5, 4))
    B[3, 1], A[2, 2] = np.nan, np.inf
    text = check_agrees(source, (A, B))
    assert text.count("jax.vmap") == 1 and one_by_one(text)


@pytest.mark.parametrize("slice_", ["x[:m]", "x[m:]", "x[-m:]", "x[m - 1 : m + 2]"])
def test_a_slice_outside_of_loops(slice_):
    text = f"""
        import numpy as np


        def f(x: np.ndarray, n: int):
            m = int(np.ceil(np.sqrt(n)))
            return {slice_}.sum()
    """
    x = np.arange(7.0)
    made = check_agrees(text, (x, 4), (x, 50), (x, 100), (x, 0), (x[:0], 4))
    assert re.search(r"positions = .*positions [<>]", made, re.DOTALL)


@pytest.mark.parametrize("body", ["return x[:n].sum(), x[n]", "s = x[:n].mean()\n    return s", "x[:n] = 0\n    return x"])
def test_a_bound_that_may_be_negative_needs_positions_first(body):
    """The mask of positions stood ahead of the positions."""
    text = f"import numpy as np\n\ndef f(x: np.ndarray):\n    n = np.argmax(x) - 1\n    {body}\n"
    check_agrees(text, *((RNG.permutation(5) * 1.0,) for _ in range(4)))


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(B.shape[0]):\n        B[i] += A[i + 1:, i] @ B[i + 1:]",
        "for i in range(B.shape[0]):\n        B[i] += np.dot(A[i + 1:, i], B[i + 1:])",
        "for i in range(A.shape[0] - 1):\n        B[i] = A[i, : i + 1] @ B[: i + 1]",
        "y = np.zeros(len(B))\n    for i in range(A.shape[0]):\n        y[i] = np.sum(A[i, :i] * B[:i])\n    B[:] = y",
    ],
)
def test_a_matrix_in_a_vectors_place_meets_the_slice_with_the_same_axis(body):
    """`x[i + 1:] @ B[i + 1:]` is a row where B is a matrix: the sum of `x * B` was of other elements, and of as many."""
    text = f"import numpy as np\n\ndef f(A: np.ndarray, B: np.ndarray):\n    {body}\n    return B\n"
    A = np.arange(16.0).reshape(4, 4) ** 1.5
    made = check_agrees(text, (A, np.arange(4.0)))
    for rows in (A.copy(), A[:, :3].copy(), A[:, :1].copy()):
        with pytest.raises(AssertionError):
            run(made)["f"](jnp.asarray(A), jnp.asarray(rows))


@pytest.mark.parametrize("read", ["w.mean()", "np.std(w)", "w.mean() + 2 * w.std()", "np.var(w, ddof=0) - np.mean(w)"])
@pytest.mark.parametrize("slice_", ["x[i - n + 1 : i + 1]", "x[n - 1 : i + 1]", "x[: i + 1]"])
def test_a_mean_of_what_a_variable_holds(read, slice_):
    """The whole array was averaged: of Bollinger bands, all came out the same."""
    made = check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray, n: int):
            up = np.zeros(len(x))
            for i in range(n - 1, len(x)):
                w = {slice_}
                up[i] = {read}
            return up
        """,
        (vector(6), 3),
        (vector(6, (1, NAN), (5, INF)), 2),
        (vector(3), 1),
    )
    assert "@functools.partial(jax.jit" in made or "@jax.jit" in made, made


@pytest.mark.parametrize("store", ["d[i : i + len(p)] ^= p", "d[i : i + len(p)] = p", "d[i : i + len(p)] += p"])
@pytest.mark.parametrize("head", ["x, p", "x: np.ndarray, p: np.ndarray"])
def test_a_slice_of_constant_length_is_given_an_array_of_that_length(store, head):
    """It was given to all positions of the axis, and JAX raised."""
    text = f"def f({head}):\n    d = np.concatenate([x, np.zeros(len(p) - 1, dtype=x.dtype)])\n"
    text += f"    for i in range(len(x)):\n        if d[i] == 1:\n            {store}\n    return d\n"
    bits = np.array([1, 0, 1, 1, 0, 1])
    check_agrees("import numpy as np\n\n" + text, (bits, bits[:3]), (bits, bits), (bits[:2], bits[:1]), keep=True)


@pytest.mark.parametrize("body", ["out[s] = x[s] * 2", "out[s] += x[s].sum()"])
def test_a_slice_that_a_variable_holds(body):
    """JAX raised IndexError: it takes no slice of traced numbers."""
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, h: int):\n    out = np.zeros(len(x))\n    for i in range(len(x) // h):\n        s = slice(i * h, (i + 1) * h)\n        {body}\n    return out\n"
    check_agrees(text, (vector(8), 2), (vector(9), 3), (vector(2), 5))
