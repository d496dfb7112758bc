"""Loops that print now and then: the iterations in between are compiled, and what is printed is what NumPy prints."""

import contextlib
import io
import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

HEAD = "import numpy as np\n\n\ndef f(x: np.ndarray, n: int, every: int = 10, verbose=True):\n    total = 0.0\n"
STEP = "x = np.sin(x) + 0.5\nnorm = np.abs(x).max()\ntotal += norm\n"
COMPILED = {
    "at the end": STEP + "if i % 10 == 0:\n    print(i, round(norm, 6))",
    "at the start": "if i % 10 == 0:\n    print(i)\n" + STEP,
    "in the middle": "x = np.sin(x) + 0.5\nnorm = np.abs(x).max()\nif (i + 1) % 7 == 0:\n    print(f'{i + 1}: {norm:.4f}')\ntotal += norm",
    "not": STEP + "if not i % 10:\n    print(i, f'{norm:.4f}')",
    "a remainder": STEP + "if i % 10 == 3:\n    print(i, f'{norm:.4f}')",
    "shifted back": STEP + "if (i - 2) % 10 == 0:\n    print(i, f'{norm:.4f}')",
    "a variable": STEP + "if i % every == 0:\n    print(i, f'{norm:.4f}')",
    "verbose": STEP + "if verbose and i % every == 0:\n    print(i, f'{norm:.4f}', f'{total:.4f}')",
    "and a loop": STEP + "for k in range(3):\n    x = x * 0.5\nif i % 10 == 0:\n    print(i, f'{norm:.4f}')",
}
STAYS = {
    "each iteration": STEP + "print(i, norm)",
    "another condition": STEP + "if norm > 1.2:\n    print(i, norm)",
    "a changing period": STEP + "if i % every == 0:\n    print(i, norm)\n    every = every + 1",
    "it ends the loop": STEP + "if i % 10 == 0:\n    print(i, norm)\n    if norm < 0.1:\n        break",
    "what is printed changes afterwards": "norm = np.abs(x).max()\nif i % 10 == 0:\n    print(i, norm)\nnorm = norm + 1.0\nx = x * norm\ntotal += norm",
    "an array that changes in place afterwards": "norm = 1.0\nif i % 10 == 0:\n    print(i, x)\nx[0] = i\ntotal += norm",
    "it changes what is read afterwards": STEP + "if i % 10 == 0:\n    print(i, norm)\n    x = x * 0.0\ntotal += x.sum()",
    "two of them": "if i % 10 == 0:\n    print(i)\n" + STEP + "if i % 7 == 0:\n    print(i, norm)",
    "another bound": "if i % 2.5 == 0:\n    print(i)\n" + STEP,
}


def written(body, loop="for i in range(n):"):
    return HEAD + f"    {loop}\n" + textwrap.indent(body, "        ") + "\n    return x, total\n"


def called(text, *args):
    """What a function prints and returns, or raises."""
    function = run(text)["f"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            result = function(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
        except ZeroDivisionError as error:
            result = type(error).__name__
    return result, out.getvalue()


def check_same(text, made, *args):
    (want, printed), (got, again) = called(text, *args), called(made, *args)
    assert printed == again, made
    assert not compare_values(got, want), made


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_in_between(name):
    text = written(COMPILED[name])
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    for n, every, verbose in ((25, 10, True), (1, 10, True), (0, 10, True), (31, 4, False), (30, -4, True), (5, 0, True)):
        check_same(text, made, np.array([0.1, 2.0, -3.0]), n, every, verbose)


@pytest.mark.parametrize("name", STAYS)
def test_stays_python(name):
    text = written(STAYS[name])
    made, _functions, _diagnostics = convert(text, placement="fast")
    assert "jit" not in made, made
    check_same(text, made, np.array([0.1, 2.0, -3.0]), 25)


@pytest.mark.parametrize("loop", ["for i in range(2, n):", "for i in range(len(x), n + 1):"])
def test_other_ranges(loop):
    text = written(COMPILED["at the end"], loop)
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    for n in (25, 3, 1):
        check_same(text, made, np.array([0.1, 2.0, -3.0]), n)


def test_index_is_an_integer_of_python():
    text = written("x = np.sin(x) + 0.5\nif i % 10 == 0:\n    print(type(i), x.sum())", "for i in range(int(x.size > 5), n):")
    text = text.replace("n: int", "n")
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    check_same(text, made, np.array([0.5]), np.int64(21))
    with pytest.raises(TypeError):
        run(made)["f"](np.array([0.5]), 2.5)


def test_method():
    """Attributes that the iterations change, and a loss that is printed."""
    text = """\
import numpy as np


class Model:
    def __init__(self, n: int):
        self.w = np.zeros(n)
        self.b = 0.0

    def fit(self, X: np.ndarray, y: np.ndarray, steps: int):
        for step in range(steps):
            error = X @ self.w + self.b - y
            loss = np.mean(error**2)
            self.w = self.w - 0.1 * (X.T @ error) / len(y)
            self.b = self.b - 0.1 * np.mean(error)
            if step % 20 == 0:
                print(f"{step}: {loss:.6f}")
        return self


def f(X, y, steps):
    model = Model(X.shape[1]).fit(X, y, steps)
    return model.w, model.b
"""
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["Model.fit"].transform == "outlined", made
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    for steps in (0, 1, 45):
        check_same(text, made, X, X @ np.arange(4.0), steps)


def test_lists_of_what_is_printed():
    """Numbers of all iterations in one list, and arrays of some in another one."""
    text = """\
import numpy as np


def f(u: np.ndarray, n: int):
    frames, norms = [], []
    for k in range(n):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        norms.append(0.5 * np.abs(u).max())
        if (k + 1) % 10 == 0:
            frames.append(u.copy())
            print(k, round(norms[-1], 6))
    return frames, norms
"""
    made, functions, _diagnostics = convert(text, placement="fast")
    assert functions["f"].transform == "outlined", made
    for n in (35, 10, 0):
        check_same(text, made, np.arange(6.0), n)
