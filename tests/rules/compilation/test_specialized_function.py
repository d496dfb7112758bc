"""Functions that get functions: a copy for each of those that the file passes, where jit compiles something of it."""

import textwrap

import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, placement="fast")

SOLVER = """
import numpy as np


def spring(t, y):
    return np.array([y[1], -y[0] - 0.1 * y[1] * t])


def growth(t, y):
    return y * (1.0 - y)


def rk2(f, y, t, h, n, project=None):
    \"\"\"Steps of the midpoint method.\"\"\"
    ts = [t]
    ys = [y]
    for k in range(n):
        middle = y + 0.5 * h * f(t, y)
        y = y + h * f(t + 0.5 * h, middle)
        t = t + h
        ts.append(t)
        ys.append(y)
    return np.array(ts), np.array(ys)


"""


def check(rest, placement="fast"):
    """Convert the solver with more code, and compare `main()`. Returns the text and the functions."""
    source = SOLVER + textwrap.dedent(rest)
    made, functions, _diagnostics = convert(source, placement=placement)
    assert not compare_values(run(made)["main"](), run(source)["main"]())
    return made, functions


@pytest.mark.parametrize(
    "call",
    [
        "rk2(spring, np.array([1.0, 0.0]), 0.0, 0.1, 30)",
        "rk2(f=spring, y=np.array([1.0, 0.0]), t=0.0, h=0.1, n=30)",
        "rk2(spring, np.array([1.0, 0.0]), 0.0, 0.1, n=0)",
        "rk2(spring, np.array([1.0, 0.0]), 0.0, 0.1, 7, spring)[1]",
    ],
)
@pytest.mark.parametrize("placement", ["fast", "device"])
def test_a_function_of_the_file(call, placement):
    made, functions = check(f"def main():\n    return {call}\n", placement)
    assert made.count("lax.scan") == 1 and "def _rk2_spring" in made and "def rk2(f, y, t, h, n" in made
    assert "_rk2_spring" not in functions


def test_two_functions_and_the_code_of_the_module():
    made, _functions = check(
        """
        START = rk2(growth, np.full(3, 0.1), 0.0, 0.1, 5)[1][-1]


        def main():
            return rk2(growth, START, 0.0, 0.1, 5), rk2(spring, START[:2], 0.0, 0.1, 5)
        """
    )
    assert (
        "def _rk2_growth(" in made
        and "def _rk2_spring(" in made
        and "START = np.array(_rk2_growth(" in made.replace("_to_numpy", "np.array")
    )


@pytest.mark.parametrize(
    "rest",
    [
        "def main():\n    return rk2(np.multiply, np.ones(2), 0.0, 0.1, 3)\n",
        "def main():\n    f = spring if len(SOME) > 2 else growth\n    return rk2(f, np.ones(2), 0.0, 0.1, 3)\n\n\nSOME = [1]\n",
        "def main():\n    return rk2(*[growth, np.ones(2), 0.0, 0.1, 3])\n",
        "def main():\n    return [rk2(f, np.ones(2), 0.0, 0.1, 3) for f in (spring, growth)]\n",
    ],
)
def test_other_functions_stay_arguments(rest):
    assert "_rk2_" not in check(rest)[0]


@pytest.mark.parametrize(
    "body",
    [
        "f = f or growth\n    for k in range(n):\n        y = y + f(k, y)\n    return y",  # another function
        "growth = 0.5\n    for k in range(n):\n        y = y + f(k, y) * growth\n    return y",  # the name is taken
        "return np.array([f(k, y) * growth for k in range(n) for growth in (1, 2)])",
        "def inner(f):\n        return f(1, y)\n    return inner(f) + inner(spring)",
        "return y + f(n, y)",  # nothing is gained
        "print(f(n, y))\n    return y",
    ],
)
def test_functions_that_stay_as_they_are(body):
    made, _functions = check(f"def steps(f, y, n):\n    {body}\n\n\ndef main():\n    return steps(growth, np.full(2, 0.5), 4)\n")
    assert "_steps_growth" not in made or "@jax.jit\ndef _steps_growth" in made


def test_a_function_that_changes_its_argument_or_prints():
    rest = """
        calls = []


        def noisy(t, y):
            calls.append(t)
            return y * 0.5


        def main():
            return rk2(noisy, np.ones(2), 0.0, 0.1, 3), calls
        """
    assert "_rk2_noisy" not in check(rest)[0]


def test_the_copy_has_no_docstring_and_the_function_keeps_its_comments():
    source = SOLVER.replace("def rk2", "# the midpoint method\ndef rk2")
    made = convert(source + "def main():\n    return rk2(growth, np.ones(2), 0.0, 0.1, 3)\n", placement="fast")[0]
    assert made.count("# the midpoint method\n") == 1 and made.count("Steps of the midpoint method") == 1


def test_a_function_that_returns_a_list_without_naming_numpy():
    made, _functions = check(
        """
        def euler(f, y, h, n):
            t = 0.0
            path = []
            for k in range(n):
                y = y + h * f(t, y)
                t = t + h
                path.append(y)
            return path


        def main():
            return euler(spring, np.array([1.0, 0.0]), 0.1, 20), euler(growth, np.full(3, 0.1), 0.1, 0)
        """
    )
    assert "def _euler_spring_loop(" in made and "list(" in made


def test_recursion_with_the_function():
    made, _functions = check(
        """
        def halves(f, x, n):
            for k in range(20):
                x = x + f(k, x) * 1e-3
            return x if n == 0 else halves(f, x, n - 1)


        def main():
            return halves(growth, np.full(3, 0.2), 2)
        """
    )
    assert "def halves(f, x, n)" in made


def test_values_that_are_not_finite():
    check(
        "def main():\n    return rk2(growth, np.array([np.nan, np.inf, -1.0, 0.0]), 0.0, 0.1, 5), rk2(growth, np.zeros(0), 0.0, 0.1, 2)\n"
    )
