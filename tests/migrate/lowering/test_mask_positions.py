"""Positions where a condition holds, that are only looked up, stored to or counted."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_or_asserts, check_agrees, convert, run
from np2jax.tests.programs.generators.slices.position_programs import program

NAN, INF = np.nan, np.inf
X = np.array([1.0, -2.0, 3.0, 0.5, -0.25])
CALLS = [(X, 0.6), (X, 9.0), (-X, -9.0), (np.array([NAN, 1.0, -INF, INF, 2.0]), 0.5), (X[:0], 0.0), (X[:1], 0.0)]


def body(text, *calls, compiled=True):
    made = check_agrees(
        f"import numpy as np\n\ndef f(x: np.ndarray, v: float):\n    {text}\n", *(calls or CALLS), keep=not compiled
    )
    assert ("@jax.jit" in made) == compiled, made
    return made


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "found",
    [
        "np.where(x > v)[0]",
        "np.nonzero(x > v)[0]",
        "np.flatnonzero(x > v)",
        "np.where((x > v) & ~np.isnan(x))[0]",
        "np.where(x > v)",
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        "x[p] = v\n    return x",
        "x[p] += 1\n    return x, x[p].sum()",
        "y = x * 2\n    x[p] = y[p] - 1\n    return x",
        "return x[p].sum(), np.mean(x[p]), np.std(x[p] * 2)",
        "x[p] -= x[p].mean()\n    return x",
    ],
)
def test_lookups_and_stores(found, use):
    made = body(f"p = {found}\n    {use}")
    assert ("assert p.ndim == 1" in made) == (found != "np.where(x > v)"), made


@pytest.mark.parametrize("count", ["len(p)", "p.size", "np.size(p)", "p.shape[0] + 1"])
def test_counts(count):
    assert "jnp.count_nonzero(p)" in body(f"p = np.where(x > v)[0]\n    return {count}")


def test_in_line():
    made = body(
        "x[np.where(x > v)] = 0\n    return x, len(np.where(x < v)[0]), len(np.argwhere(x == v)), np.flatnonzero(x > 1).size"
    )
    assert "jnp.where(x > v, 0, x)" in made and made.count("count_nonzero") == 3
    matrix = X[:4].reshape(2, 2)
    text = "import numpy as np\n\ndef f(a: np.ndarray):\n    p = np.where(a > 0)\n    a[p] *= 2\n    return a, a[p].sum()\n"
    assert "@jax.jit" in check_agrees(text, (matrix,), (X,))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("text", "compiled"),
    [
        ("x[np.where(x)] -= 1\n    return x, np.size(np.where(x > v)[0])", True),
        ("n = len(x)\n    e = np.ones(n)\n    e[1:] = 0\n    x[np.nonzero(e)] = v\n    return x", True),
        ("s = 0.0\n    for i in np.where(x)[0]:\n        s += 1 / x[i]\n    return s", True),
        (
            "s = 0.0\n    for i in np.where(x)[0]:\n        x[:] = 0.0\n        s += i\n    return s, x",
            True,
        ),  # all of the first positions
        ("c = [1, 0, 2]\n    return x[np.where(c)].sum()", False),
    ],
)
def test_numbers_count_where_they_are_not_zero(text, compiled):
    calls = [(X, 0.6), (np.array([NAN, 0.0, -0.0, INF, 2.0]), 0.5), (X[:0], 0.0)]
    body(text, *(calls if compiled and "for" not in text else calls[:2]), compiled=compiled)


def test_rows_of_a_matrix_are_masks_of_a_vector():
    text = """
import numpy as np

def f(w: np.ndarray, x: np.ndarray):
    s = np.zeros(len(w))
    for i in range(len(w)):
        near, = np.where(w[i, :])
        s[i] = np.sum(x[near])
        for j in np.where(w[i, :])[0]:
            s[i] += w[i, j] * x[j]
    return s
