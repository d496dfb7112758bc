"""Positions where a condition holds, of which the first, the last, their number or numbers made of them are asked for."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

RNG = np.random.default_rng(23)
NAN, INF = np.nan, np.inf
VECTORS = [
    np.array(v)
    for v in (
        [1.0, -2, 3, -4, 5],
        [-1.0, -2],
        [-1.0],
        [2.0],
        [NAN, 1.0, NAN],
        [NAN],
        [INF, -INF, 0.0, -0.0, 1e-300],
    )
]
FOUND = ["np.where(x > 0)[0]", "np.nonzero(x > 0)[0]", "np.flatnonzero(x > 0)"]

READS = {
    "first": "p[0]",
    "last": "p[-1]",
    "second": "p[1]",
    "width": "p[-1] - p[0]",
    "times": "2 * p[-1] + 1",
    "least": "p.min()",
    "greatest": "np.max(p)",
    "mean": "p.mean()",
    "sum": "np.sum(p)",
    "moment": "np.sum((p - 2) ** 2)",
    "weighted": "np.sum(p * x[p])",
    "deviation": "np.std(p)",
    "comparison": "np.any(p > 2)",
    "number": "len(p), p.size, p.shape[0]",
    "several": "len(p), p[0], p.mean(), x[p].sum()",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("found", FOUND)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reads(read, found):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        p = {found}
        return {read}
    """
    made = check_agrees(text, *((x,) for x in (*VECTORS, np.zeros(0))))
    assert "@jax.jit" in made, made


