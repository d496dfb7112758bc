"""Stores through a mask that stands beside other indices, or is one of a view: `x[0, x[1] > 1] = v`, `v = x[0]; v[v > 1] *= 2`."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees

A = np.array([[0.5, 2.0, -1.0], [3.0, 0.25, 1.5], [1.0, -4.0, 2.5], [np.nan, 9.0, np.inf]])
CALLS = [
    (A, 1, 0.25),
    (A[:2], 0, 2.0),
    (A[:, :1], -1, 1.0),
    (np.arange(12).reshape(4, 3) - 3, 2, 1),
    (A.reshape(3, 4), 1, 1.5),
]
STORES = {  # what is stored into, by the mask: "x[0]; v[M]" is a view and what is stored into of it
    "x[0, M]": "x[1] > 1",
    "x[-1, M]": "x[0] > 1",
    "x[k, M]": "x[1] > 1",
    "x[M, 0]": "x[:, 1] > 1",
    "x[M, k]": "x[:, 0] > 1",
    "x[:, M]": "x[0] > 1",
    "x[M, :]": "x[:, 0] > 1",
    "x[M]": "x > 1",
    "x[1:, M]": "x[0] > 1",
    "x[M, 1:]": "x[:, 0] > 1",
    "x[..., M]": "x[0] > 1",
    "x[M, ...]": "x[:, 0] > 1",
    "x[0][M]": "x[0] > 1",
    "x[1:][M]": "x[1:] > 1",
    "x[:, 0][M]": "x[:, 0] > 1",
    "x.T[M]": "x.T > 1",
    "x.T[0, M]": "x[:, 1] > 1",
    "x[0]; v[M]": "v > 1",
    "x[k]; v[M]": "v > 1",
    "x[:, 1]; v[M]": "v > 1",
    "x[1:]; v[M]": "v > 1",
    "x.T; v[M]": "v > 1",
    "x[1:]; v[0, M]": "v[1] > 1",
    "x.T; v[M, 0]": "v[:, 1] > 1",
    "x.ravel(); v[M]": "v > 1",
    "x[0]; v[1:][M]": "v[1:] > 1",
    "x[1:]; v[k][M]": "v[1] > 1",
}
CHANGES = ["= 7.0", "+= 2.0", "*= 0.5", "-= s", "= {t} * 2", "= -{t}", "**= 2", "+= {t}", "= np.sqrt(np.abs({t}))", "//= 2"]
HEADS = [
    "q: np.ndarray, k: int, s: float):\n    x = q.copy()",
    "q, k, s):\n    x = np.array(q)\n    n, d = x.shape",
    "q, k, s):\n    x = q.copy()",
]


def program(store, mask, change, head, named):
    view, _semicolon, target = store.rpartition("; ")
    lines = [f"import numpy as np\n\n\ndef f({head}"]
    if view:
        lines.append(f"v = {view}")
    if named:
        lines.append(f"m = {mask}")
    target = target.replace("M", "m" if named else mask)
    return "\n    ".join([*lines, f"{target} {change.format(t=target)}", "return x"]) + "\n"


@pytest.mark.parametrize("store", ["x[0, M]", "x[0]; v[M]", "x[1:]; v[0, M]"])
@pytest.mark.parametrize("change", ["= {t} * 2", "*= 0.5", "= 7.0"])
def test_only_what_the_index_names_changes(store, change):
    """`x[0, m] = ...` changed all rows, and `v = x[0]; v[m] *= ...` asked jit for the values of m. Found by random programs."""
    made = check_agrees(program(store, STORES[store], change, HEADS[0], False), *CALLS)
    assert "@jax.jit" in made and ".at[" in made


@pytest.mark.quick(10)
@pytest.mark.parametrize("store", STORES)
def test_stores(store):
    number = [*STORES].index(store)
    text = program(store, STORES[store], CHANGES[number % len(CHANGES)], HEADS[number % len(HEADS)], number % 2)
    check_agrees(text, *CALLS, keep=True)


@pytest.mark.quick(3)
@pytest.mark.parametrize("head", ["x: np.ndarray, y: np.ndarray", "x, y"])
@pytest.mark.parametrize("loop", ["for i in range(len(x)):", "for i in range(0, len(x), 2):", "for i in range(1, x.shape[0]):"])
@pytest.mark.parametrize(
    "store", ["r = x[i]; r[m] = 0", "r = x[i]; r[y > 1] += 1", "x[i, 1:][m[1:]] = 0", "x[i][m] = 2", "x[i, m] += y[m]"]
)
def test_stores_in_loops(head, loop, store):
    """`r = x[i]; r[m] = 0` was left with an assert about r, and without r: NameError."""
    lines = [
        f"import numpy as np\n\n\ndef f({head}):",
        loop,
        "    m = y > 0",
        *("    " + part for part in store.split("; ")),
        "return x",
    ]
    check_agrees("\n    ".join(lines) + "\n", (A, A[0]), (A[:1], A[1]), (CALLS[3][0], np.array([2, 0, 1])), keep=True)


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_many_stores(store):
    for change in CHANGES:
        for head in HEADS:
            for named in (False, True):
                check_agrees(program(store, STORES[store], change, head, named), *CALLS, keep=True)
