"""Loops over lags: `x[: n - k]` beside `x[k:]`, how far k goes being a parameter; an `assert` says that the array is as long."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, run

PAIRS = {
    "products": "np.sum(x[: n - k] * x[k:])",
    "len": "np.sum(x[: len(x) - k] * x[k:])",
    "from the end": "np.sum(np.abs(x[k:] - x[: x.shape[0] - k]))",
    "centred": "np.dot(x[: n - k] - m, x[k:] - m) / n",
    "one side": "np.mean(x[: n - k])",
    "turned round": "np.sum(np.flip(x[: n - k]) * x[k:])",
    "names": "0\n        a = x[: n - k] - m\n        b = x[k:] - m\n        out[k] = np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))",
    "names, the other way": "0\n        a = x[: n - k]\n        b = x[k:]\n        d = b - a\n        out[k] = np.mean(d**2) + np.max(b)",
}
RANGES = ("range(w)", "range(1, w)", "range(w - 1, -1, -1)", "range(0, w, 2)")


def text_of(pair, iterations):
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, w):\n    assert x.ndim == 1\n    n = len(x)\n    m = np.mean(x)\n    out = np.zeros(w)\n    for k in {iterations}:\n        out[k] = {PAIRS[pair]}\n    return out\n"


@pytest.mark.quick(4)
@pytest.mark.parametrize("iterations", RANGES)
@pytest.mark.parametrize("pair", PAIRS)
def test_how_far_lags_go_is_said(pair, iterations):
    x = np.array([3.0, -1.0, 2.0, 0.5, np.nan, 7.0, 1.0])
    calls = [(x, 1), (x, 3), (x, 7), (x[:2], 2), (x[5:], 1), (np.array([4, -2, 9, 1]), 3), (np.array([1e300, 2.0, np.inf]), 2)]
    made = check_agrees(text_of(pair, iterations), *calls)
    assert 'static_argnames="w"' in made and ("assert w <= " in made) is (pair != "one side")


def test_more_lags_than_the_array_has():
    """NumPy raises, or counts from the end: the converted code always raises."""
    text = text_of("products", "range(w)")
    made, functions, _diagnostics = convert(text)
    agrees_on(text, made, functions["f"], (np.arange(3.0), 4))
    with pytest.raises(AssertionError):
        run(made)["f"](np.arange(3.0), 5)
    with pytest.raises(ValueError):
        run(text)["f"](np.arange(3.0), 5)


def test_lags_of_what_may_have_rows():
    """Nothing is said of its dimensions: chains beside each other are as likely."""
    text = "import numpy as np\n\n\ndef f(x, w):\n    n = len(x)\n    c = x - x.mean()\n    return np.array([np.mean(c[k:] * c[: n - k]) for k in range(w)])\n"
    made = check_agrees(text, (np.arange(12.0).reshape(6, 2), 3), (np.arange(6.0), 2))
    assert "ndim" not in made


ROWS = {
    "norms": "np.mean(np.sum((x[k:] - x[: n - k]) ** 2, axis=1))",
    "a name": "0\n        d = x[k:] - x[: n - k]\n        out[k] = (d**2).sum(axis=1).mean()",
    "of NumPy": "np.linalg.norm(x[k:] - x[: n - k], axis=1).max()",
    "columns": "np.sum(x[k:].mean(axis=-2))",
}


@pytest.mark.parametrize("name", ROWS)
def test_how_many_dimensions_an_axis_tells(name):
    text = f"import numpy as np\n\n\ndef f(x, w):\n    n = x.shape[0]\n    out = np.zeros(w)\n    for k in range(1, w):\n        out[k] = {ROWS[name]}\n    return out\n"
    x = np.random.default_rng(0).normal(size=(6, 2))
    made = check_agrees(text, (x, 3), (x, 1), (x[:, :1], 5), (x.round().astype(int), 4))
    assert "jax.jit" in made and "assert x.ndim == 2" in made


def test_an_axis_tells_nothing_of_what_meets_another_array():
    """`x[: k]` has one dimension beside `a`, which has two."""
    text = """
        import numpy as np

        def f(a: np.ndarray, x):
            n = x.shape[0]
            out = np.zeros(n)
            for k in range(1, n):
                out[k] = np.sum(a[:, : k] * x[: k], axis=1)[0]
            return out
    """
    made = check_agrees(text, (np.arange(12.0).reshape(3, 4), np.array([2.0, -1.0, 0.5, 3.0])))
    assert "x.ndim == 2" not in made


NOT_BOUNDED = {
    "a traced number": ("range(int(x[0]))", "np.sum(x[: n - k])"),
    "another array": ("range(len(y))", "np.sum(y[k:])"),
    "its items": ("y", "np.sum(x[: n - k])"),
    "beyond in the text": ("range(w)", "np.sum(x[: k - n])"),
}


@pytest.mark.parametrize("name", NOT_BOUNDED)
def test_nothing_is_said_of_what_is_not_known(name):
    iterations, term = NOT_BOUNDED[name]
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray, w):\n    n = len(x)\n    out = np.zeros(3)\n    for k in {iterations}:\n        out[0] += {term}\n    return out\n"
    made = check_agrees(text, (np.array([2.0, 1.0, 4.0]), np.array([1, 2, 0]), 2), (np.array([1.0, 3.0]), np.array([1, 1, 1]), 0))
    assert "assert w" not in made and "<= n" not in made
