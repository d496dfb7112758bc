"""Which numbers of a program are equal to which: what equal seeds determine, in NumPy and with keys."""

import jax
import numpy as np

from np2jax.tests.helpers.differential import run


def pattern(values):
    """For each number, the position of the first one that is equal to it."""
    first = {}
    numbers = [round(float(x), 9) for part in jax.tree.leaves(values) for x in np.ravel(np.asarray(part))]
    return [first.setdefault(number, position) for position, number in enumerate(numbers)]


def drawn(text, function="main"):
    return pattern(run(text)[function]())
