"""A package may have a name that starts like NumPy's: `numpy_tools` is no part of `numpy`."""

from np2jax.tests.helpers.differential import convert_project

FILES = {
    "{}/__init__.py": "from . import losses\nfrom .losses import *\nfrom .tree import Tree\n",
    "{}/losses.py": """
import numpy as np

SCALE = np.array([1.0, 2.0, 4.0])
LOSSES = {}


def mse(y):
    return np.mean((y - np.mean(y)) ** 2)


def mae(y):
    return np.mean(np.abs(y - np.mean(y)))


class Sum:
    def __init__(self, scale):
        self.scale = scale
        self.seen = np.zeros(3)

    def add(self, x):
        self.seen += x * self.scale
        return self.seen


LOSSES["mse"] = mse
""",
    "{}/tree.py": """
import numpy as np

import {}.losses
from {}.losses import SCALE, Sum, mae, mse


def total(x):
    sums = Sum(0.5)
    for row in x:
        sums.add(row)
    sums.seen[0] = 1.0
    return sums.seen * SCALE


def changed(x):
    table = {}.losses.SCALE
    table[0] += x
    return table


class Tree:
    def __init__(self, name):
        self.name = name

    def gain(self, y, x, t):
        loss = mse if self.name == "mse" else mae
        return loss(y) - loss(y[x < t])

    def best(self, y, x):
        return max([self.gain(y, x, t) for t in x])
""",
}


def test_a_package_that_is_called_like_numpy():
    def converted(name):
        files = {path.format(name): text.replace("{}.", f"{name}.") for path, text in FILES.items()}
        return str(convert_project(files, placement="fast")).replace(name, "tools")

    assert converted("numpy_tools") == converted("tools") == converted("numpyx")
