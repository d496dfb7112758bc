"""Turns that choose a number, and store it: the choice is `jnp.where` on whole arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2jax.tests.helpers.differential import check_agrees, convert, run
from np2jax.tests.helpers.drawn_programs import check_few, check_many

X = np.array([3.0, -1.5, 0.0, 0.25, -4.0, 7.0])
Y = np.array([0.0, 2.0, -3.0, 0.0, 1.0, 5.0])
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0, -1.0])
N = np.array([3, -1, 0, 2, -4, 7])
GRID = np.arange(12.0).reshape(3, 4) - 5
LOOPS = ("fori_loop", "scan", "while_loop", "for i in", "vmap")


def text_of(lines, params="x, y", start="out = np.zeros(len(x))", result="out"):
    inner = "".join(f"        {line}\n" for line in lines.split("\n"))
    return f"import numpy as np\n\n\ndef f({params}):\n    {start}\n    for i in range(len(x)):\n{inner}    return {result}\n"


WHOLE = {
    "an expression": "out[i] = x[i] if y[i] > 0 else 0.0",
    "a quotient": "out[i] = x[i] / y[i] if y[i] != 0 else 0.0",
    "of a quotient and more, a long test": "out[i] = 1 + (np.log(x[i]) / y[i] if y[i] != 0 and x[i] > 0 else y[i])",
    "in one another": "out[i] = 1.0 if x[i] > 1 else -1.0 if x[i] < -1 else x[i]",
    "a neighbour": "out[i] = x[i + 1] - x[i] if i + 1 < len(x) else 0.0",
    "nothing but a neighbour": "out[i] = x[i - 1] if i > 0 else 0.0",
    "a variable": "if x[i] > 0:\n    v = x[i]\nelse:\n    v = -y[i]\nout[i] = v * 2 + 1",
    "elif": "v = x[i]\nif v < -1:\n    v = -1\nelif v > 1:\n    v = 1\nout[i] = v",
    "two variables": "if x[i] > 0:\n    v = x[i]\n    w = 1.5\nelse:\n    v = y[i] - 1\n    w = 2\nout[i] = v * w",
    "in place": "v = x[i] + y[i]\nif v < 0:\n    v *= 0.1\nout[i] = v",
    "branches in branches": "v = x[i] - 1\nif x[i] > 0:\n    if y[i] > 0:\n        v = y[i]\n    else:\n        v = 3\nout[i] = v",
    "a root": "if x[i] > 0:\n    v = np.sqrt(x[i])\nelse:\n    v = 0\nout[i] = v - y[i]",
    "not": "out[i] = y[i] - 1 if not x[i] > 1 else x[i]",
    "a chain": "v = -1 if 0 <= x[i] < 3 or y[i] < 0 or y[i] > 4 else x[i] - 1\nout[i] = v",
    "greatest": "out[i] = max(0.0, x[i]) - min(x[i], y[i])",
    "one of some numbers": "out[i] = 1.0 if x[i] in (3, -4, 0.25) else y[i] - x[i]",
    "none of some numbers": "if y[i] not in [0, 5]:\n    out[i] = x[i]",
}
MASKS = {
    "a mask": "out[i] = x[i] if m[i] else 0.0",
    "a mask, a branch": "if m[i]:\n    out[i] = x[i] * 2",
    "no mask": "if not m[i]:\n    out[i] += x[i] - 1",
    "and": "if m[i] and x[i] > 0:\n    out[i] = x[i]",
}
SEQUENTIAL = {
    "the turn before": "v = out[i - 1] if i > 0 else 1.0\nout[i] = v + x[i]",
    "what a turn may leave": "if x[i] > 0:\n    last = x[i]\nelse:\n    last = -1.0\nout[i] = last\ny[0] += last",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_arrays(name):
    calls = [
        (X, Y),
        (Y, X),
        (SPECIAL, X),
        (X[:1], Y[:1]),
        (X.astype(np.float32), Y.astype(np.float32)),
        (N, Y),
        (N, N[::-1].copy()),
    ]
    text = check_agrees(text_of(WHOLE[name]), *[(a.copy(), b.copy()) for a, b in calls])
    assert not any(word in text for word in LOOPS), text
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(text)["f"](list(X), list(Y)), run(text_of(WHOLE[name]))["f"](list(X), list(Y)))


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("mask", [X > 0, N % 3, Y, [True, False, True, True, False, False]], ids=["bool", "int", "float", "list"])
def test_masks(name, mask):
    source = text_of(MASKS[name], "x, m")
    made, functions, _diagnostics = convert(source)
    assert functions["f"].transform == "jit" and not any(word in made for word in LOOPS), made
    np.testing.assert_allclose(run(made)["f"](X, mask), run(source)["f"](X, mask))


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_iteration_by_iteration(name):
    text = check_agrees(text_of(SEQUENTIAL[name], result="out, y"), (X.copy(), Y.copy()), (SPECIAL.copy(), X.copy()), keep=True)
    assert any(word in text for word in LOOPS), text


def test_grids():
    source = """import numpy as np

