"""Counted loops that want nothing of their index but one row of arrays: `lax.scan` hands it to them, also where there is none."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators.loops import learning_programs

test_example = example_of(__name__)

LONG, NONE = np.array([1.0, -2.0, np.nan, 3.0, 0.5, np.inf]), np.zeros(0)

SCANNED = {
    "for i in range(len(x)):\n        t = 0.5 * t + x[i]": "lax.scan(update_t, t, x)",
    "for i in range(x.shape[0]):\n        t = 0.5 * t + x[i] * x[i]": "lax.scan(update_t, t, x)",
    "for i in range(len(x) - 1):\n        t = 0.5 * t + (x[i + 1] - x[i])": "lax.scan(update_t, t, (x[1:], x[:-1]))",
    "for i in range(1, len(x)):\n        t = x[i - 1] - 0.5 * t": "lax.scan(update_t, t, x[:-1])",
    "for i in range(len(x) - 1, -1, -1):\n        t = 0.5 * t + x[i]": "lax.scan(update_t, t, x, reverse=True)",
    "for i in range(len(x)):\n        if x[i] > t:\n            t = 0.5 * t + x[i]\n        else:\n            t = t - 1": "lax.scan(",
    "for i in range(len(x)):\n        for v in x:\n            t = 0.5 * t + x[i] * v": "lax.scan(",
    "for i in range(len(x)):\n        v = x[i]\n        while v > 1:\n            v = v / 2 if v < 1e9 else 0.0\n        t = 0.5 * t + v": "lax.scan(",
}


@pytest.mark.parametrize("loop", SCANNED)
def test_rows_are_handed_to_the_iterations(loop):
    source = f"import numpy as np\n\ndef f(x: np.ndarray):\n    t = 0.0\n    {loop}\n    return t\n"
    text = check_agrees(source, (LONG,), (LONG[:1],), (NONE,), (np.arange(4.0, dtype=np.float32),))
    assert SCANNED[loop] in text, text


COUNTED = [
    "for i in range(len(x)):\n        t = 0.5 * t + x[i] * i",
    "for i in range(0, len(x), 2):\n        t = 0.5 * t + x[i]",
    "for i in range(len(x)):\n        t = 0.5 * t + x[len(x) - 1 - i]",
    "for i in range(len(x)):\n        t = 0.5 * t + np.sum(x[:i])",
    "for i in range(len(x)):\n        t = 0.5 * t + x[i - 1]",
    "for i in range(len(x)):\n        x[i] = t * x[i]\n        t = 0.5 * t + x[i]",
    "for i in range(3):\n        t = 0.5 * t + x[0]",
    "for i in range(n[0]):\n        t = 0.5 * t + x[i]",
    "for i in range(len(x)):\n        t = 0.5 * t + x[i]\n    t = t * i",
    "for i in range(len(x)):\n        t = 0.5 * t + x[i]\n        x = 2 * x",
]


@pytest.mark.quick(4)
@pytest.mark.parametrize("loop", COUNTED)
def test_other_iterations_are_counted(loop):
    source = f"import numpy as np\n\ndef f(x: np.ndarray, n: np.ndarray):\n    t = 0.0\n    {loop}\n    return t\n"
    text = check_agrees(source, (LONG[:4], np.array([2])), (LONG[:4] * 0, np.array([0])), (np.arange(5.0), np.array([3])))
    assert "lax.scan(" not in text, text


def test_rows_of_several_arrays():
    source = """
    import numpy as np

    def f(X: np.ndarray, y: np.ndarray, hits: np.ndarray):
        w = np.zeros(X.shape[1])
        seen = np.zeros(4)
        for i in range(len(X)):
            p = X[i, :] @ w
            seen[hits[i]] += seen[0] + p
            if p * y[i] <= 0:
                w += y[i] * X[i]
        return w, seen
    """
    X = np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, -3.0]])
    calls = [
        (X, np.array([1.0, -1.0, 1.0]), np.array([1, 3, 1])),
        (X, np.array([1.0, -1.0, 1.0, 5.0]), np.array([0, -1, 0, 2])),
        (np.zeros((0, 2)), np.zeros(0), np.zeros(0, int)),
    ]
    assert "w, seen = carry" in check_agrees(source, *calls)


def test_a_number_of_iterations_that_may_be_negative_bounds_a_slice_where_it_is_not():
    source = """
    import numpy as np

    def f(x: np.ndarray, n: int):
        out = np.zeros(abs(n))
        t = 0.0
        for i in range(n):
            t = 0.5 * t + x[i]
        return t, out
    """
    assert "x[: max(n, 0)]" in check_agrees(source, (LONG, 4), (LONG, 0), (LONG, -2))


FILLED = {
    "for i in range(len(x)):\n        t = 0.5 * t + x[i]\n        out.append(t)": "def step(t, x_i):",
    "for i in range(1, len(x)):\n        out.append(t * x[i])\n        t = 0.5 * t + x[i] - x[i - 1]": "(x[1:], x[:-1])",
    "for i in range(len(x)):\n        t = 0.5 * t + x[i]\n        out.append(t + i)": "jnp.arange(len(x))",
    "for i in range(len(x) - 1, -1, -1):\n        t = 0.5 * t + x[i]\n        out.append(t)": "jnp.arange(len(x) - 1, -1, -1)",
}


@pytest.mark.parametrize("loop", FILLED)
def test_rows_that_iterations_make_items_of(loop):
    source = f"import numpy as np\n\ndef f(x: np.ndarray):\n    out = []\n    t = 0.0\n    {loop}\n    return np.array(out)\n"
    empty = [] if "arange" in FILLED[loop] else [(NONE,)]
    assert FILLED[loop] in check_agrees(source, (LONG,), (LONG[:2],), *empty)


def check_learning(seed):
    rng = np.random.default_rng(seed)
    source = learning_programs.program(seed)
    text, functions, _diagnostics = convert(source)
    seen = False
    for kind, rows in ((float, 3), (np.float32, 2), (int, 3), (float, 1), (float, 0)):
        X, y = rng.integers(-3, 4, size=(rows, 2)).astype(kind), rng.choice([-1, 1], size=rows).astype(kind)
        if kind is float and rows == 3:
            X[rng.integers(3), 0] = rng.choice([np.nan, np.inf, 0.5])
        try:
            seen |= agrees_on(source, text, functions["f"], (X, y, 0.5, 2))
        except (TypeError, IndexError) as error:  # what is carried changes its dtype, or an empty array is read: JAX says so
            assert "dtype" in str(error) or "types" in str(error) or "size 0" in str(error), f"{error}\n{text}"
    return seen, "jnp.where" in text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_that_learn(seed):
    check_learning(seed)
