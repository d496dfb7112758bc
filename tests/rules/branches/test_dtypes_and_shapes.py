"""The dtypes and shapes of what branches give: where they may differ it is loud, or no choice."""

import contextlib

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, function, run


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ("if t > 0:\n    return x - 2\nreturn 0.0 - t", "x, t: float"),
        ("if t > 0:\n    return x * y\nreturn x", "x: np.ndarray, y: np.ndarray, t: float"),
        ("if t > 0:\n    return x > 0\nreturn x", "x: np.ndarray, t: float"),
        ("if t > 0:\n    return x.astype(np.float32)\nreturn x", "x: np.ndarray, t: float"),
    ],
)
def test_what_may_differ_is_loud(body, params):
    """`lax.cond` refuses sides of other shapes or dtypes, where `jnp.where` would stretch or promote them."""
    text, functions, _ = convert(function(body, params))
    assert "lax.cond(t > 0, lambda: " in text
    assert functions["f"].transform == "jit"


RESIZED = {
    "a slice": "if x[0] > 0:\n    y = x[1:]\nelse:\n    y = x\nreturn y * 2",
    "a slice of the variable itself": "y = x * 2\nif x[0] > 0:\n    y = y[:1]\nreturn y * 2",
    "a slice, later in arithmetic": "if x[0] > 0:\n    t = x[:-2]\n    y = t + 1\nelse:\n    y = x * 3\nreturn y",
    "two slices": "if x[0] > 0:\n    y = x[:2]\nelse:\n    y = x[:-2]\nreturn y",
    "a slice with a variable": "if x[0] > 0:\n    y = x[:k]\nelse:\n    y = x\nreturn y",
    "a new axis": "if x[0] > 0:\n    y = x[:, None]\nelse:\n    y = x\nreturn y",
    "a column": "if x[0] > 0:\n    y = x.reshape(-1, 1)\nelse:\n    y = x\nreturn y",
    "twice as long": "y = x\nif x[0] > 0:\n    y = np.concatenate([x, x])\nreturn y",
    "one shorter": "if x[0] > 0:\n    y = np.diff(x)\nelse:\n    y = np.sqrt(x)\nreturn y",
    "a sum": "y = x * 2\nif x[0] > 0:\n    y = y.sum(axis=0, keepdims=True)\nreturn y * 2",
    "results": "if x[0] > 0:\n    return x[1:]\nreturn x",
    "a conditional": "y = x[1:] if x[0] > 0 else x\nreturn y",
    "a conditional in a loop": (
        "s = np.zeros(len(x))\nfor i in range(len(x)):\n    s[i] = (x[:1] if x[i] > 0 else x).sum()\nreturn s"
    ),
    "in each iteration": "y = x\nfor i in range(k):\n    if y[0] > 0:\n        y = y[:1] - 2\nreturn y",
}


@pytest.mark.quick(6)
@pytest.mark.parametrize("body", RESIZED.values(), ids=RESIZED)
def test_python_chooses_between_an_array_and_a_part_of_it(body):
    """Their shapes differ: `lax.cond` raised TypeError."""
    text = check_agrees(
        function(body, "x: np.ndarray, k: int"), *((sign * np.array([3.0, 1.0, 2.0, 5.0]), 2) for sign in (1, -1))
    )
    assert "lax.cond" not in text and "jnp.where" not in text


SAME = {
    "both without one item": "if x[0] > 0:\n    y = x[1:]\nelse:\n    y = x[:-1]\nreturn y",
    "differences": "if x[0] > 0:\n    y = x[1:] - x[:-1]\nelse:\n    y = x[1:]\nreturn y",
    "all of it": "if x[0] > 0:\n    y = x[:]\nelse:\n    y = x\nreturn y",
    "reversed": "if x[0] > 0:\n    y = x[::-1]\nelse:\n    y = x\nreturn y",
}


@pytest.mark.parametrize("body", SAME.values(), ids=SAME)
def test_parts_of_one_length_are_selected(body):
    text = check_agrees(function(body), *((sign * np.array([3.0, 1.0, 2.0, 5.0]),) for sign in (1, -1)))
    assert "@jax.jit" in text and "if x[0]" not in text


LEARNED = {
    "w += lr * y[i] * X[i]; b += lr * y[i]": "jnp.where",
    "w = w + lr * y[i] * X[i]; b = b + lr * y[i]": "jnp.where",
    "w = w + lr * np.dot(X[i], y[i]); b = lr * y[i] + b": "lax.cond",
    "w = np.maximum(w, lr * X[i]); b = -b - y[i]": "jnp.where",
    "b -= lr * y[i]; w = w + lr * np.dot(y[i], X[i])": "lax.cond",
}


@pytest.mark.parametrize("iteration", LEARNED)
@pytest.mark.parametrize("start", ["0", "0.0"])
def test_what_a_loop_carries_beside_an_array_of_unknown_dtype(iteration, start):
    source = f"""
    import numpy as np

    def f(X, y, lr, n):
        w = np.zeros(X.shape[1])
        b = {start}
        for _ in range(n):
            for i in range(len(X)):
                if y[i] * (np.dot(X[i], w) + b) <= 0:
                    {iteration}
        return w, b
    """
    X = np.array([[1.0, -2.0], [0.5, 3.0], [np.nan, 1.0]])
    y = np.array([1.0, -1.0, 1.0])
    text = check_agrees(
        source, (X, y, 0.1, 3), (X, y.astype(np.float32), 0.5, 2), (np.arange(6).reshape(3, 2), y.astype(int), 0.5, 2)
    )
    assert LEARNED[iteration] in text and "b = jnp.where" in text, text


