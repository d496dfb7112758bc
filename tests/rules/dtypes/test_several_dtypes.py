"""What is integers on some ways and narrow floats on others: NumPy makes float64 where they meet, JAX float32."""

import pytest

from np2jax.tests.helpers.differential import CONVERTED, convert
from np2jax.tests.helpers.observed import check_program, taped
from np2jax.tests.helpers.rule_examples import example_of

test_example = example_of(__name__, found=False)

PROGRAM = """\
import numpy as np


def f(x, flag=False):
    if flag:
        return np.full(4, 3)
    return np.ones(4, dtype=np.float32)


def g(x, y):
    if x[0] > 2:
        v = np.arange(4)
    else:
        v = np.ones(4, dtype=np.float32)
    return {used}


a = np.ones(4)
v = f(a)
w = f(a, True)
{after}
"""
AFTER = [
    "u = v + w",
    "u = v[1:] * w[:-1]",
    "u = v - np.arange(4)",
    "u = v * np.ones(4, dtype=np.float32)",
    "u = f(a, True) - f(a)",
]
USED = ["v * y", "v * np.arange(4)", "v + v", "v[1:] - y[1:]"]


@pytest.mark.parametrize("after", AFTER)
def test_it_is_not_computed_with_in_jax(after):
    """They came out as float32. Found by random programs."""
    program = PROGRAM.format(used="v", after=after)
    assert convert(program)[1]["<module>"].label == "kept"
    with taped():
        check_program({"m.py": program})


@pytest.mark.parametrize("used", USED)
def test_nor_in_a_function(used):
    program = PROGRAM.format(used=used, after="for b in (v, w):\n    u = g(a, b), g(3 * a, b)")
    assert convert(program)[1]["g"].codes[0] == "NJ609"
    with taped():
        check_program({"m.py": program})


@pytest.mark.parametrize("after", ["u = v * 2.0", "u = v * a", "u = np.ones(4) - v", "u = v.astype(float) + w", "u = -v"])
def test_beside_what_is_wide_or_pythons_it_is(after):
    program = PROGRAM.format(used="v", after=after)
    assert convert(program)[1]["<module>"].label in CONVERTED
    with taped():
        check_program({"m.py": program})


def test_so_are_other_dtypes_on_the_ways():
    program = PROGRAM.format(used="v", after="u = v + w").replace("np.full(4, 3)", "np.full(4, 3, dtype=np.int8)")
    assert convert(program)[1]["<module>"].label in CONVERTED
