"""Random `while` loops that count."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, convert
from np2jax.tests.programs.generators.loops.while_programs import program


def check(seed):
    """Whether a program ran in NumPy and agreed; whether it has no `while` any more."""
    text = program(seed)
    made, functions, _diagnostics = convert(text)
    rng = np.random.default_rng(seed)
    sizes = ((6, 1, 1), (9, 2, 3), (4, 4, 2), (int(rng.integers(2, 12)), int(rng.integers(1, 5)), int(rng.integers(1, 4))))
    ran = [agrees_on(text, made, functions["f"], (rng.normal(size=n), size, hop), beside=2) for n, size, hop in sizes]
    return any(ran), "while" not in made


def test_programs():
    done = [check(seed) for seed in range(5)]
    assert sum(ran for ran, _for in done) > 4


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1020, 1120, 20))
def test_more_programs(start):
    assert any(made for _ran, made in [check(seed) for seed in range(start, start + 20)])
