"""The variable of a loop is read after it: without iterations it has no value, or the one before."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

SOLVE = """
import numpy as np


def f(x, n, tol=1e-3):
    print(n)
    {before}
    for k in range({bounds}):
        old = x
        x = 0.5 * np.roll(x, 1) + 0.1
        if np.max(np.abs(x - old)) < tol:
            break
    return x, k
"""


@pytest.mark.parametrize("end", ["", "    else:\n        x, k = x - 1.0, n + 0\n"])
@pytest.mark.parametrize("before", ["pass", "k = -7"])
@pytest.mark.parametrize("bounds", ["n", "2, n", "0, len(x) + n - 6"])
def test_a_solver(before, bounds, end):
    text = SOLVE.format(before=before, bounds=bounds).replace("    return x, k", f"{end}    return x, k")
    made = convert(text, placement="fast")[0]
    assert "_f_loop" in made
    for n in (0, 1, 3, 40):
        before, after = (outcome(program, np.arange(6.0), n) for program in (text, made))
        assert (before[0], after[0]) == ("raised", "raised") or not compare_values(after[1], before[1])


def outcome(text, *args):
    try:
        return "returned", run(text)["f"](*args)
    except UnboundLocalError:
        return "raised", None
