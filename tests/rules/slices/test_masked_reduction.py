"""What boolean masks select, where a mask on the whole array does as well."""

import textwrap

import jax
import numpy as np
import pytest

from np2jax.rules.core.trapping import SAFE_OPERANDS
from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators.slices.mask_programs import program

test_example = example_of(__name__)

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
    "max": "x[x > -3].max()",
    "min": "np.min(x[x > -3])",
    "amax": "np.amax(x[x >= y - 1])",
    "extremes": "np.max(np.abs(x[x <= y])) - x[x < y].min()",
    "scaled": "np.sum(2 * x[x > 0] + 1)",
    "two": "np.sum(x[x > 0] * y[x > 0])",
    "function": "np.sum(np.log(x[x > 0]))",
    "quotient": "np.sum(1 / x[x != 0])",
    "where": "np.mean(np.where(x[x > 0] > 1, 1.0, x[x > 0]))",
    "length": "len(x[x > 0])",
    "size": "x[x > 0].size + 1",
    "mean by hand": "x[x > 0].sum() / len(x[x > 0])",
}


@pytest.mark.quick(8)
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
    "lesser": "x[x < y] = y[x < y]",
    "two masks": "x[x < 0] = 0 ; x[x > y - 1] = 1",
    "held mask": "m = x < y ; x[m] = y[m]",
    "add": "x[x > 0] += y[x > 0]",
    "divide": "x[x != 0] /= x[x != 0]",
    "mean": "x[x > 0] -= np.mean(x[x > 0])",
    "twice": "x[x < 0] = -x[x < 0] ; x[x > 1] = np.log(x[x > 1])",
    "held": "v = x[x > 0] ; m = v.mean() ; x[x < m] = m",
}


@pytest.mark.quick(5)
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
        "return np.sum(np.sort(x[x > 0]))",
        "return x[x > 0] @ x[x > 0]",  # of a matrix, it is another product
        "return np.sum(x[x > 0] * x[x > 1])",
        "return np.sum(x[x > 0] * w)",
        "return x[x > 0].sum(axis=1)",
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


ONE_OPERAND = sorted(name for name, found in SAFE_OPERANDS.items() if found is not None and found[0] == 0 and hasattr(np, name))


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", [n for n in ONE_OPERAND if "pow" not in n])
def test_derivatives_of_functions_that_may_trap(name):
    """Outside of the mask, they are infinite: `jnp.exp(1e4)`, the derivative of the root at 0."""
    text = f"import numpy as np\n\ndef f(x: np.ndarray, m: np.ndarray):\n    m = m > 0\n    return np.sum(np.{name}(x[m]))\n"
    inside = 1.5 if "cosh" in name else 0.5
    f = run(check_agrees(text, (np.array([inside, inside, 0.25 + inside]), np.array([1, 1, 0]))))["f"]
    for outside in (0.0, 1.0, -1.0, 1e4, -1e4, np.pi / 2):
        assert np.all(np.isfinite(jax.grad(f)(np.array([inside, inside, outside]), np.array([1, 1, 0])))), outside


@pytest.mark.parametrize("call", ["arctan2(x[m], y[m])", "hypot(x[m], y[m])", "logaddexp(x[m], y[m])", "fmod(x[m], y[m])"])
def test_derivatives_of_functions_of_two_selections(call):
    text = (
        "import numpy as np\n\ndef f(x: np.ndarray, y: np.ndarray, k: np.ndarray):\n"
        f"    m = k > 0\n    return np.sum(np.{call})\n"
    )
    k = np.array([1, 1, 0])
    f = run(check_agrees(text, (np.array([0.5, 2.0, 0.0]), np.array([0.5, 2.0, 0.0]), k)))["f"]
    for outside in (0.0, -np.inf):
        given = np.array([0.5, 2.0, outside])
        assert np.all(np.isfinite(np.array(jax.grad(f, (0, 1))(given, given, k)))), outside


