"""Random branches of numbers, without loops and in them; and one case that a drawn program showed."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on_vectors, check_agrees, convert
from np2jax.tests.programs.generators.branch_programs import program

READ_BEFORE = """\
import numpy as np


def f(x: np.ndarray):
    b = x[0]
    c = x[1]
    if x[2] > 0:
        b = b * 2
    else:
        b = b + c
        c = c + 1
    c = b
    return b, c


def in_a_loop(x: np.ndarray):
    b = x[0]
    c = 1.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            b = b * 2
        else:
            b = b + c
            c = c + 1
        c = b
    return b, c


def in_a_chain(x: np.ndarray):
    out = np.zeros(len(x))
    for i in range(len(x)):
        a = x[i]
        c = a * 2
        d = a + 1
        if a > 0:
            c = 0.5 + d
        elif a < -1:
            d = c * 2
            c = c + 0.5
        d = c + a
        out[i] = c * d
    return out
"""


@pytest.mark.parametrize("function", ["f", "in_a_loop", "in_a_chain"])
def test_what_nobody_reads_again_is_bound_after_what_reads_it(function):
    check_agrees(
        READ_BEFORE, *[(np.array(v),) for v in ([1.0, 2.0, -1.0], [1.0, 2.0, 1.0], [-1.0, np.nan, 0.0])], function=function
    )


def test_what_is_bound_to_itself_is_no_choice():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    out = np.zeros(x.shape[0])\n"
    text += "    for i in range(x.shape[0]):\n        d = y[i] + 1\n        if x[i] > 2:\n            d = d\n"
    text += "        if x[i] > 0.3:\n            d = x[i]\n        elif x[i] < y[i]:\n            d = d\n        out[i] = d\n    return out\n"
    check_agrees(text, (np.array([0.5, 3.0, -1.0]), np.array([1.0, 2.0, 3.0])))


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether no branch of Python's is left."""
    source = program(seed)
    text, functions, _diagnostics = convert(source)
    ran = agrees_on_vectors(source, text, functions["f"], seed)
    return ran, " if " not in text


def test_drawn_branches_agree():
    assert sum(check(seed) == (True, True) for seed in range(12)) > 7


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 200, 50))
def test_many_drawn_branches_agree(start):
    assert sum(check(1000 + start + k)[0] for k in range(50)) > 30
