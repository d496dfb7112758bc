"""Loops that `break` and `continue`: what is carried, what the index is afterwards, and which of them stay Python's."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, compare_values, convert, run

X = np.array([1.0, -2.0, 3.0, 0.0, 5.0, -1.0])


def test_the_index_after_a_break():
    source = """
        import numpy as np

        def f(A: np.ndarray, tol, turns):
            v = np.ones(A.shape[0])
            value = 0.0
            for i in range(turns):
                w = A @ v
                new = np.linalg.norm(w)
                v = w / new
                if abs(new - value) < tol:
                    break
                value = new
            return value, v, i
        """
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    text = check_agrees(source, (A, 1e-6, 50), (A, 1e-6, 3), (A, 1e30, 4))
    assert "value = jnp.where(done, value, new)" in text
    assert "return ~done & (i + 1 < turns)" in text


BODIES = [
    "if x[i] < 0:\n            continue\n        s = s + x[i]",
    "if x[i] < 0:\n            s = s * 2\n            continue\n        s = s + x[i]\n        y[i] = s",
    "if x[i] == 0:\n            break\n        s = s + x[i]\n        y[i] = s",
    "s = s + x[i]\n        if s > 1:\n            y[i] = 7\n            break\n        y[i] = s",
    "if x[i] < 0:\n            continue\n        if s > 3:\n            break\n        s = s + x[i]",
    "if x[i] < 0:\n            s = s - 1\n        elif x[i] > 2:\n            break\n        else:\n            s = s + 10\n        y[i] = s",
    "if x[i] < 0:\n            if s > 0:\n                break\n            s = s + 2\n        y[i] = s\n        s = s + 1",
    "if x[i] > 0:\n            s = s + 1\n        else:\n            break",
    "t = x[i] * 2\n        if t > 5:\n            break\n        t = t + 1\n        s = s + t",
    "for j in range(i):\n            if x[j] > x[i]:\n                break\n            s = s + 1\n        y[i] = s",
    "if x[i] < 0:\n            for j in range(3):\n                s = s + j\n            continue\n        s = s * 2 + y[0]\n        y[0] = s",
    "if x[i] < -1 or x[i] > 4:\n            break\n        s = s + x[i]",
    "s = s + 1\n        if np.isnan(s): break",
]


@pytest.mark.quick(6)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("iterations", ["range(len(x))", "range(1, len(x))", "range(len(x) - 1, -1, -1)", "range(0, len(x), 2)"])
def test_ways_out(body, iterations):
    source = f"""
import numpy as np


def f(x: np.ndarray, s):
    y = np.zeros(x.shape[0])
    for i in {iterations}:
        {body}
    return s, y, i
"""
    arguments = [(X, 0.0), (-X, 1.0), (np.abs(X) + 0.5, 0.0), (X * np.nan, 0.0), (X[:2], 0.5)]
    text = check_agrees(source, *arguments)
    assert "jit" in text


def test_an_index_that_had_a_value_before():
    source = """
        import numpy as np

        def f(x: np.ndarray, n):
            i = -7
            s = 0.0
            for i in range(n):
                if x[i] < 0:
                    break
                s = s + x[i]
            return s, i
        """
    check_agrees(source, (X, 0), (X, 1), (X, 6))


def test_rows():
    source = """
        import numpy as np

        def f(xs: np.ndarray, ys: np.ndarray, limit):
            s = 0.0
            for i, (x, y) in enumerate(zip(xs * 2, ys), 1):
                if x > limit:
                    break
                if y < 0:
                    continue
                s = s + x * y * i
            return s
        """
    text = check_agrees(source, (X, X, 4.0), (X, X[:3], 100.0), (X, X, -100.0))
    assert "rows = xs * 2" in text


def test_an_endless_loop():
    source = """
        import numpy as np

        def f(x: np.ndarray):
            y = x
            n = 0
            while True:
                n += 1
                y = (y + x / y) / 2
                if np.abs(y * y - x).max() < 1e-9:
                    break
                if n > 50:
                    break
            return y, n
        """
    text = check_agrees(source, (np.array([2.0, 9.0]),), (np.array([np.nan]),))
    assert "lax.while_loop(" in text


STAYS = [
    "for i in range(n):\n        if x[i] > 0:\n            return None\n        x = x + 1",
]


@pytest.mark.parametrize("loop", STAYS)
def test_what_stays(loop):
    text = convert(f"import numpy as np\n\n\ndef f(x: np.ndarray, n):\n    {loop}\n    return x\n")[0]
    assert "for i in range(n)" in text and "jit" not in text


@pytest.mark.parametrize(
    "rest",
    [
        "s = s + np.sqrt(x[i])",
        "r = np.sqrt(x[i])\n        s = s + r",
        "if x[i] > 2:\n            continue\n        s = s + np.sqrt(x[i])",
    ],
)
def test_derivatives_are_finite_where_an_iteration_ends_early(rest):
    source = f"""
