"""Squares of Python's integers in compiled loops: as exact as a product of two; of more factors, Python computes the product."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert, function

LOOP = """
a = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        a[i, j] = VALUE
return a
"""


@pytest.mark.parametrize("value", ["(i - n // 2) ** 2 + j ** 2", "np.sqrt(i**2 + j**2) / 2", "abs(i - j) ** 2 * 0.5 + x[i]"])
def test_squares_of_indices(value):
    text = check_agrees(
        function(LOOP.replace("VALUE", value), "x: np.ndarray, n: int"), *((np.arange(9.0), n) for n in (0, 1, 2, 7))
    )
    assert "jax.jit" in text, text


@pytest.mark.parametrize("value", ["i**2 * j", "i * j**2", "i**3 + j", "i**j"])
def test_larger_products_stay_with_python(value):
    text, functions, _diagnostics = convert(function(LOOP.replace("VALUE", value), "x: np.ndarray, n: int"), placement="fast")
    assert functions["f"].label == "host" and "jax.jit" not in text, text
