"""Kept code that changes what a converted function gave it."""

import io

import numpy as np

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of, leaves

REFUSED = """\
import numpy as np


def g(x: np.ndarray):
    return x * 2


def f(x: np.ndarray, path: str):
    np.savetxt(path, x)
    {}
"""
test_example = example_of(__name__)
test_left = leaves(__name__, REFUSED.format("y = g(x)\n    return y.sum()"), REFUSED.format("y = g(x).copy()\n    return y"))


def test_several_results_with_python_numbers_among_them():
    """Compiled code returns arrays; code on the host may print the numbers, or use them as keys."""
    source = """
import numpy as np

def f(x, height, log):
    print("peaks", file=log)
    count, total, growth = 0, 0.0, 0.5
    for i in range(1, len(x) - 1):
        if x[i] > height and x[i] > x[i - 1] and x[i] >= x[i + 1]:
            count += 1
            total += np.sqrt(x[i]) - x[i - 1] / 2
            growth = growth * 1.5
    return count, total, growth
"""
    made = convert(source, placement="fast")[0]
    assert "jax.jit" in made
    x = np.array([0.0, 2.0, 1.0, 3.0, 3.0, 0.5, 4.0, 1.0])
    one, other = run(source)["f"](x, 0.5, io.StringIO()), run(made)["f"](x, 0.5, io.StringIO())
    assert not compare_values(other, one)
    assert [type(v) for v in other] == [type(v) for v in one]


def test_a_function_that_is_the_default_of_a_method():
    """It is used as a value: what calls it by the attribute gets NumPy's arrays."""
    source = """
import numpy as np

def scaled(x, cost=False):
    if cost:
        return (np.max(x) - x) / np.min(x)
    return (x - np.min(x)) / np.min(x)

class Method:
    def __init__(self, scaling=scaled):
        self.scaling = scaling

    def run(self, x, log):
        total = np.zeros(len(x))
        for j in range(x.shape[1]):
            print(j, file=log)
            total += self.scaling(x[:, j], cost=j > 0)
        return total

def f(x, log):
    return Method().run(x, log)
"""
    text = convert(source, placement="fast")[0]
    x = np.array([[1.0, 2.0], [3.0, 5.0], [0.5, 4.0]])
    result = run(text)["f"](x, io.StringIO())
    assert type(result) is np.ndarray and not compare_values(result, run(source)["f"](x, io.StringIO()))