def f(img, lo, hi):
    h, w = img.shape
    res = np.empty((h, w))
    for y in range(h):
        for x in range(w):
            v = img[y, x]
            if v < lo:
                v = lo
            elif v > hi:
                v = hi
            res[y, x] = v if (x + y) % 2 else -v
    return res
"""
    text = check_agrees(source, (GRID, -2.0, 3.0), (GRID[:1], 0.0, 1.0), (GRID.T, 5.0, 1.0), (GRID[:, :1], -np.inf, np.inf))
    assert not any(word in text for word in LOOPS), text


def test_neighbours_that_loops_of_python_go_through():
    source = """import numpy as np

def f(grid):
    n, m = grid.shape
    new = np.zeros_like(grid)
    for i in range(n):
        for j in range(m):
            count = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di == 0 and dj == 0:
                        continue
                    count += grid[(i + di) % n, (j + dj) % m]
            if grid[i, j] == 1:
                if count in (2, 3):
                    new[i, j] = 1
            elif count == 3:
                new[i, j] = 1
    return new
"""
    life = (np.random.default_rng(3).random((7, 9)) < 0.4).astype(int)
    text = check_agrees(source, (life,), (life.astype(float),), (life[:1],), (life[:2, :2],))
    assert "jax.vmap" in text and "fori_loop" not in text, text


def test_text_stays_in_python():
    source = "import numpy as np\n\ndef f(words):\n    n = np.zeros(2)\n    for i in range(len(words)):\n        if words[i]:\n            n[0] += 1\n    return n\n"
    made, _functions, _diagnostics = convert(source)
    assert "jnp.asarray(words)" not in made
    np.testing.assert_array_equal(run(made)["f"](["a", "", "b"]), [2.0, 0.0])


def items():
    atoms = st.sampled_from(["x[i]", "y[i]", "v", "2.0", "-1", "x[i] * y[i]", "abs(v)", "np.sqrt(abs(x[i]))", "i"])
    tests = st.sampled_from(
        ["x[i] > 0", "y[i] < v", "v == 0", "not x[i]", "i % 2 == 1", "x[i] > 0 and y[i] > 0", "0 < x[i] < 5", "i in (1, 2)"]
    )
    values = st.one_of(
        atoms,
        st.tuples(atoms, tests, atoms).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})"),
        st.tuples(atoms, st.sampled_from("+-*"), atoms).map(lambda p: f"{p[0]} {p[1]} {p[2]}"),
        st.tuples(atoms, atoms).map(lambda p: f"max({p[0]}, {p[1]})"),
    )
    bound = values.map(lambda value: f"v = {value}")
    stored = st.one_of(values.map(lambda value: f"out[i] = {value}"), values.map(lambda value: f"out[i] += {value}"))
    branch = st.tuples(tests, bound, st.one_of(st.none(), bound)).map(
        lambda p: f"if {p[0]}:\n    {p[1]}" + (f"\nelse:\n    {p[2]}" if p[2] else "")
    )
    return st.tuples(bound.filter(lambda b: "v" not in b[4:]), st.lists(st.one_of(bound, branch), max_size=3), stored).map(
        lambda p: "\n".join([p[0], *p[1], p[2]])
    )


def compared(lines):
    check_agrees(text_of(lines, "x: np.ndarray, y: np.ndarray"), (X, Y), (SPECIAL, X), (X[:1], Y[:1]), keep=True)


def test_drawn_iterations():
    check_few(given(items())(compared))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_many_drawn_iterations(start):
    check_many(given(items())(compared), start)
