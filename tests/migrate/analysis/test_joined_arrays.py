"""The number of dimensions of joined arrays, by which an item of them is a number, and no row that changes with the array."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import compare_values, convert, refused, run

ELIMINATION = """
    for i in range(len(A) - 1):
        pivot = M[i, i]
        for j in range(i + 1, len(A)):
            factor = M[j, i] / pivot
            M[j] -= factor * M[i]
    return M
"""
JOINS = [
    "n, m = A.shape\n    M = np.concatenate((A, b), axis=1).astype(float)",
    "M = np.hstack([A, b.reshape(-1, 1)])",
    "M = np.column_stack([A, b])",
    "M = np.concatenate([A, np.eye(len(A))], axis=1)",
]


@pytest.mark.parametrize("join", JOINS)
def test_elimination(join):
    text = f"import numpy as np\n\ndef f(A, b):\n    {join}{ELIMINATION}"
    made = convert(text, placement="fast")[0]
    assert "jit" in made
    A, b = np.random.default_rng(0).normal(size=(6, 6)) + 9 * np.eye(6), np.arange(6.0)[:, None]
    assert not compare_values(run(made)["f"](A, b), run(text)["f"](A, b))


@pytest.mark.parametrize("join", ["M = np.concatenate((A, b))", "M = np.stack(A)", "M = np.hstack(A)", "M = np.vstack(A)"])
def test_nothing_tells(join):
    assert "NJ203" in refused(f"import numpy as np\n\ndef f(A, b):\n    {join}{ELIMINATION}")
