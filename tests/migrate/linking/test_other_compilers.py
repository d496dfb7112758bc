"""What another compiler gets stays as it is: Numba cannot compile functions of JAX."""

import pytest

from np2jax.tests.helpers.differential import convert_project

WORK = """
import numpy as np


def steps(x: np.ndarray):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + np.sin(x[i])
    return y


def both(x: np.ndarray):
    return steps(x) + steps(x[::-1])


def other(x: np.ndarray):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + np.cos(x[i])
    return y
"""


def left(text, placement="fast"):
    texts, functions, _diagnostics = convert_project({"m.py": WORK + text}, placement=placement)
    assert "_other" in texts["m.py"] or functions["m.other"].label != "kept"
    return {name[2:] for name, f in functions.items() if f.codes[:1] == ("NJ501",) and "compiles it already" in f.reason}


@pytest.mark.parametrize("placement", ["fast", "device"])
@pytest.mark.parametrize(
    "line",
    [
        "from numba import njit\nfast = njit(steps)",
        "import numba\nfast = numba.jit(nopython=True)(steps)",
        "import numba as nb\nfast = nb.njit(fastmath=True)(steps)",
        "import torch\nfast = torch.compile(steps)",
        "import numba\nFAST = {'steps': numba.njit(steps)}",
        "import numba\ndef fast():\n    return numba.njit(steps)",
    ],
)
def test_a_function_that_is_given_to_a_compiler(line, placement):
    assert left(line, placement) == {"steps"}


def test_what_it_calls_is_compiled_with_it():
    assert left("import numba\nfast = numba.njit(both)") == {"both", "steps"}


@pytest.mark.parametrize("result", ["steps", "lambda x: steps(x)"])
def test_an_implementation_that_an_overload_returns(result):
    overload = f"from numba.extending import overload\n\ndef f(x):\n    pass\n\n@overload(f)\ndef f_ol(x):\n    return {result}\n"
    assert left(overload) >= {"steps"} and "other" not in left(overload)


@pytest.mark.parametrize(
    "line",
    [
        "import numba\nprint(numba.__version__, steps)",
        "import torch\ny = torch.from_numpy(steps(np.ones(3)))",
        "def njit(f):\n    return f\nfast = njit(steps)",
    ],
)
def test_other_uses(line):
    assert left(line) == set()
