"""Slices whose width is a parameter, of which nothing but its use tells what it is."""

import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_or_asserts, check_agrees, convert, run
from np2jax.tests.programs.generators.slices import width_programs


def check(seed):
    """Whether a program ran in NumPy and agreed, and whether jit compiles it."""
    text = width_programs.program(seed)
    made, functions, _diagnostics = convert(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = [agrees_or_asserts(text, made, functions["f"], call) for call in width_programs.calls(seed, text)]
    return any(ran), "jax.jit" in made


WIDTHS = {
    "from the index on": "for i in range(n - w + 1):\n        out[i] = np.mean(x[i : i + w])",
    "up to it": "for i in range(w, n):\n        out[i] = np.max(x[i - w : i])",
    "with it": "for i in range(w - 1, n):\n        out[i] = np.std(x[i - w + 1 : i + 1])",
    "around it": "for i in range(w, n - w):\n        out[i] = np.median(x[i - w : i + w + 1])",
    "with names": "for i in range(n - w + 1):\n        lo = i\n        hi = i + w\n        part = x[lo:hi]\n        out[i] = part.sum()",
    "cut off": "for i in range(n):\n        lo = max(0, i - w)\n        hi = min(n, i + w + 1)\n        out[i] = np.min(x[lo:hi])",
}


def text_of(body):
    return f"import numpy as np\n\n\ndef f(x, w):\n    n = len(x)\n    out = np.zeros(n)\n    {body}\n    return out\n"


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", WIDTHS)
def test_a_width_is_no_traced_number(name):
    x = np.array([3.0, -1.0, 2.0, 0.5, np.nan, 7.0, 1.0])
    calls = [(x, 1), (x, 3), (x[:3], 3), (x.astype(np.float32), 2), ([1, 2, 3, 4], 2)]
    made = check_agrees(text_of(WIDTHS[name]), *calls)
    assert "static_argnames" in made and ("_windows(" in made) is (name != "cut off")
    with pytest.raises(AssertionError):
        run(made)["f"](x, -1)


def test_lags_of_a_loop_that_begins_later():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, w):\n    y = np.zeros(len(x) + w)\n    for i in range(w, len(x)):\n        y[i] = x[i] - x[i - w]\n    return y\n"
    x = np.array([3.0, -1.0, 2.0, 0.5])
    check_agrees(text, (x, 1), (x, 0), (x, 3), (x, 5))


def test_a_slice_that_starts_at_the_greatest_of_traced_numbers():
    text = text_of("for i in range(n):\n        out[i] = np.argmin(x[max(i - w, 0) : min(i + w, n)])")
    check_agrees(text, (np.array([3.0, -1.0, 2.0, 0.5]), 2))


SEARCHES = {
    "from the index on": "k = i + np.argmin(x[i:])",
    "down from the greatest": "k = np.argmax(np.abs(x[i:])) + i",
    "a column": "k = i + np.argmax(np.abs(np.outer(x, x)[i:, i]))",
    "before": "k = np.argmax(x[: i + 1])",
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", SEARCHES)
def test_positions_of_extremes(name):
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    p = np.arange(len(x))\n    for i in range(len(x)):\n        {SEARCHES[name]}\n        p[i], p[k] = p[k], p[i]\n    return p\n"
    odd = [[3.0, -1.0, 2.0, -1.0, 3.0], [np.nan, 1.0, np.nan], [np.inf, np.inf, -np.inf, -np.inf], [2.0, 2.0, 2.0]]
    made = check_agrees(text, *((np.array(each),) for each in odd), (np.array([4, -4, 4, 0]),))
    assert name == "a column" or "@jax.jit" in made


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed):
    check(seed)
