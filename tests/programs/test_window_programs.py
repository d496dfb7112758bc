"""Random loops over windows whose length and distance are arguments."""

import warnings

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_or_asserts, convert
from np2jax.tests.programs.generators.slices.window_programs import program


def check(seed):
    """Whether a program ran in NumPy and agreed for several lengths and distances; whether the loop is compiled."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    ran = False
    for n, b, k in (
        (12, 3, 4),
        (12, 4, 2),
        (7, 3, 3),
        (int(rng.integers(5, 9)), int(rng.integers(1, 5)), int(rng.integers(1, 5))),  # JAX traces loops without iterations, too
    ):
        x, y = rng.normal(size=n), rng.normal(size=n + 3)
        if n and rng.random() < 0.3:
            x[int(rng.integers(0, n))] = rng.choice([np.nan, np.inf])
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Mean of empty slice")  # JAX has no median of no elements: not compared
            ran |= agrees_or_asserts(text, made, functions["f"], (x, y, b, k, 0.5), beside=1)
    return ran, "for i in range" not in made


def test_random_windows():
    assert any(check(seed)[0] for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1120, 40))
def test_many_random_windows(start):
    ran, compiled = zip(*(check(seed) for seed in range(start, start + 40)), strict=True)
    assert sum(ran) > 10 and sum(compiled) > 10