GUARDED = {
    "length": "if len(p) > 0:\n            return p[0]\n        return -1",
    "none": "if len(p) == 0:\n            return -1\n        return p[-1]",
    "size": "if p.size:\n            k = p[0]\n        else:\n            k = -1\n        return k",
    "expression": "return p[0] if len(p) else -1",
    "two": "return p[1] - p[0] if len(p) > 1 else 0",
    "shape": "if p.shape[0] >= 2:\n            return p[-1] - p[0]\n        return 0",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("found", FOUND)
@pytest.mark.parametrize("guarded", GUARDED.values(), ids=GUARDED)
def test_where_a_test_asks_whether_there_is_one(guarded, found):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        p = {found}
        {guarded}
    """
    made = check_agrees(text, *((x,) for x in (*VECTORS, np.zeros(0))))
    assert "@jax.jit" in made, made


def test_a_loop_that_looks_for_the_first_in_each_iteration():
    text = """
    import numpy as np

    def f(x: np.ndarray, at: np.ndarray):
        out = np.zeros(len(at))
        for k in range(len(at)):
            p = np.where(x >= at[k])[0]
            if len(p) > 0:
                out[k] = x[p[0]] + len(p)
        return out
    """
    calls = [(np.sort(RNG.normal(size=7)), RNG.normal(size=5)), (np.array([NAN, 1.0]), np.array([0.0, 2.0, NAN]))]
    made = check_agrees(text, *calls)
    assert "lax.fori_loop" in made or "lax.scan" in made or "jax.vmap" in made, made


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (4, 1), (0, 3)])
@pytest.mark.parametrize("read", ["p[0]", "p[-1]", "p.max()", "len(p)", "p[0] if len(p) else -1"])
def test_rows_where_one_of_the_items_is(read, shape):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        p = np.where(x > 0)[0]
        return {read}
    """
    assert "@jax.jit" in check_agrees(text, (RNG.normal(size=shape),), (np.abs(RNG.normal(size=shape)),))


def test_flat_positions_of_a_matrix():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        p = np.flatnonzero(x > 0)
        return p[0], len(p)
    """
    assert "@jax.jit" in check_agrees(text, (RNG.normal(size=(3, 4)),), (-np.eye(3) + 0.5,))


def test_along_each_axis():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        p = np.where(x > 0)
        if len(p[0]) == 0:
            return -1
        return p[0][0]
    """
    assert "@jax.jit" in check_agrees(text, *((x,) for x in VECTORS), (RNG.normal(size=(2, 3)),))


@pytest.mark.quick(4)
@pytest.mark.parametrize("x", [*VECTORS, np.array([0, 3, 0, -2]), np.array([True, False, True]), np.array([0, 2], np.uint8)])
def test_items_that_are_not_zero(x):
    text = """
    import numpy as np

    def f(x: np.ndarray):
        p = np.nonzero(x)[0]
        q = np.nonzero(x)
        return len(p), p[0] if len(p) else -1, x[q].sum()
    """
    assert "@jax.jit" in check_agrees(text, (x,))


def test_a_quotient_of_those_that_are_not_zero():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        p = np.nonzero(x)
        x[p] = 1 / x[p]
        return x
    """
    made = check_agrees(text, *((x,) for x in VECTORS if x.dtype == float), (np.array([0, 1, -1]),))
    assert "@jax.jit" in made


STAYS = {
    "stored into": "p[0] = 7\n        return p.sum()",
    "sorted": "p.sort()\n        return p[0]",
    "changed": "p += 1\n        return p[0]",
    "deleted": "q = p\n        del p\n        return q[0]",
    "bound again": "p = p[1:]\n        return len(p)",
    "handed on": "return g(p)",
    "given back": "return p",
    "neighbours": "return np.diff(p).sum()",
    "a part": "return p[1:].sum()",
    "from behind": "return p[-2]",
    "a position that varies": "return p[len(p) // 2]",
    "moved": "return x[p - 1].sum()",
    "unpacked": "a, b = p[0], p[-1]\n        p[0], c = 5, 6\n        return a, b, p.sum()",
    "in a function": "h = lambda: p[0]\n        return h()",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("found", FOUND)
@pytest.mark.parametrize("lines", STAYS.values(), ids=STAYS)
def test_what_else_is_done_with_them_stays(lines, found):
    text = f"""
    import numpy as np

    def g(p):
        p[0] = 1
        return p.sum()

    def f(x: np.ndarray):
        p = {found}
        {lines}
    """
    made = check_agrees(text, *((x,) for x in VECTORS), keep=True)
    assert "arange" not in made and "size=1" not in made.partition("def f")[2], made


def test_a_keyword_and_an_attribute_of_the_same_name():
    text = """
    import numpy as np

    def g(x, p=0):
        return x + p

    def f(x: np.ndarray):
        p = np.where(x > 0)[0]
        return g(len(p), p=3)
    """
    check_agrees(text, *((x,) for x in VECTORS), keep=True)


@pytest.mark.parametrize("name", ["where(x > 0)[0]", "nonzero(x > 0)[0]", "flatnonzero(x > 0)"])
def test_functions_that_are_imported_by_name(name):
    text = f"""
    from numpy import {name.partition("(")[0]}
    import numpy as np

    def f(x: np.ndarray):
        p = {name}
        return len({name}), p.size
    """
    check_agrees(text, *((x,) for x in VECTORS))


NORMS = {
    "norm": "np.linalg.norm(x[x > 0])",
    "norm of what is computed": "np.linalg.norm(2 * x[x > 0] + 1)",
    "nansum": "np.nansum(x[x < 3])",
    "nanprod": "np.nanprod(x[x < 3])",
    "nanmean": "np.nanmean(x[~(x > 3)])",
    "nanstd": "np.nanstd(x[~(x > 3)])",
    "nanvar": "np.nanvar(x[~(x > 3)])",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("read", NORMS.values(), ids=NORMS)
def test_norms_and_sums_without_nan(read):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        return {read}
    """
    calls = [(x,) for x in (*VECTORS, np.zeros(0), RNG.normal(size=(3, 4)))]
    assert "@jax.jit" in check_agrees(text, *calls)


def test_norms_of_integers():
    text = """
    import numpy as np

    def f(x: np.ndarray):
        return np.linalg.norm(x[x > 0]), np.nansum(x[x > 1])
    """
    check_agrees(text, (np.array([1, 2, -3]),), (np.array([-1]),), (np.array([3, 0, 5]),))


@pytest.mark.parametrize("read", ["np.linalg.norm(x[x > 0], 1)", "np.linalg.norm(x[x > 0], ord=np.inf)"])
def test_other_norms_stay(read):
    text = f"""
    import numpy as np

    def f(x: np.ndarray):
        return {read}
    """
    made = check_agrees(text, *((x,) for x in VECTORS[:4]))
    assert "@jax.jit" not in made


def test_norms_of_slices_whose_length_varies():
    text = """
    import numpy as np

    def f(x: np.ndarray, A: np.ndarray):
        y = np.zeros(len(x))
        for i in range(len(x)):
            y[i] = np.linalg.norm(x[:i]) + np.linalg.norm(A[i, i:]) + np.linalg.norm(A[i:, 0:2], axis=0)[0]
        return y
    """
    made = check_agrees(text, (RNG.normal(size=5), RNG.normal(size=(5, 5))), (np.array([NAN, 1.0]), RNG.normal(size=(2, 2))))
    assert "for i in range" not in made


def test_nothing_is_written_otherwise_where_jit_keeps_away():
    made = convert("""
    import numpy as np

    def f(x: np.ndarray):
        p = np.where(x > 0)[0]
        print(p)
        return p[0]
    """)[0]
    assert "p = jnp.where(x > 0)[0]" in made


def test_a_mask_of_two_lines():
    text = """
    import numpy as np

    def picked(x: np.ndarray, count):
        total = 0.0
        for i in range(count):
            found = np.where(x ==
                             x[i])
            total += x[found[0][0]] * i
        return total
    """
    assert "@jax.jit" in check_agrees(text, (VECTORS[0], 2), function="picked")


@pytest.mark.parametrize("use", ["np.max(p, initial=3)", "max(p)", "p.max(initial=4)", "p.tolist()"])
def test_other_uses_need_the_positions(use):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, v: float):\n    p = np.where(x > v)[0]\n    if len(p) == 0:\n        return -1\n    return {use}\n"
    x = np.array([1.0, -2.0, 3.0, 0.5, -0.25])
    assert "p = jnp.where(x > v)[0]" in check_agrees(text, (x, 0.6), (x, 9.0), keep=True)


def test_a_method_that_is_called_later_needs_the_positions():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, v: float):\n    p = np.where(x > v)[0]\n    mean = p.mean\n    return mean()\n"
    assert "p = jnp.where(x > v)[0]" in check_agrees(text, (np.array([1.0, -2.0, 3.0]), 0.5), keep=True)
