"""What a mask of one dimension selects along an axis of an array: `X[y == k].mean(axis=0)`, `X[mask, j].max()`."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run
from np2jax.tests.programs.generators.slices.row_mask_programs import program

A = np.array([[1.0, -2.0, 3.0], [0.5, -0.25, 4.0], [2.0, 8.0, -1.0], [-3.0, 1.0, 0.0], [0.1, 0.2, 0.3]])
Y = np.array([0, 1, 0, 2, 1])
BAD = A.copy()
BAD[1, 0], BAD[3] = np.nan, np.inf
CALLS = [(A, Y, 0), (A, Y, 7), (BAD, Y, 0), (BAD, Y, 1), (A[:, :1], Y, 1), (A.astype(np.int64), Y, 1), (A[:0], Y[:0], 0)]


def body(text, *calls, compiled=True, keep=False):
    """The converted text of `f(X, y, k)`, which agrees."""
    made = check_agrees(f"import numpy as np\n\ndef f(X: np.ndarray, y: np.ndarray, k: int):\n    {text}\n", *calls, keep=keep)
    assert ("@jax.jit" in made) == compiled, made
    return made


READS = {
    "mean": "X[y == k].mean(axis=0)",
    "numpy's mean": "np.mean(X[y == k], axis=0)",
    "by position": "X[y == k].sum(0)",
    "sum": "X[y == k].sum(axis=0)",
    "std": "X[y == k].std(axis=0)",
    "var": "np.var(X[y == k], axis=0, ddof=1)",
    "prod": "np.prod(X[y == k], axis=0)",
    "any": "np.any(X[y == k] > 1, axis=0)",
    "all": "(X[y == k] < 3).all(axis=0)",
    "count": "np.count_nonzero(X[y == k] > 0, axis=0)",
    "of a column": "X[y == k, 0].sum()",
    "of a column of that": "X[y == k][:, 0].mean()",
    "of some columns": "X[y == k][:, :2].sum(axis=0) + X[y == k, :2].sum(axis=0)",
    "the other axis": "X[y == k].sum(axis=1).sum()",
    "last axis": "X[y == k].sum(axis=-1).mean()",
    "along columns": "X.T[:, y == k].sum(axis=1)",
    "weighted": "np.sum(X[y == k] * X[y == k, 0][:, None], axis=0)",
    "deviations": "((X[y == k] - X.mean(axis=0)) ** 2).sum(axis=0)",
    "scatter": "X[y == k].T @ X[y == k]",
    "number": "X[y == k].sum(axis=0) / len(X[y == k])",
    "rows": "X[y == k].sum(axis=0) / X[y == k].shape[0]",
    "all of it": "X[y == k].sum(axis=0), X[y == k].mean()",
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reads(read):
    made = body(f"n, d = X.shape\n    return {read}", *CALLS)
    assert "assert X.ndim" not in made


@pytest.mark.parametrize(
    "read", ["X[y == k].max(axis=0)", "np.min(X[y == k], axis=0)", "X[y == k, 0].max()", "X[y == k, 0].min()"]
)
def test_extremes(read):
    body(f"n, d = X.shape\n    return {read}", *CALLS)


def test_no_axis_but_the_first_of_a_vector():
    body("m = X[:, 0]\n    return m[m > k].sum(axis=0), np.mean(m[m > k], axis=-1)", *CALLS)
    text = "import numpy as np\n\ndef f(x: np.ndarray):\n    return x[x > 0].sum(axis=0), np.mean(x[x > 0], 0)\n"
    made = check_agrees(text, (A,), (Y,), (BAD,))
    assert "jnp.where(x > 0, x, 0).sum()" in made and "jnp.mean(x, where=x > 0)" in made


def test_the_means_of_all_classes():
    made = body(
        "means = np.zeros((4, X.shape[1]))\n    for c in range(4):\n        Xc = X[y == c]\n        means[c] = Xc.mean(axis=0)\n"
        "    return means",
        *CALLS,
    )
    assert made.count("assert") == 2 and made.index("assert y.ndim == 1") < made.index("for c in")


def test_the_scatter_within_classes():
    made = body(
        "n, d = X.shape\n    S = np.zeros((d, d))\n    for c in range(3):\n        Xc = X[y == c]\n        mu = Xc.mean(axis=0)\n"
        "        S += (Xc - mu).T @ (Xc - mu)\n    return S",
        (A, Y, 0),
        (A[:, :1], Y, 0),
        (BAD, Y, 0),
    )
    assert "Xc" not in made


@pytest.mark.parametrize("head", ["X, y, k", "X: np.ndarray, y, k: int", "X, y, k: int"])
def test_parameters_that_say_nothing(head):
    text = f"import numpy as np\n\ndef f({head}):\n    return X[y == k].mean(axis=0)\n"
    made = check_agrees(text, *CALLS)
    assert "@jax.jit" in made and "where=(y == k)[:, None]" in made


@pytest.mark.parametrize("shapes", [((5,), (5,)), ((5, 2, 2), (5,)), ((5, 3), (5, 3)), ((5, 3), ())])
def test_other_numbers_of_dimensions_are_refused_and_never_wrong(shapes):
    text = "import numpy as np\n\ndef f(X: np.ndarray, y: np.ndarray, k: int):\n    return X[y == k].sum(axis=0)\n"
    f = run(convert(text)[0])["f"]
    with pytest.raises(AssertionError):
        f(np.ones(shapes[0]), np.zeros(shapes[1], int), 0)


STORES = {
    "number": "X[y == k] = 0",
    "row": "X[y == k] = X.sum(axis=0)",
    "same": "X[y == k] = 2 * X[y == k]",
    "add": "X[y == k] += 1",
    "deviations": "X[y == k] -= X[y == k].mean(axis=0)",
    "quotient": "X[y == k] /= X[y == k, 0][:, None]",
    "column": "X[y == k, 0] = 5",
    "column by itself": "X[y == k, 0] *= X[y == k, 1]",
    "some columns": "X[y == k, 1:] = 0",
    "all of them": "X[y == k, :] = 1.5",
    "columns": "X[:, X[0] > 0] = 0",
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_stores(store):
    calls = [call for call in CALLS[:4] if "X[y == k, 1]" not in store or call[0].shape[1] > 1]
    made = body(f"n, d = X.shape\n    s = X[y == k].sum(axis=0)\n    {store}\n    return X, s", *calls)
    assert "jnp.where(" in made


@pytest.mark.quick(9)
@pytest.mark.parametrize(
    "text",
    [
        "return np.median(X[y == k], axis=0)",
        "return X[y == k]",
        "return X[y == k].sum(axis=1)",
        "return np.sort(X[y == k], axis=0).sum(axis=0)",
        "return X[y == k] @ X[y == 1].T",
        "return X[y == k].T @ X[y == 1]",
        "return (X[y == k] - X).sum(axis=0)",
        "return (X[y == k] + X[y == 1]).sum(axis=0)",
        "return (X[y == k] * X[y == k, 0]).sum(axis=0)",
        "return np.cov(X[y == k].T)",
        "return X[y == k][0].sum()",
        "return X[y == k][1:, 0].sum()",
        "v = X[y == k]\n    y[0] = 1\n    return v.sum(axis=0)",
        "v = X[y == k]\n    v[0] = 1\n    return v.sum(axis=0)",
        "v = X[y == k]\n    return v, v.sum(axis=0)",
        "X[y == k] = X[:2]\n    return X",
        "X[y == k] = X[0][:, None]\n    return X",
        "X[y == k] = X[y == 1]\n    return X",
        "a, b = X[y == k].shape\n    return a * b",
        "return np.zeros(X[y == k].shape[0])",
        "return X.T[0, y == k].sum() + X.T[:, None, y == k][0, :, :].sum(axis=1)",
        "Z = X[None]\n    return Z[0, :, X[0] > 0].sum(axis=0)",  # the selected axis comes first, in NumPy
    ],
)
def test_what_else_is_done_with_rows(text):
    body(f"n, d = X.shape\n    {text}", (A.copy(), Y, 0), (BAD.copy(), Y, 2), compiled=False, keep=True)


def test_new_axes_of_what_a_mask_selects():
    """The mask was taken for one of a matrix, which NumPy has not: all was summed up as often as the vector is long."""
    text = "import numpy as np\n\ndef f(x: np.ndarray):\n    return np.sum(x[x > 0][:, None])\n"
    check_agrees(text, (Y * 1.0,), (A[:, 0],))
    made = check_agrees(
        "import numpy as np\n\ndef f(n: int):\n    x = np.arange(n) - 2.0\n    return np.sum(x[x > 0][:, None])\n", (6,)
    )
    assert "(x > 0)[:, None]" in made


def test_an_index_that_is_a_comparison_keeps_jit_away_whatever_it_compares():
    """jit was put on it, and raised: an index under jit has no mask of what it traces."""
    text = "import numpy as np\n\ndef f(X, y, k):\n    return X[y == k]\n"
    assert "@jax.jit" not in check_agrees(text, *CALLS)


def test_derivatives_stay_finite():
    text = "import numpy as np\n\ndef f(X: np.ndarray, y: np.ndarray):\n    n, d = X.shape\n    return np.sum(np.sqrt(X[y > 0]), axis=0).sum()\n"
    f = run(convert(text)[0])["f"]
    assert np.all(np.isfinite(jax.grad(f)((np.abs(A) + 1) * (Y > 0)[:, None], Y)))


def test_the_size_of_what_may_have_more_axes():
    """The elements of a mask of one dimension were counted, whatever stands behind the axis."""
    text = "import numpy as np\n\ndef f(X: np.ndarray, y: np.ndarray):\n    return X[y > 0, 0].size, X[y > 0].size\n"
    check_agrees(text, (A, Y), (np.ones((5, 3, 2)), Y))
    check_agrees(text.replace("X[y > 0, 0].size, X[y > 0].size", "len(X[:, y > 0])"), (A[:3], Y[:3]), (A.T, Y))


def test_parts_and_transposes_of_slices_of_varying_length():
    text = """
    import numpy as np

    def f(a: np.ndarray, x: np.ndarray):
        n, d = a.shape
        out = np.zeros((n, 2))
        for i in range(n):
            out[i, 0] = np.sum(a[:i].T @ x[:i])
            out[i, 1] = (a[:i] * 2)[:, 0].sum() + (a[:i] + 1).T[1].sum()
        return out
    """
    assert "@jax.jit" in check_agrees(text, (A, Y * 1.0), (BAD, A[:, 0]))


@pytest.mark.parametrize(
    "text",
    [
        "m = np.arange(len(y)) != k\n    return X[m].T @ X[m], X[m].T @ y[m]",
        "m = np.arange(len(y)) != k\n    return y[m] @ X[m]",
        "m = np.arange(len(y)) == k\n    return np.linalg.solve(X[m].T @ X[m] + np.eye(X.shape[1]), X[m].T @ y[m])",
    ],
)
@pytest.mark.parametrize("head", ["X, y, k", "X: np.ndarray, y: np.ndarray, k: int"])
def test_a_vector_that_a_matrix_is_multiplied_by(text, head):
    made = check_agrees(f"import numpy as np\n\ndef f({head}):\n    {text}\n", (A, Y * 0.5, 1), (A[:, :1], Y * 0.5, 9))
    assert ("jax.jit" in made or "np" not in head) and "assert y.ndim == 2" not in made, made


def test_leave_one_out():
    """`b`, which is made of it, is multiplied by a row, and y had to be a matrix."""
    text = """
    import numpy as np

    def f(X, y, lam):
        e = 0.0
        for i in range(len(y)):
            m = np.arange(len(y)) != i
            b = np.linalg.solve(X[m].T @ X[m] + lam * np.eye(X.shape[1]), X[m].T @ y[m])
            e += (y[i] - X[i] @ b) ** 2
        return e
    """
    assert "jax.jit" in check_agrees(text, (A, Y * 0.5, 1.0), (A[:, :1], Y * 0.5, 0.1))


CUBE = np.arange(12.0).reshape(2, 3, 2) - 3  # x[0, 0] is no number


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "body",
    [
        "v = x[0]\n    return np.sum(v[v > 1] * x[0, 0])",
        "return np.sum(x[x > 1] * x[0])",
        "return np.sum((x[x > 1] - 2 * x[0]) ** 2)",
        "return x[x[:, 0] > 1, 0].sum() + (x[x[:, 0] > 1, 0] * y[0]).sum()",
        "x[x > 1] = y[0]\n    return y[0] + 1",
        "x[x > 1] += y[0, 0]\n    return x.sum()",
    ],
)
@pytest.mark.parametrize("head", ["x: np.ndarray, y: np.ndarray", "x, y"])
def test_numbers_that_only_their_use_tells(body, head):
    """`x[m] * x[0]` is one with a number where x is a vector: a row of a matrix met other elements, silently. An assert says so."""
    text = f"import numpy as np\n\n\ndef f({head}):\n    {body}\n"
    made, functions, _diagnostics = convert(text)
    for x in (CUBE, CUBE[0], CUBE[0].T.copy(), CUBE[0, 1] * 3, CUBE[1] * 0 + 2):
        for y in (CUBE, CUBE[1], CUBE[1, 1], CUBE[0, 2]):
            try:
                agrees_on(text, made, functions["f"], (x, y))
            except AssertionError as error:
                assert not str(error), error  # that of the converted code


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether it was compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (5, 4):
        matrix, x = rng.normal(size=(n, 3)), rng.normal(size=n)
        if rng.random() < 0.4:
            matrix[int(rng.integers(n)), int(rng.integers(3))] = rng.choice([np.nan, np.inf, -np.inf])
        arguments = (matrix, x, rng.integers(0, 3, size=n), 0.5, int(rng.integers(0, 3)))
        ran |= agrees_on(text, made, functions["f"], arguments, beside=1)
    return ran, "@jax.jit" in made


def test_random_programs_of_rows():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_programs_of_rows(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 10 and any(compiled)
