"""What makes arrays of given sizes, and no more, stays NumPy: jit would compile it again for each size."""

import pytest

from np2jax.tests.helpers.differential import convert

SHELL = """
import numpy as np


def system(pi, n):
    if np.any(pi < 0):
        raise ValueError("negative")
    m = len(pi)
    {made}
    for i in range(m):
        for j in range(m):
            ps[i] += pi[i, j] * ps[j]
    return ps
"""


def made(statement):
    return convert(SHELL.format(made=statement), placement="fast")[0]


@pytest.mark.parametrize(
    "statement",
    [
        "ps = np.array([np.eye(n) for i in range(m)])",
        "ps = np.array([np.empty((n, m)) for i in range(m)])",
        "ps = np.stack([np.full(n, 0.5) for _ in range(m)])",
    ],
)
def test_arrays_of_given_sizes(statement):
    text = made(statement)
    assert statement in text and "_system_loop(" in text


def test_arrays_that_are_computed_from_sizes():
    text = made("ps = np.array([np.sin(np.arange(n) / (i + 1)) ** 2 for i in range(m)])")
    assert "_system_loop_2(" in text


def test_arrays_that_are_made_of_others():
    text = made("ps = np.array([np.eye(n) @ pi[:n] for i in range(m)])")
    assert "_system_loop_2(" in text