import numpy as np


def f(x: np.ndarray):
    s = 0.0
    for i in range(3):
        if x[i] <= 0:
            continue
        {rest}
    return s
"""
    text = check_agrees(source, (np.array([1.0, -2.0, 3.0]),), (np.zeros(3),))
    assert np.isfinite(jax.grad(run(text)["f"])(np.array([1.0, 0.0, 4.0]))).all()


def test_iterations_that_nobody_asks_for_are_counted():
    source = """
        import numpy as np

        def f(x: np.ndarray, n):
            for _ in range(n):
                if x[0] > 10:
                    break
                x = x * 2
            return x
        """
    text = check_agrees(source, (X, 0), (X, 2), (X, 9))
    assert "k + 1 < n" in text and "_ = " not in text


@pytest.mark.parametrize("end", ["break", "return c", "continue"])
def test_rows_of_an_array_that_is_bound_anew(end):
    """Python goes through the array that there was: a row looked up by its number would be one of the new array."""
    source = f"""
import numpy as np


def f(x: np.ndarray, y: np.ndarray):
    c = 0.0
    for v, w in zip(x, y):
        c += abs(w)
        y = y + c
        if c > 10 * v:
            {end}
        c = c / 2
    return c
"""
    check_agrees(source, (np.array([0.9, 2.1, -0.7]), np.array([-2.6, -0.95, 0.2])), (X, X))


def test_a_loop_over_rows_that_goes_on_early_needs_nothing_else_of_numpy():
    source = """
        import numpy as np

        def f(x: np.ndarray):
            c = 0.0
            k = 0
            for v in x:
                c += v * k
                if k > 2:
                    continue
                k += 1
            return k, c
        """
    assert "import jax.numpy as jnp" in check_agrees(source, (X,), (X[:2],))


@pytest.mark.parametrize("leave", ["continue", "break"])
@pytest.mark.parametrize("more", ["y[i] += i", "y[i] = y[i] / 2"])
def test_what_is_stored_before_an_iteration_ends_early_is_stored(leave, more):
    check_agrees(
        f"""
        import numpy as np

        def f(x: np.ndarray):
            y = np.zeros(len(x))
            for i in range(len(x)):
                y[i] = x[i] * 2
                if x[i] < 0:
                    {leave}
                {more}
            return y
        """,
        (X,),
        (X[::-1],),
    )


INDEX_ALONE = {
    "the index": "for i in range(len(x)):\n        if x[i] > t:\n            break\n    return i",
    "an item": "for i in range(len(x)):\n        if x[i] > t:\n            break\n    return x[i] * 2",
    "bound before": "i = -1\n    for i in range(1, len(x)):\n        if x[i] - x[i - 1] > t:\n            break\n    return i + 1",
    "backwards": "for i in range(len(x) - 1, -1, -1):\n        if x[i] < t:\n            break\n    return x[: 3], i",
}


@pytest.mark.parametrize("name", INDEX_ALONE)
def test_the_index_is_all_that_is_left_of_a_loop(name):
    x = np.array([1.5, -2.0, 3.0, 0.25, np.nan])
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, t: float):\n    {INDEX_ALONE[name]}\n"
    made = check_agrees(text, *((part, t) for part in (x, x[:1], x[1:3]) for t in (0.0, 2.0, 100.0)))
    assert "lax.while_loop(" in made


EXITS = """
import numpy as np


def tested(m, v):
    lam = 0
    for _ in range(40):
        w = np.dot(m, v)
        v = w / np.linalg.norm(w)
        new = np.dot(v.T, np.dot(m, v))
        if np.abs(new - lam) / new <= 1e-9:
            break
        lam = new
    return lam, v


def divided(m, v):
    lam = 0
    for _ in range(40):
        w = np.dot(m, v)
        v = w / np.linalg.norm(w)
        if np.abs(v[0] - lam) <= 1e-9:
            break
        lam = np.sqrt(np.dot(v, w)) / w[0]
    return lam, v
"""


def test_an_integer_before_the_loop_is_a_float_after_an_iteration():
    text = convert(EXITS, placement="fast")[0]
    old, new = run(EXITS), run(text)
    assert (
        "lax.cond" not in text.partition("def divided")[0]
    )  # a test is computed in every iteration, whatever is undefined in it
    for name in ("tested", "divided"):
        for dtype in (float, int):
            arguments = np.array([[2, 1], [1, 3]], dtype), np.array([1, 1], dtype)
            assert not compare_values(new[name](*arguments), old[name](*arguments))
