"""Lambdas and nested functions that a call passes to a function of the file: the copy that jit compiles calls them at the module's level."""

import textwrap

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

SOLVER = """
import numpy as np


def euler(f, y0, h, n, scale=1.0):
    y = np.zeros((n + 1, len(y0)))
    y[0] = y0
    for k in range(n):
        y[k + 1] = y[k] + scale * h * f(k * h, y[k])
    return y


def handed_on(f, y0, h, n):
    return euler(f, y0, h, n) + inner(f, y0)


def inner(g, y):
    return g(0.0, y)


def prepared(f, y0, h, n):
    y = euler(f, y0, h, n)
    return lambda t: f(t, y[-1])


"""


def check(rest):
    """Convert the solver with more code, and compare `main()`. Returns the text."""
    source = SOLVER + textwrap.dedent(rest)
    made, _functions, _diagnostics = convert(source, placement="fast")
    assert not compare_values(run(made)["main"](), run(source)["main"]())
    return made


@pytest.mark.parametrize(
    "body",
    [
        "return euler(lambda t, y: -2 * y + t, np.ones(3), 0.1, 20)",
        "return euler(h=0.1, n=20, y0=np.ones(3), f=lambda t, y: -2 * y + t)",
        "f = lambda t, y: np.sin(t) * y\n    return euler(f, np.ones(3), 0.1, 20)",
        "def f(t, y):\n        z = y * y\n        return -z + np.cos(t)\n    return euler(f, np.ones(3), 0.1, 20)",
        "k = 0.5\n    return euler(lambda t, y: -k * y, np.ones(3), 0.1, 20)",
        "State = np.ndarray\n    def f(t: float, y: State) -> State:\n        return -y\n    return euler(f, np.ones(3), 0.1, 20)",
        "a = np.array([[0.0, 1.0], [-1.0, -0.1]])\n    f = lambda t, y: a @ y\n    return euler(f, np.ones(2), 0.1, 20)",
        "k = 0.5\n    f = lambda t, y: -k * y\n    k = 2.0\n    return euler(f, np.ones(3), 0.1, 20, 0.5)",  # k as it is then
        "f = lambda t, y: -y\n    return euler(f, np.ones(3), 0.1, 20), f(0.0, 1.0)",
    ],
)
def test_the_copy_calls_it(body):
    made = check(f"def main():\n    {body}\n")
    assert "def _main_f(" in made and "def _euler_main_f(" in made and "lax.scan" in made and "_main_f_jax" not in made, made


def test_each_lambda_has_a_copy_of_its_own():
    made = check(
        """
        DECAY = lambda t, y: -y


        def main():
            found = []
            for k in (1.0, 2.0):
                found.append(euler(lambda t, y: -k * y, np.ones(3), 0.1, 20)[-1])
            return found, euler(DECAY, np.ones(3), 0.1, 20)[-1], euler(lambda t, y: t * y, np.ones(3), 0.1, 20)[-1]
        """
    )
    assert made.count("\ndef _euler_") == made.count("lax.scan(") == 3, made


@pytest.mark.parametrize(
    "body",
    [
        "f = lambda t, y: -y\n    f = lambda t, y: y\n    return euler(f, np.ones(3), 0.1, 20)",
        "return [euler(f, np.ones(3), 0.1, 20) for f in (lambda t, y: -y, lambda t, y: y)]",
        "k = 0.5\n    return handed_on(lambda t, y: -k * y, np.ones(3), 0.1, 20)",
        "k = 0.5\n    g = prepared(lambda t, y: -k * y, np.ones(3), 0.1, 20)\n    k = 2.0\n    return g(0.0)",  # k as it is later
        "return euler(lambda t, y, k=0.5: -k * y, np.ones(3), 0.1, 20)",
        "def f(t, y):\n        return y if t < 1 else f(t - 1, y)\n    return euler(f, np.ones(3), 0.1, 20)",
        "seen = []\n    def f(t, y):\n        seen.append(t)\n        return -y\n    return euler(f, np.ones(3), 0.1, 20), seen",
        "calls = 0\n    def f(t, y):\n        nonlocal calls\n        calls += 1\n        return -y\n    return euler(f, np.ones(3), 0.1, 20), calls",
        "def f(t, y):\n        yield -y\n    return len(list(f(0, 1)))",
        "f = np.multiply if np.pi > 3 else (lambda t, y: -y)\n    return euler(f, np.ones(3), 0.1, 20)",
    ],
)
def test_what_stays_an_argument_stays_right(body):
    check(f"def main():\n    {body}\n")


def test_values_that_are_not_finite_and_exceptions():
    made = check(
        """
        def main():
            k = np.array([np.nan, np.inf, -0.0])
            return euler(lambda t, y: k * y, np.ones(3), 0.1, 3)
        """
    )
    source = SOLVER + "def main(k):\n    return euler(lambda t, y: k * y, np.ones(3), 0.1, 3)\n"
    for text in (source, convert(source, placement="fast")[0]):
        with pytest.raises((ValueError, TypeError)):  # of JAX: shapes that do not fit
            run(text)["main"](np.ones(4))
    assert "_main_f" in made
