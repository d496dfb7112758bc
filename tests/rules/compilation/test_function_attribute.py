"""Attributes that compiled functions lack."""

import pytest

from np2jax.tests.helpers.differential import convert, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

test_example = example_of(__name__)

TEXT = """
import numpy as np


def window(n: int, beta=8.6):
    return np.exp(-beta * np.linspace(-1.0, 1.0, n) ** 2)


def f(g=window):
"""

test_left = leaves(
    __name__,
    "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return f.__name__, f.__doc__, x.size\n",
    "def g(x=1):\n    return x\n\n\ndef f():\n    return g.__defaults__\n",
    "import inspect\n\nimport numpy as np\n\n\ndef f(g):\n    return inspect.unwrap(g).__defaults__, np.pi\n",
)


@pytest.mark.parametrize(
    "line",
    [
        "return g.__defaults__[0]",
        "return eval('window').__defaults__",
        "return g.__code__.co_varnames",
        "return window.__kwdefaults__",
    ],
)
def test_the_attributes_are_those_of_the_function(line):
    before = f"{TEXT}    {line}\n"
    made = convert(before)[0]
    assert "inspect.unwrap(" in made and convert(made)[0] == made
    assert run(made)["f"]() == run(before)["f"]()
