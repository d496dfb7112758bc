"""Random loops over slices: NumPy before, JAX after. Each program is made of its seed alone."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, convert
from np2jax.tests.programs.generators.slices.slice_programs import filling, program


def check(seed, program=program):
    """Whether a program ran in NumPy and agreed, on two sizes and with NaN and infinity; whether jit compiles it."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n in (4, int(rng.integers(1, 4))):
        arguments = [rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n), 0.5]
        if rng.random() < 0.4 and "np.arange" not in text:  # NaN is no integer: what NumPy stores then is not defined
            arguments[int(rng.integers(0, 3))].flat[int(rng.integers(0, n))] = rng.choice([np.nan, np.inf, -np.inf])
        ran |= agrees_on(text, made, functions["f"], tuple(arguments), beside=1)
    return ran, "@jax.jit" in made


def check_filling(seed):
    return check(seed, filling)


def test_random_loops_over_slices():
    assert any(check(seed)[0] for seed in range(5))


def test_random_loops_that_fill_rows_and_columns():
    assert any(check_filling(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_loops_that_fill_rows_and_columns(start):
    ran, compiled = zip(*(check_filling(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 5 and sum(compiled) > 10


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 20))
def test_many_random_loops_over_slices(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 20)), strict=True)
    assert sum(ran) > 5 and sum(compiled) > 5
