"""Sums over what lies between one bound and the next, as over the rows of a sparse matrix in CSR format, are made in one pass."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

TEXT = """\
import numpy as np


def f(p: np.ndarray, v: np.ndarray, c: np.ndarray, x: np.ndarray):
    n = p.shape[0] - 1
    y = np.zeros(n)
    for i in range({turns}):
        {body}
    return y
"""
BODIES = {
    "a product": "y[i] = v[p[i]:p[i + 1]] @ x[c[p[i]:p[i + 1]]]",
    "parts with names": "vals = v[p[i]:p[i + 1]]\n        cols = c[p[i]:p[i + 1]]\n        y[i] = np.dot(vals, x[cols])",
    "a sum": "y[i] = np.sum(v[p[i]:p[i + 1]])",
    "a method": "y[i] = (v[p[i]:p[i + 1]] * 2).sum() + x[i]",
    "a sum of products": "y[i] += np.sum(v[p[i]:p[i + 1]] * x[c[p[i]:p[i + 1]]]) - 1",
    "two sums": "y[i] = np.sum(v[p[i]:p[i + 1]]) / (1 + np.sum(c[p[i]:p[i + 1]]))",
    "bounds with names": "a = p[i]\n        b = p[i + 1]\n        y[i] = np.sum(v[a:b])",
    "bounds and parts with names": "a, b = p[i], p[i + 1]\n        part = v[a:b]\n        y[i] = part.sum()",
    "a method of rows": "row = v[p[i]:p[i + 1]]\n        s = np.sqrt(np.abs(row.sum()))\n        y[i] = s + i",
}
V = np.array([1.5, -2.0, 3.0, np.nan, 0.25, 4.0, np.inf, -1.0])
C = np.array([0, 3, 1, 2, 2, 0, 4, 1])
X = np.array([1.0, -0.5, 2.0, 0.0, 3.0])
BOUNDS = {
    "all": [0, 2, 5, 8],
    "nothing in between": [0, 0, 3, 3, 3, 8],
    "not from the first on": [2, 3, 5],
    "beyond the last": [0, 4, 9, 12],
    "not in order": [4, 1, 6, 2],
    "from the end": [-5, -2, 8],
    "one": [3],
    "small integers": np.array([0, 2, 5, 8], dtype=np.uint8),
}


def given(bounds, dtype=float):
    with np.errstate(all="ignore"):
        return np.asarray(BOUNDS[bounds]), V.astype(dtype), C, X


@pytest.mark.quick(4)
@pytest.mark.parametrize("body", BODIES)
def test_of_all_iterations(body):
    made = check_agrees(TEXT.format(turns="n", body=BODIES[body]), *(given(bounds) for bounds in BOUNDS))
    assert "_segment_sums(" in made


@pytest.mark.parametrize("iterations", ["1, n", "n - 1", "len(p) - 1"])
def test_of_some_iterations(iterations):
    made = check_agrees(TEXT.format(turns=iterations, body=BODIES["a product"]), given("all"), given("nothing in between"))
    assert "_segment_sums(" in made


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8, np.complex128])
@pytest.mark.parametrize("body", ["a product", "a sum"])
def test_of_other_dtypes(body, dtype):
    text = TEXT.format(turns="n", body=BODIES[body]).replace("np.zeros(n)", "np.zeros(n, dtype=complex)")
    check_agrees(text, given("all", dtype), given("not in order", dtype))


OTHERS = {
    "bounds of two arrays": "y[i] = np.sum(v[p[i]:c[i + 1]])",
    "other bounds for each factor": "y[i] = v[p[i]:p[i + 1]] @ x[c[i]:c[i + 1]] if i > 2 else 0.0",
    "two items on": "y[i] = np.sum(v[p[i]:p[i + 1]]) if i < 2 else np.sum(v[p[i - 2]:p[i]])",
    "the index among the factors": "y[i] = np.sum(v[p[i]:p[i + 1]] * x[i])",
    "the greatest": "y[i] = np.max(v[p[i]:p[i + 1]], initial=0)",
    "an item of it as well": "row = v[p[i]:p[i + 1]]\n        y[i] = np.sum(row) + row[0]",
    "its length as well": "row = v[p[i]:p[i + 1]]\n        y[i] = np.sum(row) + len(row)",
    "what the loop changes": "y[i] = np.sum(y[p[i]:p[i + 1]]) + 1",
    "bounds that the loop changes": "y[i] = np.sum(v[p[i]:p[i + 1]])\n        p[i + 1] = p[i] + 1",
}


@pytest.mark.quick(4)
@pytest.mark.parametrize("body", OTHERS)
def test_others_are_left(body):
    made = check_agrees(TEXT.format(turns="n", body=OTHERS[body]), given("all"), keep=True)
    assert "_segment_sums(" not in made


def test_an_array_of_more_dimensions_raises():
    text = TEXT.format(turns="n", body=BODIES["a sum"])
    made = {}
    exec(convert(text)[0], made)
    with pytest.raises(AssertionError):
        made["f"](np.array([0, 2]), np.ones((2, 2)), C, X)


def test_derivatives_are_those_of_the_sums():
    made = {}
    exec(convert(TEXT.format(turns="n", body=BODIES["a product"]))[0], made)
    p, v = np.array([0, 2, 2, 5]), np.arange(1.0, 6.0)
    slope = jax.grad(lambda x: (made["f"](p, v, C[:5], x) * jnp.array([1.0, 10.0, 100.0])).sum())(X)
    want = np.zeros(5)
    np.add.at(want, C[:5], v * np.repeat([1.0, 10.0, 100.0], np.diff(p)))
    np.testing.assert_allclose(slope, want)


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = (v[p[i]:p[i + 1]] * 2).sum(initial=1.0)",
        "y[i] = np.sum(v[p[i]:p[i + 1]], initial=1.0)",
        "y[i] = v[p[i]:p[i + 1]].sum(None, int)",
    ],
)
def test_a_sum_with_options_is_none_of_them(body):
    text = TEXT.format(turns="n", body=body)
    bounds, v, c, x = given("all")
    assert "_segment_sums(" not in check_agrees(text, (bounds, np.nan_to_num(v, posinf=2.0), c, x), keep=True)


def test_rows_between_bounds_are_no_segments():
    text = TEXT.format(turns="n", body="y[i] = np.sum(v[p[i]:p[i + 1]])").replace("v: np.ndarray", "w: np.ndarray")
    text = text.replace("    n = ", "    v = np.outer(w, w)\n    n = ")
    bounds, v, c, x = given("all")
    assert "_segment_sums(" not in check_agrees(text, (bounds, np.nan_to_num(v, posinf=2.0), c, x), keep=True)
