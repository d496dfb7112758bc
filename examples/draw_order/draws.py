"""Two functions that draw from NumPy's random state, and two that call them, in either order."""

import numpy as np


def bar():
    return np.random.uniform()


def baz():
    return np.random.uniform()


def foo():
    return bar() + 2 * baz()


def foo_in_the_other_order():
    return 2 * baz() + bar()
