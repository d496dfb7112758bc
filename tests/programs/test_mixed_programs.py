"""Random loops in which numbers are read and bound in any order; and what they showed."""

import jax
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on_vectors, check_agrees, convert
from np2jax.tests.programs.generators.mixed_programs import program

KNOWN_NUMBERS = (jax.errors.TracerBoolConversionError, jax.errors.TracerArrayConversionError)
ANOTHER_NAME = """\
import numpy as np


def f(y: np.ndarray):
    a = y[0] * 2
    c = a
    c += 1.0
    return a


def in_a_loop(y: np.ndarray):
    a = 0.5
    for i in range(len(y)):
        a += a + y[i]
        if a > 1:
            c = a
            c += 0.5 * a
    return a


def of_an_array(y: np.ndarray):
    a = np.zeros(3)
    c = a
    c += y[0]
    return a
"""


@pytest.mark.parametrize("function", ["f", "in_a_loop", "of_an_array"])
def test_another_name_of_what_may_be_a_number_is_bound_alone(function):
    given = [(np.array([0.5, 2.0, 3.0]),), (np.arange(9.0).reshape(3, 3),), (np.array([1, 2, 3]),)]
    check_agrees(ANOTHER_NAME, *given, function=function, keep=function != "of_an_array", idempotent=False)


def test_a_function_that_is_given_a_number_does_not_change_it():
    text = "import numpy as np\n\n\ndef put(a, b):\n    a += b\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    v = y[0] + 1\n    put(v, x)\n    return v\n"
    check_agrees(text, (np.ones(3), np.arange(3.0)), (np.ones(3), np.ones((3, 3))), keep=True)


def test_a_function_whose_result_is_bound_to_what_it_is_given_may_get_one():
    text = "import numpy as np\n\n\ndef put(a, b):\n    a += b\n    return a\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    v = y[0] + 1\n"
    text += "    v = put(v, x[0])\n    return v\n"
    check_agrees(text, (np.ones(3), np.arange(3.0)), (np.ones(3), np.ones((3, 3))))


def test_a_branch_that_changes_an_array_by_another_name_is_given_it():
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    s = 1.0\n    w = y\n    for i in range(2):\n        s += np.sum(w)\n"
    text += "        if s > 1:\n            w[:] = x\n        else:\n            np.add(x, w, out=w)\n    return s\n"
    check_agrees(text, (np.ones(3), np.arange(3.0)), (np.ones(3), -np.arange(3.0)))


def test_an_iteration_that_skips_the_break_in_a_dear_branch_goes_on():
    """The flag that says whether the loop has ended had no value on that side."""
    text = "import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    s = 0.0\n    b = 1.0\n    for i in range(x.shape[0]):\n"
    text += "        s += x[i] * b\n        if b > 0 and s < 1:\n            b += s + y[i]\n            if s > 1 or b < s:\n"
    text += "                continue\n        if not y[i] > 0:\n            break\n    return s\n"
    given = [(np.array([0.5, 0.25, 2.0, 1.0]), np.array(y)) for y in ([-1.5, 2.0, 1.0, -1.0], [1.0, -2.0, 1.0, 1.0], [2.0] * 4)]
    assert "lax.while_loop" in check_agrees(text, *given)


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether none of its loops is Python's."""
    source = program(seed)
    text, functions, _diagnostics = convert(source)
    try:
        ran = agrees_on_vectors(source, text, functions["f"], seed)
    except KNOWN_NUMBERS:  # a number that is known, and handed to a side that binds it: said aloud
        return False, False
    return ran, "    for " not in text and "    while " not in text


def test_drawn_loops_agree():
    assert sum(check(seed)[0] for seed in range(10)) > 7


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 240, 40))
def test_many_drawn_loops_agree(start):
    assert sum(check(1000 + start + k)[0] for k in range(40)) > 30
