"""Lists that functions on the host pass to their compiled parts."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, placement="fast")

X = [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]
Y = [[0.0, 1.0, 1.5], [2.0, 2.0, -2.0]]

CORE = """
import numpy as np

def f(x, y, scale=2.0):
    if np.isnan(y).any():
        raise ValueError("missing")
    return np.cross(x, np.cross(x, y)) * scale + np.cross(y, np.cross(y, x))
"""
LOOP = """
import numpy as np

def f(x, y, scale=2.0):
    print(len(x))
    total = np.zeros(3)
    for k in range(len(x)):
        total += np.dot(x[k], y[k]) * scale
    return total
"""
METHOD = """
import numpy as np

class Model:
    def __init__(self, gain: float):
        self.gain = gain

    def run(self, x, y):
        z = np.cross(x, np.cross(x, y)) * self.gain + np.cross(y, np.cross(y, x))
        print(len(z))
        return z

def f(x, y, scale=2.0):
    return Model(scale).run(x, y)
"""


@pytest.mark.parametrize("source", [CORE, LOOP, METHOD], ids=["core", "loop", "method"])
@pytest.mark.parametrize("make", [np.array, list, tuple, lambda rows: [np.array(row) for row in rows]])
def test_array_likes(source, make):
    text = convert(source, placement="fast")[0]
    assert "jax.jit" in text
    for arguments in ((make(X), make(Y)), (make(X), make(Y), 3), (make(X), make(Y), np.float64(0.5))):
        want = run(source)["f"](*arguments)
        assert not compare_values(run(text)["f"](*arguments), want)


def test_annotated_arrays_are_passed_as_they_are():
    text = convert(CORE.replace("(x, y,", "(x: np.ndarray, y: np.ndarray,"), placement="fast")[0]
    assert "jax.jit" in text and "_as_array" not in text
