"""What boolean masks select, where a mask on the whole array does as well."""

import textwrap

import jax
import numpy as np
import pytest
from differential import check_agrees, convert, run

NAN = np.nan
X = np.array([1.0, -2.0, 3.0, 0.5, -0.25])
CALLS = [(X,), (np.abs(X),), (-np.abs(X),), (np.array([NAN, 1.0, -1.0, 2.0, np.inf]),), (X.reshape(5, 1) * np.ones(3),)]

READS = {
    "sum": "x[x > 0].sum()",
    "mean": "np.mean(x[x > 0])",
    "method mean": "x[x > 0].mean()",
    "std": "x[x > 0].std()",
    "prod": "np.prod(x[x < 2])",
    "any": "np.any(x[x > 0] > 2)",
    "all": "(x[x > 0] < 2).all()",
    "count": "np.count_nonzero(x[x > 0] < 2)",
    "scaled": "np.sum(2 * x[x > 0] + 1)",
    "two": "np.sum(x[x > 0] * y[x > 0])",
    "function": "np.sum(np.log(x[x > 0]))",
    "quotient": "np.sum(1 / x[x != 0])",
    "where": "np.mean(np.where(x[x > 0] > 1, 1.0, x[x > 0]))",
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reads(read):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        y = x + 1
        return {read}
    """
    made = check_agrees(text, *CALLS)
    assert "@jax.jit" in made, made


STORES = {
    "root": "x[x > 0] = np.sqrt(x[x > 0])",
    "same": "x[x > 0] = 2 * x[x > 0] - 1",
    "other": "x[x > 0] = y[x > 0]",
    "add": "x[x > 0] += y[x > 0]",
    "divide": "x[x != 0] /= x[x != 0]",
    "mean": "x[x > 0] -= np.mean(x[x > 0])",
    "twice": "x[x < 0] = -x[x < 0] ; x[x > 1] = np.log(x[x > 1])",
    "held": "v = x[x > 0] ; m = v.mean() ; x[x < m] = m",
}


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_stores(store):
    text = "import numpy as np\n\ndef f(x: np.ndarray):\n    y = x + 1\n" + textwrap.indent(store.replace(" ; ", "\n"), "    ")
    made = check_agrees(text + "\n    return x\n", *CALLS)
    assert "@jax.jit" in made, made


def test_a_selection_that_a_variable_holds():
    made = check_agrees(
        """
        import numpy as np

        def f(data, radius, npt):
            rmax = radius.max()
            res = np.zeros(npt)
            for i in range(npt):
                low, high = rmax * i / npt, rmax * (i + 1) / npt
                mask = np.logical_and(low <= radius, radius < high)
                values = data[mask]  # of one ring
                res[i] = values.mean()
            return res
        """,
        (X, np.abs(X), 4),
        (np.array([NAN, 1.0, 2.0]), np.array([0.5, 1.5, 2.5]), 3),
    )
    assert "values.mean(where=mask)" in made and "# of one ring" in made and "assert data.ndim == mask.ndim" in made


@pytest.mark.parametrize(
    "body",
    [
        "return np.median(x[x > 0])",
        "return x[x > 0]",
        "return len(x[x > 0])",
        "return np.sum(np.sort(x[x > 0]))",
        "return x[x > 0] @ x[x > 0]",  # of a matrix, it is another product
        "return np.sum(x[x > 0] * x[x > 1])",
        "return np.sum(x[x > 0] * w)",
        "return x[x > 0].sum(axis=0)",
        "v = x[x > 0]\n    x[0] = 5.0\n    return v.sum()",
        "v = x[x > 0]\n    x = x + 1\n    return v.sum()",
        "v = x[x > 0]\n    v[0] = 2.0\n    return v.sum()",
        "for k in range(2):\n        v = x[x > k]\n    return v.sum()",
        "x[x > 0] = w\n    return x",
    ],
)
def test_what_else_is_done_with_a_selection(body):
    text = f"import numpy as np\n\ndef f(x: np.ndarray, w):\n    {body}\n"
    made = check_agrees(text, (X.copy(), np.arange(3.0)), keep=True)
    assert "@jax.jit" not in made, made


def test_derivatives_stay_finite():
    text = "import numpy as np\n\ndef f(x: np.ndarray):\n    return np.sum(np.sqrt(x[x > 0])) + np.sum(1 / x[x > 0])\n"
    f = run(convert(text)[0])["f"]
    assert np.all(np.isfinite(jax.grad(f)(np.array([4.0, 0.0, -1.0]))))


@pytest.mark.parametrize("value", ["1", "0", "-1"])
@pytest.mark.parametrize("given", ["m: np.ndarray, x: np.ndarray", "m, x"])
def test_an_integer_that_is_stored_into_bools_is_one_of_them(value, given):
    """`jnp.where(x > 0, 1, m)` made integers of bools, and indices of a mask."""
    text = f"import numpy as np\n\ndef f({given}):\n    x = np.abs(x)\n    m[m == (x > 1)] = {value}\n    m[x > m] = 0\n    return np.sum(x), m, ~m\n"
    check_agrees(text, (X > 0, X), (np.array([3, 0, 2, 0, 1]), X), (np.array([3, 0, 2, 0, 1], np.int8), X), keep=True)


def test_an_integer_that_is_stored_into_what_holds_bools():
    text = "import numpy as np\n\ndef f(m: np.ndarray):\n    m[~m] = 1\n    m[m == 0] = 1\n    return m, np.arange(5)[m]\n"
    check_agrees(text, (X > 0,), keep=True)
