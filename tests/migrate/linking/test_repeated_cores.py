"""What Python calls again and again is compiled only where NumPy takes at least twice as long, as estimated on small arrays: on some CPUs
a call of compiled code takes twice as long as the estimate says."""

import pytest

from np2jax.tests.helpers.differential import convert

NETWORK = """
import numpy as np

class Network:
    def __init__(self, w: np.ndarray, v: np.ndarray):
        self.w, self.v = w, v

    def step(self, x: np.ndarray, y: np.ndarray):
        print(len(x))
        hidden = 1 / (1 + np.exp(-np.dot(x, self.w)))
        output = 1 / (1 + np.exp(-np.dot(hidden, self.v)))
        delta = 2 * (y - output) * output * (1 - output)
        first = np.dot(x.T, np.dot(delta, self.v.T) * hidden * (1 - hidden))
        second = np.dot(hidden.T, delta)
        return first, second{more}

    def train(self, x, y, n):
        {loop}
"""
MORE = "".join(f" * np.sqrt(first.max() + {k}) / np.exp(second.min() - {k})" for k in range(8))


@pytest.mark.parametrize(
    ("more", "loop", "compiled"),
    [
        ("", "self.step(x, y)", True),
        ("", "for _ in range(n):\n            self.step(x, y)", False),
        ("", "while self.step(x, y)[0].max() > 0.1:\n            n += 1", False),
        (MORE, "for _ in range(n):\n            self.step(x, y)", True),
    ],
)
def test_statements(more, loop, compiled):
    assert ("jit" in convert(NETWORK.format(more=more, loop=loop), placement="fast")[0]) == compiled


FUNCTION = """
import numpy as np

def drift(x: np.ndarray):
    return np.sqrt(x) * 2.0 + np.exp(x - 1.0) / (1.0 + x * x) - np.log(x + 3.0)

def path(x, report):
    for k in range(10):
        x = x + drift(x)
        report(x)
    return x
"""


def test_functions():
    assert "jit" not in convert(FUNCTION, placement="fast")[0]
    assert "jit" in convert(FUNCTION.replace("for k in range(10)", "if report"), placement="fast")[0]
