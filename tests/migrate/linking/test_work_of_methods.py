"""Methods of expressions and attributes are counted as operations on arrays, as those of variables are."""

import pytest

from np2jax.tests.helpers.differential import convert

DISTANCES = """
import numpy as np

def f(x):
    d = np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(-1))
    return np.exp(-d / d.mean()) + np.sin(d) * np.cos(d)
"""
ATTRIBUTE = """
import numpy as np

class Data:
    def __init__(self, x):
        self.x = np.asarray(x)

    def f(self):
        scaled = (self.x - self.x.mean(axis=0)) / self.x.std(axis=0)
        return np.exp(-np.abs(scaled)).sum(axis=1) * np.sqrt(np.abs(scaled)).max(axis=1)
"""
OF_NUMBERS = """
import numpy as np

def f(x: float, y: float):
    return np.hypot(x, y) * x + np.sqrt(np.float64(x).item())
"""


@pytest.mark.parametrize("source", [DISTANCES, ATTRIBUTE], ids=["an expression", "an attribute"])
def test_operations_on_arrays(source):
    assert "@jax.jit" in convert(source, placement="fast")[0]


def test_operations_on_numbers():
    assert convert(OF_NUMBERS, placement="fast")[0] == OF_NUMBERS
