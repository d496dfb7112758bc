"""Loops that fill rows and columns of a matrix up to their own number, or from there on: both triangles at once."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees

RNG = np.random.default_rng(0)
SQUARE = [RNG.normal(size=(n, n)) for n in (1, 2, 5)]
WILD = np.array([[1.0, np.nan, 2.0], [np.inf, 0.0, -1.0], [3.0, -np.inf, 1e3]])
MATRICES = [*SQUARE, WILD, np.arange(16).reshape(4, 4), np.arange(16, dtype=np.int8).reshape(4, 4) * 7, WILD > 0]


def source(store, start="np.ones((n, n))", iterations="n", before=()):
    lines = "".join(f"        {line}\n" for line in (*before, *(store if isinstance(store, list) else [store])))
    return f"""import numpy as np

def f(x: np.ndarray):
    n = x.shape[1]
    c = {start}
    for i in range({iterations}):
{lines}    return c
"""


def in_parallel(text, *calls):
    made = check_agrees(text, *calls)
    assert "vmap" in made and "fori_loop" not in made, made
    return made


def one_by_one(text, *calls):
    made = check_agrees(text, *calls)
    assert "vmap" not in made, made


STORES = [
    "c[i, i:] = c[i:, i] = x[i] @ x[:, i:]",
    "c[i:, i] = c[i, i:] = x[i] @ x[:, i:]",
    "c[i, i:n] = c[i:n, i] = x[i] @ x[:, i:n]",
    "c[i + 1:, i] = c[i, i + 1:] = x[i] @ x[:, i + 1:]",
    "c[i, :i] = c[:i, i] = x[:, i] @ x[:, :i]",
    "c[:i + 1, i] = c[i, :i + 1] = x[i, :i + 1] * x[i, i]",
    "c[i, i:] = x[i, i:] * 2",
    "c[i:, i] = x[i, i:] - x[i, i]",
    "c[i, :i] = np.sum(x[i])",
    "c[i, i + 1:] = 3",
    "c[i, i:] = c[i:, i] = i",
    ["v = x[i] @ x[:, i:]", "c[i, i:] = v", "c[i:, i] = v"],
    ["v = x[i, i + 1:] * x[i, i]", "c[i + 1:, i] = v", "c[i, i + 1:] = v"],
]


@pytest.mark.quick(5)
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("start", ["np.zeros((n, n))", "np.eye(n)", "np.full((n, n), 7)"])
def test_triangles(store, start):
    matrices = [m for m in MATRICES if "7" not in start or m.dtype.kind not in "f" or np.isfinite(m).all()]
    if "- x" in str(store):
        matrices = [m for m in matrices if m.dtype != bool]
    in_parallel(source(store, start), *((m,) for m in matrices))


@pytest.mark.parametrize("iterations", ["1, n", "n - 1", "2, n - 1"])
def test_some_iterations(iterations):
    in_parallel(source("c[i, i:] = c[i:, i] = x[i] @ x[:, i:]", iterations=iterations), *((m,) for m in MATRICES if len(m) > 2))


def test_no_iterations():
    in_parallel(source("c[i, i:] = c[i:, i] = x[i] @ x[:, i:]"), (np.zeros((0, 0)),))
    in_parallel(source("c[i, i:] = c[i:, i] = x[i] @ x[:, i:]", iterations="3, n"), (SQUARE[1],), (SQUARE[0],))


def test_both_triangles_are_one_expression_each():
    made = in_parallel(source("c[i + 1:, i] = c[i, i + 1:] = x[i] @ x[:, i + 1:]", iterations="n - 1"), (SQUARE[-1],))
    assert "c = c.at[:-1].set(jnp.where(stored, values, c[:-1]))" in made, made
    assert "c = c.at[:, :-1].set(jnp.where(stored.T, values.T, c[:, :-1]))" in made, made


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "store",
    [
        "c[i, i:] = c[i:, i] = x[i, i:] * c[0, 0]",  # it reads what it stores
        "c[i, i:] = c[i:, 0] = x[i, i:]",  # column 0 is stored in every iteration
        "c[i, i:] = c[i:, n - 1 - i] = x[i, i:]",
        "c[0, i:] = x[i, i:]",
        "c[i // 2, i:] = x[i, i:]",
        ["c[i, i:] = x[i, i:]", "c[i:, i] = c[i, i:]"],
        ["v = x[i, i:]", "c[i, i:] = v", "v = v * 2", "c[i:, i] = v"],
        ["c[i, i:] = x[i, i:]", "c[i, :i] = x[i, :i] * 2"],
        ["c[i, i:] = x[i, i:]", "x[i, i:] = 0"],
    ],
)
def test_iterations_that_meet_stay_one_after_the_other(store):
    text = source(store)
    made = check_agrees(text, *((m,) for m in MATRICES))
    assert "c.at[i].set" in made or "c.at[:, i].set" in made or "fori_loop" in made or "for i in" in made, made


def test_what_is_read_after_the_loop_and_changed_before():
    text = """import numpy as np

def f(x: np.ndarray):
    n = x.shape[1]
    c = np.zeros((n, n))
    c[0] = 5
    for i in range(1, n):
        c[i, i:] = c[i:, i] = x[i] @ x[:, i:]
    c[-1] += 1
    return c, c[0].sum()
"""
    in_parallel(text, *((m,) for m in MATRICES if len(m)))
