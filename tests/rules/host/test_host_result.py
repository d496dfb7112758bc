"""Kept code that changes what a converted function gave it."""

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
