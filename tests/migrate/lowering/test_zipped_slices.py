"""Loops through a range and an array whose counter bounds slices stay in code on the host."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, run

BURSTS = '''
import numpy as np


def f(n, active, cycle, log):
    """A signal in which some cycles are active.

    Parameters
    ----------
    active : 1d array of bool
    cycle : 1d array
    """
    log(n)
    k = len(cycle)
    signal = np.zeros([n])
    for i, one in zip(range(0, n, k), active):
        if one and i + k < n:
            signal[i : i + k] = cycle
    return signal
'''


@pytest.mark.parametrize("n", [20, 21, 3, 0])
def test_they_stay(n):
    """jit would write out each iteration, and the last slice may be shorter than what is stored in it only if the test holds."""
    text = convert(BURSTS, placement="fast")[0]
    assert text == BURSTS
    arguments = (n, np.array([False, True, True]), np.ones(7), print)
    assert not compare_values(run(text)["f"](*arguments), run(BURSTS)["f"](*arguments))


def test_elements_are_compiled():
    source = BURSTS.replace("signal[i : i + k] = cycle", "signal[i] = np.sum(cycle) + one")
    assert "jax.jit" in convert(source, placement="fast")[0]
