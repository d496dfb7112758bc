"""Slices whose width is a parameter, of which nothing but its use tells what it is."""

import warnings

import pytest
import width_programs
from differential import agrees_on, convert


def check(seed):
    """Whether a program ran in NumPy and agreed, and whether jit compiles it."""
    text = width_programs.program(seed)
    made, functions, _diagnostics = convert(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = [_agrees(text, made, functions["f"], call) for call in width_programs.calls(seed, text)]
    return any(ran), "jax.jit" in made


def _agrees(text, made, outcome, call):
    try:
        return agrees_on(text, made, outcome, call)
    except AssertionError as error:
        if str(error):
            raise
        return False  # an `assert` of the converted code


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    check(seed)