@pytest.mark.quick(3)
@pytest.mark.parametrize("value", ["1", "0", "-1"])
@pytest.mark.parametrize("mask", ["~m", "m == 0", "m > 0", "m == (x > 1)"])
def test_an_integer_that_is_stored_into_what_may_hold_bools(mask, value):
    """`jnp.where(m == 0, 1, m)` made integers of bools, and indices of a mask."""
    text = f"import numpy as np\n\ndef f(m: np.ndarray, x: np.ndarray):\n    m[{mask}] = {value}\n    return m, np.arange(5)[m]\n"
    calls = [(m, X) for m in (X > 0, np.array([3, 0, 2, 0, 1]), np.array([3, 0, 2, 0, 1], np.int8))]
    made = check_agrees(text, *(calls if mask != "~m" else calls[:1]), keep=True)
    compiled = check_agrees(text.replace(", np.arange(5)[m]", ""), *(calls if mask != "~m" else calls[:1]))
    assert "@jax.jit" not in made and ("@jax.jit" in compiled or mask == "~m")


@pytest.mark.quick(3)
@pytest.mark.parametrize("index", ["~m", "m & (y > 0)", "m | ~m", "m ^ m"])
@pytest.mark.parametrize(
    "body", ["x[{}] = 1\n    return x", "return x[{}]", "w = {}\n    return x[w]", "w = {}\n    x[w] += 1\n    return x"]
)
def test_bits_of_an_array_that_nobody_knows_may_be_a_mask(index, body):
    """They were indices, and jit refuses masks of bools as such."""
    text = f"import numpy as np\n\ndef f(x: np.ndarray, y: np.ndarray, m: np.ndarray):\n    {body.format(index)}\n"
    check_agrees(text, (X.copy(), -X, X > 0), keep=True)
    if "y" not in index:
        check_agrees(text, (X.copy(), -X, np.array([1, 0, 2])), keep=True)


