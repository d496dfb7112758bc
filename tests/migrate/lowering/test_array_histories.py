"""Lists of arrays that a loop computes until it ends itself."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

LOOP = """import numpy as np


def f(x0: np.ndarray, n: int, tol: float):
    x = {start}
    path = {first}
    for i in range(n):
        g = 2 * (x - 1) * x
        if np.linalg.norm(g) < tol:
            break
        x = x - 0.1 * g
        path.append({item})
    return {result}
"""
CALLS = [
    (np.array([0.5, 2.0, 0.1]), 40, 1e-3),
    (np.array([0.5, 2.0, 0.1]), 0, 1e-3),
    (np.ones(3), 5, 1e-3),
    (np.full((2, 2), 0.5), 7, 1e-3),
    (np.array(0.5), 7, 1e-3),
    (np.zeros((0, 2)), 3, 1e-3),
]


def loop(start="np.array(x0, dtype=float)", first="[]", item="x.copy()", result="x, path"):
    return LOOP.format(start=start, first=first, item=item, result=result)


def check(source, *calls):
    text = convert(source, placement="fast")[0]
    for call in calls:
        assert not compare_values(run(text)["f"](*call), run(source)["f"](*call)), text
    return text


@pytest.mark.parametrize("item", ["x", "x.copy()"])
@pytest.mark.parametrize(
    ("first", "result"), [("[]", "x, path"), ("[x.copy()]", "x, np.array(path)"), ("[]", "path[-1:], len(path)")]
)
def test_the_arrays_are_kept(item, first, result):
    text = check(loop(first=first, item=item, result=result), *CALLS)
    assert "jnp.empty((max(n, 1), *x.shape))" in text
    assert "if max(n, 1) * x.size <= 10_000_000:" in text


def test_complex_arrays():
    text = check(loop("np.array(x0, dtype=complex) * 1j"), *CALLS)
    assert "jnp.empty((max(n, 1), *x.shape), complex)" in text


def test_a_list_for_which_there_is_no_room_is_filled_by_python():
    source = loop().replace("range(n)", "range(n * 10**9)")
    text = check(source, (np.ones(2), 1, 1e-3))
    assert "* x.size <= 10_000_000:" in text


@pytest.mark.parametrize(
    ("start", "item"),
    [
        ("x0", "x"),  # its dtype is not known
        ("np.array(x0, dtype=np.float32)", "x"),  # the loop may widen it
        ("np.array(x0, dtype=float)", "x[:i]"),
        ("np.array(x0, dtype=float)", "g"),  # there is no such array before the loop
    ],
)
def test_arrays_that_are_not_like_one_before_the_loop(start, item):
    text = check(loop(start, item=item), *CALLS[:4])
    assert "empty(" not in text