STRETCHED = {
    "no array is carried": "t = 0.0\n    for i in range(len(y)):\n        if y[i] > 1:\n            t = t + x\n    return t",
    "it is read in the turn": (
        "t = 0.0\n    s = 0.0\n    for i in range(len(y)):\n        if y[i] > 1:\n            t = t + x\n"
        "        s = s + np.sum(t)\n        t = 0.0\n    return s"
    ),
    "there is no loop": "t = 0.0\n    if y[0] > 1:\n        t = t + x\n    return t",
    "unrolled": "t = 0.0\n    for k in range(2):\n        if y[k] > 1:\n            t = t + x\n    return t",
}


@pytest.mark.parametrize("body", STRETCHED.values(), ids=STRETCHED)
def test_where_stretches_no_number(body):
    """NumPy's result has the shape of the side that was taken: JAX raises where they differ, whatever it is compiled to."""
    source = f"import numpy as np\n\ndef f(x, y):\n    {body}\n"
    text, functions, _diagnostics = convert(source)
    for y in (np.array([0.0, 0.5]), np.array([0.0, 2.0])):
        with contextlib.suppress(TypeError):
            agrees_on(source, text, functions["f"], (np.arange(3.0), y))
        agrees_on(source, text, functions["f"], (np.float64(3.0), y))


FLOATS = {
    "return np.linalg.norm(x) if c > 0 else 0": "lambda: 0.0)",
    "if c > 0:\n        return np.std(x) / 2\n    if c < -5:\n        return np.linalg.norm(x)\n    return -1": "lambda: -1.0)",
    "p = 0\n    if c > 0:\n        p = np.linalg.norm(x)\n    return p": "jnp.asarray(p, float)",
    "if c > 0:\n        p = 2 + np.median(x)\n    else:\n        p = 3\n    return p": "lambda: 3.0)",
    "n = 0\n    for v in x:\n        if v > c:\n            n = np.linalg.norm(x - v) + n\n    return n": "jnp.asarray(n, float)",
    "return np.argmax(x) if c > 0 else -1": "lambda: -1)",
    "return np.linalg.norm(x) if c > 0 else c": "lambda: c)",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("body", FLOATS)
def test_an_integer_beside_what_is_floating_point(body):
    """`lax.cond` refuses it; NumPy's result is an integer on that side."""
    source = f"import numpy as np\n\ndef f(x: np.ndarray, c: float):\n    {body}\n"
    text, functions, _diagnostics = convert(source)
    assert FLOATS[body] in text, text
    for c in (1.0, -2.0, -10.0, 100.0):
        x = np.array([1.0, -2.0, 3.5])
        got, want = run(text)["f"](x, c), run(source)["f"](x, c)
        assert np.isclose(got, want) and functions["f"].label != "kept"


def test_bounds_that_start_as_integers():
    source = """
    import numpy as np

    def f(a, b, n, y):
        for _ in range(n):
            m = (a + b) / 2
            if m * m > y:
                b = m
            else:
                a = m
        return a, b
    """
    text = check_agrees(source, (0, 4, 10, 2), (0.0, 4.0, 10, 2.0), (np.float64(0.0), np.float64(4.0), 3, np.float64(2.0)))
    assert "lax.cond" not in text


def test_a_variable_that_is_bound_twice_tells_nothing_of_what_it_is_made_of():
    source = """
    import numpy as np

    def f(a, b, y):
        m = a * b
        total = np.sum(m)
        m = y * 2
        if m > 3:
            total = total + m
        return total, a + b
    """
    check_agrees(source, (np.arange(3.0), np.ones(3), 2.0), (np.ones((2, 2)), np.ones(2), 1.0))


def test_a_quotient_before_another_test():
    source = """
    import numpy as np

    def f(s, k):
        held = 0
        cash = 100.0
        for i in range(1, len(s)):
            if s[i] > s[i - 1] and held == 0:
                held = cash / s[i]
                cash = 0
            elif s[i] < s[i - 1] and held > 0:
                cash = held * s[i]
                held = 0
        return cash + held * s[-1]
    """
    s = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0, 1.0])
    check_agrees(source, (s, 1), (s.astype(np.float32), 1), (np.array([1, 2, 3, 1, 2]), 1))


def test_what_a_variable_was_before_is_not_learned_of_it():
    source = """
    import numpy as np

    def f(a, w):
        total = a @ w
        a = np.sum(a)
        m = 2 * a
        if m > 3:
            total = total + m
        return total
    """
    check_agrees(source, (np.ones((2, 2)), np.ones(2)), (np.ones(2), np.ones(2)), keep=True)


def test_rows_of_what_was_a_matrix():
    source = """
    import numpy as np

    def f(x, i, w):
        first = x[i] @ w
        x = x[0]
        m = x[i] * 2
        if m > 3:
            first = first + m
        return first
    """
    check_agrees(source, (np.ones((2, 2)), 1, np.ones(2)), (3 * np.ones((2, 2)), 1, np.ones(2)), keep=True)