HELD = {
    "deviations": "y = x[x > x.mean()]\n    m = y.mean()\n    d = y - m\n    return np.sum(d ** 2)",
    "length": "y = x[x > 0]\n    if len(y) == 0:\n        return 0.0\n    return y.std() / np.sqrt(len(y))",
    "first of the shape": "v = x[x > 0]\n    return v.shape[0], v.sum()",
    "no length": "y = x[x > 0]\n    return y.mean() if y.size else 0.0",
    "logarithms": "d = np.log(x[x > 0])\n    return np.sum(d), d.max()",
    "same name": "x = x[~np.isnan(x)]\n    return x.mean(), len(x)",
    "same name later": "s = x.sum()\n    x = x[x > 0]\n    d = x - x.mean()\n    return s, np.sum(d ** 2) / x.size",
    "shares": "p = x / np.sum(np.abs(x))\n    p = p[p > 0]\n    return -np.sum(p * np.log(p))",
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", HELD)
def test_what_is_made_of_a_selection_counts_where_it_does(name):
    """Of `d = y - m` with y = x[x > 0] all elements were summed up."""
    text = f"import numpy as np\n\ndef f(x: np.ndarray):\n    {HELD[name]}\n"
    made = check_agrees(text, *CALLS)
    assert "@jax.jit" in made, made


CHANGING = {
    "array": "y = x[x > 0]\n    d = y * 2\n    x = x + 5\n    return np.sum(d ** 2) + x.sum()",
    "mask": "m = x > 0\n    d = np.log(x[m])\n    m = x > 1\n    return np.sum(d ** 2) + m.sum()",
    "mask in place": "m = x > 0\n    d = 1 / x[m]\n    m[0] = False\n    return np.sum(d), m",
    "returned": "y = x[x > 0]\n    d = y - 1\n    return d, y.sum()",
    "length of it": "y = x[x > 0]\n    d = y - 1\n    return len(d), np.sum(d)",
    "number in another mask": "v = x[x > 0]\n    m = x[x > v.mean()]\n    return m.sum(), np.mean(m)",
    "number in a mask that is read": "v = x[x > 0]\n    return x[x > v.mean()].sum()",
    "number in a mask that is stored by": "v = x[x > 0]\n    x[x > v.mean()] = 0\n    return x",
    "in another mask": "y = np.arange(5.0)\n    v = x[x > 0.5]\n    y[y > v] = y[y > v] / 2\n    return y, v.sum()",
    "same name in another mask": "y = np.arange(5.0)\n    x = x[x == x.max()]\n    y[y > x] = 2\n    return y, x.sum()",
    "read under a mask of it": "y = np.arange(5.0)\n    x = x[x == x.max()]\n    return y[y > x].sum(), x.sum()",
    "same name in a loop": "for k in range(2):\n        x = x[x > k]\n    return x.sum()",
    "same name twice": "x = x[x > -2]\n    x = x[x > 0]\n    return x.sum()",
    "same name under a test": "if len(x) > 2:\n        x = x[x > 0]\n    return x.sum()",
    "same name and stored": "x = x[x > 0]\n    x[0] = 3\n    return x.sum()",
    "turns": "for k in range(len(x[x > 0])):\n        x = x + k\n    return x",
    "sizes": "n = len(x[x > 0])\n    return np.zeros(n)",
    "shape": "v = x[x > 0]\n    return v.shape, v.sum()",
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", CHANGING)
def test_a_selection_that_changes_or_is_used_otherwise_stays_one(name):
    text = f"import numpy as np\n\ndef f(x: np.ndarray):\n    {CHANGING[name]}\n"
    made = check_agrees(text, *CALLS[:4], keep=True)
    assert "@jax.jit" not in made, made


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether it was compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (5, 3):
        x, y = rng.normal(size=n), rng.normal(size=n)
        if rng.random() < 0.4:
            x[int(rng.integers(n))] = rng.choice([np.nan, np.inf, -np.inf])
        ran |= agrees_on(text, made, functions["f"], (x, y, 0.5), beside=1)
    return ran, "@jax.jit" in made


def test_random_selections():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_selections(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 10 and any(compiled)


def test_a_mask_of_an_array_that_is_made_of_many_has_its_shape():
    text = """
        import numpy as np


        def f(pos, softening):
            x = pos[:, 0:1]
            y = pos[:, 1:2]
            z = pos[:, 2:3]
            r = (x.T - x) ** 2 + (y.T - y) ** 2 + (z.T - z) ** 2 + softening ** 2
            r[r > 0] = r[r > 0] ** -1.5
            return r
    """
    pos = np.arange(12.0).reshape(4, 3) % 5
    assert "@jax.jit" in check_agrees(text, (pos, 0.1), (pos, 0.0))


@pytest.mark.parametrize("read", ["np.sum(y[m] == c) ** 2", "np.sum(y[m])", "len(y[m])"])
def test_a_mask_of_what_nobody_knows_selects_from_what_nobody_knows(read):
    """The function was compiled with the mask as an index, and JAX raised."""
    text = f"import numpy as np\n\ndef f(y, x, c):\n    m = x > 0\n    return {read}\n"
    check_agrees(text, (np.array([0, 1, 0, 2, 1]), X, 1), keep=True)


@pytest.mark.quick(3)
@pytest.mark.parametrize("mask", ["x.ravel() > 0", "np.diagonal(x) > 0", "x[0] > 0", "x.sum(axis=1) > 0", "x @ x[0] > 0"])
@pytest.mark.parametrize("use", ["x[m] = 0\n    return x", "return x[m].sum()", "x[m] += 1\n    return x"])
def test_a_mask_that_is_made_of_the_array_otherwise_may_have_fewer_dimensions(mask, use):
    column = np.array([[2.0], [-1.0], [3.0]])
    calls = [(column,)] if "ravel" in mask else [(np.array([[1.0, 2.0, -9.0], [-3.0, 4.0, 1.0], [0.5, -8.0, 2.0]]),)]
    check_agrees(f"import numpy as np\n\ndef f(x: np.ndarray):\n    m = {mask}\n    {use}\n", *calls, keep=True)
