"""Comprehensions with few items, all of which the text lists: jit may unroll them."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function

GRID = np.array([[0, 1, 0, 0], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]])
NEIGHBOURS = "sum(np.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))"


@pytest.mark.parametrize(
    "body",
    [
        f"for _ in range(3):\n    x = np.where({NEIGHBOURS} > 2, x, 1)\nreturn x",
        "return sum(x[k] * k for k in range(3))",
        "return np.stack([np.roll(x, k, axis=a) for k in range(0, 3, 2) for a in [0, 1]])",
        "return sum([x[k] for k in range(0)], start=x)",
    ],
)
def test_they_are_compiled(body):
    made = check_agrees(function(body), (GRID,), (GRID * 0.5,))
    assert "@jax.jit" in made


@pytest.mark.parametrize("items", ["range(n)", "(1, *k)", "range(40)", "[1] * n", "range(1, 9) for b in range(1, 9)"])
def test_many_items_are_not_unrolled(items):
    made = convert(function(f"return sum(np.roll(x, a + 1) for a in {items})", "x: np.ndarray, n: int, k: tuple"))[0]
    assert "jax.jit" not in made