"""
    made = check_agrees(text, (np.array([[0.0, NAN], [0.0, 0.0], [2.0, -1.0]]), X[:2]), (np.zeros((2, 3)), X[:3]))
    assert "@jax.jit" in made and "np.where" not in made.replace("jnp.where", "")


def test_a_mask_that_a_variable_holds():
    body("m = x > v\n    p = np.where(m)[0]\n    x[p] = 0\n    return x, np.sum(m)")
    body("n = len(x)\n    z = np.zeros(n)\n    p = np.where(z == 0)[0]\n    z[p] = v\n    return z")


def test_another_number_of_dimensions_is_refused():
    f = run(convert("import numpy as np\n\ndef f(x: np.ndarray):\n    p = np.where(x > 0)[0]\n    x[p] = 5\n    return x\n")[0])[
        "f"
    ]
    with pytest.raises(AssertionError):
        f(np.eye(2))


@pytest.mark.quick(8)
@pytest.mark.parametrize(
    "text",
    [
        "p = np.where(x > v)[0]\n    return p",
        "p = np.where(x > v)[0]\n    return x[p]",
        "p = np.where(x > v)[0]\n    return x[p + 0].sum()",
        "p = np.where(x > v)[0]\n    return x[p[:2]].sum()",
        "p = np.where(x > v)[0]\n    return x[p[::-1]].sum()",
        "p = np.where(x > v)[0]\n    p = p[:1]\n    return x[p].sum()",
        "p = np.where(x)[0]\n    return x[p]",
        "p = np.where(x[1:] > x[:-1])[0]\n    return x[p].sum()",  # one less
        "y = np.arange(9.0)\n    p = np.where(x > v)[0]\n    return y[p].sum()",
        "p = np.where(x > v)[0]\n    x = np.append(x, 1.0)\n    return x[p].sum()",
        "y = np.append(x, 1.0)\n    p = np.where(x > v)[0]\n    y[p] = 0\n    return y",
        "m = x > v\n    p = np.where(m)[0]\n    m[0] = True\n    return x[p].sum()",
        "m = x > v\n    w = m\n    p = np.where(m)[0]\n    w[0] = True\n    return x[p].sum()",
        "m = x > v\n    p = np.where(m)[0]\n    np.copyto(m, True)\n    return x[p].sum()",
        "p = np.where(x > v)[0]\n    x[p] = np.arange(len(p))\n    return x",
        "p = np.where(x > v)[0]\n    i = 0\n    for i in p:\n        x[i] = 1\n    return x, i",
        "p = np.where(x > v)\n    for i in p:\n        x[i] = 1\n    return x",
        "p = np.where(x > v)\n    return len(p) + x[p].sum() + x[p[0]].sum()",
        "p = np.argwhere(x > v)\n    return x[p].sum(axis=0).sum()",
        "q = []\n    for k in range(3):\n        p = np.where(x > k)[0]\n        q.append(p)\n    return x[q[0]].sum()",
        "return np.zeros(len(np.where(x > v)[0]))",
    ],
)
def test_what_else_is_done_with_positions(text):
    body(text, *CALLS[:4], compiled=False)


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether it was compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (5, 3) if "for i" in text else (5, 3, 1):  # a compiled loop that looks up items of an empty array raises
        x, y = rng.normal(size=n), rng.normal(size=n)
        if rng.random() < 0.4:
            x[int(rng.integers(n))] = rng.choice([NAN, INF, -INF])
        ran |= agrees_or_asserts(text, made, functions["f"], (x, y, 0.3), beside=1)
    return ran, "@jax.jit" in made


def test_random_programs_of_positions():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_programs_of_positions(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 10 and any(compiled)


CHANGED_MASKS = [
    "c = x > 0.5\nfor i in np.where(c)[0]:\n    s[i] = x[i] * 2\n    c[i - 2] = False",
    "c = x > 0.5\nfor i in np.flatnonzero(c):\n    s[i] = x[i] * 2\n    c[i - 2] = False",
    "c = x > 0.5\nd = c\nfor i in np.flatnonzero(c):\n    s[i] = x[i] * 2\n    d[i - 2] = False",
    "c = x > 0.5\nfor i in np.flatnonzero(c):\n    s[i] = x[i] * 2\n    c[i - 2] &= False",
    "c = x > 0.5\nfor i in np.flatnonzero(c):\n    s[i] = x[i] * 2\n    c.fill(False)",
    "c = x > 0.5\nfor i in np.flatnonzero(c):\n    s[i], c[i - 2] = x[i] * 2, False",
    "c = x > 0.5\nfor i in np.flatnonzero(c):\n    s[i] = x[i] * 2\n    np.putmask(c, c, False)",
]


@pytest.mark.quick(3)
@pytest.mark.parametrize("loop", CHANGED_MASKS)
def test_a_mask_that_its_loop_changes_is_no_alias_of_the_positions(loop):
    lines = "".join(f"    {line}\n" for line in ["s = np.zeros_like(x)", *loop.split("\n"), "return s"])
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n" + lines
    check_agrees(text, (np.linspace(0.6, 2, 8),), (np.array([0.1, 0.9, 0.2, 1.5]),), keep=True)


def test_a_mask_that_is_returned_after_its_loop_is_compiled():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    s = np.zeros_like(x)\n    c = x > 0.5\n"
    text += "    for i in np.flatnonzero(c):\n        s[i] = x[i] * 2\n    return s, c\n"
    assert "flatnonzero" not in check_agrees(text, (np.linspace(0, 2, 8),))


HOST = """
import numpy as np


def f(w: np.ndarray, x: np.ndarray, names):
    n, m = w.shape
    found, s = [], np.zeros(n)
    for v in np.where(w[0, :])[0]:
        found.append(names[v])
    for i in range(n):
        for v in np.where(w[i, :])[0]:
            s[i] += x[v] * w[i, v]
    return found, s
"""


def test_a_loop_over_positions_that_stays_numpys_is_not_changed():
    text, functions, _found = convert(HOST, placement="fast")
    assert "for v in np.where(w[0, :])[0]:" in text and "@jax.jit" in text, functions["f"].reason
    w = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    for version in (HOST, text):
        found, s = run(version)["f"](w, np.arange(3.0), "abc")
        assert found == ["b", "c"] and s.tolist() == [5.0, 0.0]


@pytest.mark.parametrize("placement", ["fast", "device"])
def test_ix_of_masks_stays_numpys(placement):
    text = "import numpy as np\n\ndef f(w: np.ndarray, c: np.ndarray):\n    return np.sum(w[np.ix_(c > 1, c == 2)])\n"
    after, functions, _found = convert(text, placement=placement)
    assert functions["f"].label in ("host", "kept") and "np.ix_(c > 1, c == 2)" in after.replace("jnp", "")
