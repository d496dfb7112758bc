"""Random programs of several names for one array: the converted one is right, or fails with a message."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_or_asserts, convert
from np2jax.tests.programs.generators.alias_programs import program


def check(seed):
    """Whether a random program ran in NumPy and agreed, and whether it was converted."""
    source = program(seed)
    text, functions, _diagnostics = convert(source)
    rng, ran = np.random.default_rng(seed), False
    for shape in ((3,), (3, 3)):
        arguments = (rng.normal(size=3).round(1), rng.normal(size=shape).round(1))
        ran |= agrees_or_asserts(source, text, functions["f"], arguments, beside=1)
    return ran, functions["f"].label != "kept"


def agrees(seed):
    """The same; False where JAX refuses what comes out: sides of a branch that give a number and an array."""
    try:
        return check(seed)[0]
    except (TypeError, ValueError):
        return False


def test_drawn_programs_agree():
    assert sum(agrees(seed) for seed in range(12)) > 6


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 240, 60))
def test_many_drawn_programs_agree(start):
    assert sum(agrees(2000 + start + k) for k in range(60)) > 30
