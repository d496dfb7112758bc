"""Positions where a condition on one array holds, which look up another one that is as long; and loops over positions."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run

NAN, INF = np.nan, np.inf
A = np.array([[1.0, -2.0, 3.0], [0.5, -0.25, 4.0], [2.0, 8.0, -1.0], [-3.0, 1.0, 0.0], [0.1, 0.2, 0.3]])
Y = np.array([0, 1, 0, 2, 1])
BAD = A.copy()
BAD[1, 0], BAD[3] = NAN, INF
CALLS = [(A, Y, 0), (A, Y, 7), (BAD, Y, 0), (BAD, Y, 1), (A[:, :1], Y, 1), (A.astype(np.int64), Y, 1), (A[:0], Y[:0], 0)]
HEAD = "import numpy as np\n\ndef f({}):\n    {}\n"
ROWS = "X: np.ndarray, y: np.ndarray, k: int"
VECTORS = [
    (np.arange(5.0), np.array([1.0, -1.0, 0.0, 2.0, NAN]), 0.0),
    (A[:, 1], A[:, 0], 5.0),
    (A[:0, 1], A[:0, 0], 0.5),
    (np.arange(5), np.arange(5) - 2, 1),
]


@pytest.mark.parametrize(
    "text",
    [
        "p = np.where(y == k)[0]\n    return X[p].mean(axis=0)",
        "p = np.flatnonzero(y == k)\n    return X[p].sum(axis=0), len(p)",
        "return X[np.where(y == k)[0]].mean(axis=0)",
        "return X[np.where(y == k)[0]].sum(axis=0) / len(np.where(y == k)[0])",
        "p = np.nonzero(y == k)[0]\n    X[p] = 0\n    return X",
        "p = np.where(y == k)[0]\n    X[p, 0] += 1\n    return X",
        "p = np.where(y == k)[0]\n    X[p, 0] *= X[p, 0]\n    return X[p, 0].sum(), X",
        "(p,) = np.where(y == k)\n    X -= X[p].mean(axis=0)\n    return X",
        "q = np.zeros(n)\n    p = np.where(y == k)[0]\n    q[p] = 1\n    return q",
        "q = X[:, 0]\n    p = np.where(y == k)[0]\n    return q[p].sum()",
        "w = np.zeros(d)\n    bad = np.where(y * (X @ w) < 1)[0]\n    return (y[bad][:, None] * X[bad]).sum(axis=0), len(bad)",
        "C = np.zeros((4, d))\n    for j in range(4):\n        p = np.where(y == j)[0]\n        if len(p) > 0:\n"
        "            C[j] = X[p].mean(axis=0)\n    return C",
    ],
)
def test_rows(text):
    made = check_agrees(HEAD.format(ROWS, "n, d = X.shape\n    " + text), *CALLS)
    assert "@jax.jit" in made, made


@pytest.mark.parametrize(
    "text",
    [
        "p = np.where(w > v)[0]\n    return x[p].sum()",
        "return x[np.where(w > v)[0]].sum(), np.mean(x[np.where(w > v)[0]])",
        "x[np.where(w > v)] = 0\n    return x",
        "p = np.where(w > v)\n    x[p] += 1\n    return x",
        "p = np.where(w > v)[0]\n    x[p] = 2 * w[p]\n    return x",
        "p = np.where((w > v) & (x > 1))[0]\n    x[p] = w[p] - x[p].mean()\n    return x",
    ],
)
def test_vectors(text):
    made = check_agrees(HEAD.format("x: np.ndarray, w: np.ndarray, v: float", text), *VECTORS)
    assert "@jax.jit" in made and "assert" in made, made


@pytest.mark.parametrize("shapes", [((5,), (4,)), ((5,), (1,)), ((1,), (5,)), ((5, 5), (5,)), ((5,), (5, 5))])
@pytest.mark.parametrize(
    "text",
    [
        "p = np.where(w > 0)[0]\n    return x[p].sum()",
        "return x[np.where(w > 0)[0]].sum()",
        "x[np.where(w > 0)] = 1\n    return x",
    ],
)
def test_other_lengths_are_refused_and_never_wrong(shapes, text):
    f = run(convert(HEAD.format("x: np.ndarray, w: np.ndarray", text))[0])["f"]
    with pytest.raises(AssertionError):
        f(np.ones(shapes[0]), np.ones(shapes[1]))


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "text",
    [
        "C = np.zeros((k, 2))\n    p = np.where(w > v)[0]\n    C[p] = 1\n    return C",
        "p = np.where(w[1:] > w[:-1])[0]\n    return x[p].sum()",
        "p = np.where(np.diff(w) > 0)[0]\n    return x[p].sum()",
        "return x[np.where(np.diff(w) > 0)[0]].sum()",
        "p = np.where(w > v)[0]\n    x = x[1:]\n    return x[p].sum()",
        "p = np.where(w > v)[0]\n    for i in range(2):\n        x = x[:-1]\n        s = x[p[:0]].sum()\n    return s",
        "y = np.append(x, 1.0)\n    p = np.where(w > v)[0]\n    return y[p].sum()",
        "return sum(x[np.where(w > a)[0]].sum() for a in (0.0, 1.0))",
        "return x[np.where(w > v)[0]].sum() if len(x) == len(w) else 0.0",
        "p = np.where(w > v)[0]\n    q = np.where(w < v)[0]\n    return x[p[:1]].sum() + x[q].sum() + p.sum()",
    ],
)
def test_what_may_be_of_another_length_stays(text):
    given = HEAD.format("x: np.ndarray, w: np.ndarray, v: float, k: int = 9", text)
    made = check_agrees(given, (np.arange(9.0), np.array([1.0, -1.0, 2.0, 3.0]), 0.0), keep=True)
    assert "assert" not in made, made


def test_a_call_that_changes_the_array_stays_ahead_of_the_positions():
    text = """
    import numpy as np

    def g(w):
        w[:] = -w
        return 1.0

    def f(x: np.ndarray, w: np.ndarray):
        x[np.where(w > 0)[0]] = g(w)
        return x, w
    """
    check_agrees(text, (np.arange(4.0), np.array([1.0, -1.0, 2.0, 3.0])), keep=True)


LOOPS = {
    "sum": "t = 0.0\n    for i in np.where(w > v)[0]:\n        t += x[i] * w[i]\n    return t",
    "named": "p = np.flatnonzero(w > v)\n    t = 0.0\n    for i in p:\n        t += x[i]\n    return t, len(p)",
    "place": "t = 0\n    for i in np.where(w > v)[0]:\n        t += i\n    return t",
    "quotient": "t = 0.0\n    for i in np.where(w > v)[0]:\n        t += x[i] / (i + 1) - i ** 2\n    return t",
    "store": "for i in np.where(w > v)[0]:\n        x[i] = 2 * w[i]\n    return x",
    "carried": "for i in np.where(w > v)[0]:\n        x[i] = x[i - 1] + 1\n    return x",
    "break": "t = 0.0\n    for i in np.where(w > v)[0]:\n        if x[i] > 2:\n            break\n        t += x[i]\n    return t",
    "continue": "t = 0.0\n    for i in np.where(w > v)[0]:\n        if x[i] > 2:\n            continue\n        t += x[i]\n    return t",
    "changed": "for i in np.where(w > v)[0]:\n        w[i - 1] = x[i]\n    return w",
    "best": "b = -1.0\n    for i in np.where(w > v)[0]:\n        if x[i] > b:\n            b = x[i]\n    return b",
    "inside": "t = np.zeros(len(x))\n    for i in range(len(x)):\n        for j in np.where(w < x[i])[0]:\n            t[i] += w[j]\n    return t",
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_positions(name):
    made = check_agrees(HEAD.format("x: np.ndarray, w: np.ndarray, v: float", LOOPS[name]), *VECTORS[:2])
    assert "jax.jit" in made, made


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "text",
    [
        "i = 0\n    for i in np.where(w > v)[0]:\n        x[i] = 1\n    return x, i",
        "for i in np.where(w > v)[0]:\n        x[i] = 1\n    else:\n        x[0] = 5\n    return x",
        "found = []\n    for i in np.where(w > v)[0]:\n        found.append(i)\n    return found",
        "for i in np.argwhere(w > v):\n        x[i] = 1\n    return x",
        "for i, j in zip(np.where(w > v)[0], np.where(w < v)[0]):\n        x[i] = x[j]\n    return x",
        "fs = [lambda: i for i in np.where(w > v)[0]]\n    return len(fs)",
        "for i in np.where(w)[0]:\n        x[i] = 1\n    return x",
        "t = 0.0\n    for i in np.where(w > v)[0]:\n        for j in np.where(w < x[i])[0]:\n            t += w[j]\n    return t",
    ],
)
def test_loops_that_stay(text):
    check_agrees(HEAD.format("x: np.ndarray, w: np.ndarray, v: float", text), *VECTORS[:2], keep=True)


SAME_RANK = [
    "return x[w > v].sum(), x[w > v].mean(), x[w > v].size, len(x[w > v])",
    "return x[(w > v) & (w < 9)].sum(), x[~(w > v)].sum()",
    "x[w > v] = 0\n    return x",
    "x[w > v] += w[w > v]\n    return x",
    "x[w > v] *= 2\n    return x, x[w > v].sum()",
    "t = np.zeros(3)\n    for j in range(3):\n        t[j] = x[w == j].sum()\n    return t",
    "for j in range(3):\n        x[w > j] -= x[w > j].sum()\n    return x",
    "y = np.zeros(len(w))\n    y[w > v] = 1\n    return y, x",
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("text", SAME_RANK)
@pytest.mark.parametrize("head", ["x: np.ndarray, w: np.ndarray, v: float", "x, w, v"])
def test_a_mask_of_another_array(text, head):
    made = check_agrees(HEAD.format(head, text), *VECTORS)
    assert "jax.jit" in made or "np" not in head, made
    if not text.startswith("y ="):
        check_agrees(HEAD.format(head, text), (A, A.T.copy().reshape(5, 3), 0.0))


@pytest.mark.parametrize("text", SAME_RANK[:6])
@pytest.mark.parametrize("shapes", [((5, 5), (5,)), ((5,), ()), ((3, 5, 5), (3, 5))])
def test_a_mask_of_fewer_dimensions_is_refused_and_never_wrong(text, shapes):
    f = run(convert(HEAD.format("x: np.ndarray, w: np.ndarray, v: float", text))[0])["f"]
    with pytest.raises(AssertionError):
        f(np.ones(shapes[0]), np.ones(shapes[1]), 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "return x[w > v].sum(), x.shape[1]",
        "return x[0, 0] + x[w > v].sum()",
        "n, m = x.shape\n    return x[w > v].sum()",
        "n, m = x.shape\n    x[w > v] = 0\n    return x",
    ],
)
def test_an_array_of_more_dimensions_may_be_selected_from_along_one(text):
    given = HEAD.format("x: np.ndarray, w: np.ndarray, v: float", text)
    made = check_agrees(given, (A, A[:, 0], 0.0), (A, A, 0.0), keep=True)
    assert "jax.jit" not in made, made


def test_images_that_are_masked_by_others():
    text = HEAD.format("img: np.ndarray, grey: np.ndarray", "img[grey > 100] = 0\n    return img")
    assert "assert img.ndim == grey.ndim" in convert(text)[0]
    assert agrees_on(text, convert(text)[0], convert(text)[1]["f"], (A * 99, A * 99))


def test_a_variable_that_holds_masks_of_several_lengths_tells_none():
    text = check_agrees(
        """
        import numpy as np

        def f(x: np.ndarray):
            y = x * 2 + 1
            m = x[1:] > x[:-1]
            p = np.where(m)[0]
            for i in p:
                x[i] = y[i] + 1
            m = x > 0
            return y[p].sum() + m.sum()
        """,
        (np.array([1.0, 3.0, 2.0, 5.0, 4.0]),),
        (np.array([-1.0]),),
    )
    assert "assert" not in text
