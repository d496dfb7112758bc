"""`itertools.combinations` of a range: a nest of loops of which each starts above the one around it."""

import numpy as np
import pytest

from np2jax.tests.helpers.differential import check_agrees, convert

VECTORS = [np.array([2.0, -1.0, 0.5, 7.0]), np.array([3.0, np.nan]), np.array([1.0]), np.array([4, -2, 9])]
HEAD = "import itertools\nfrom itertools import combinations\n\nimport numpy as np\n\n\n"


def of_loop(loop, returned="c"):
    lines = ["c = 0.0", "n = len(x)", *loop.split("\n"), f"return {returned}"]
    return HEAD + "def f(x: np.ndarray):\n" + "".join(f"    {line}\n" for line in lines)


NESTS = [
    "for i, j in combinations(range(n), 2):\n    c += np.abs(x[i] - x[j])",
    "for i, j in combinations(range(1, n), 2):\n    c += x[i] * x[j] * (i - j)",
    "for i, j in itertools.combinations_with_replacement(range(n), 2):\n    c += x[i] * x[j]",
    "for i, j, k in combinations(range(n), 3):\n    c += x[i] * x[j] - x[k]",
    "for (i, j) in combinations(range(x.shape[0]), 2):\n    if x[i] > x[j]:\n        c += 1.0",
    "for i, j in combinations(range(n), 2):\n    c = 0.5 * c + x[i] - x[j]",
    "for i, j in combinations(range(n), 2):\n    c += x[j]\n    if x[i] > 1:\n        break",
    "for (i,) in combinations(range(n), 1):\n    c += x[i] * i",
]


@pytest.mark.quick(3)
@pytest.mark.parametrize("loop", NESTS)
def test_combinations_are_nests_of_loops(loop):
    text = check_agrees(of_loop(loop), *[(vector,) for vector in VECTORS])
    assert "combinations(" not in text
    assert "@jax.jit" in text


def test_pairs_are_all_computed_in_parallel():
    assert "jax.vmap" in convert(of_loop(NESTS[0]))[0]


@pytest.mark.parametrize(
    "loop",
    [
        "for p in combinations(range(n), 2):\n    c += x[p[0]]",  # one name for both indices
        "for i, j in combinations(range(n), r=2):\n    c += x[i] * x[j]",
        "for i, j in combinations(range(0, n, 2), 2):\n    c += x[i] * x[j]",
        "for i, j in combinations([0, 2], 2):\n    c += x[i] * x[j]",
        "for u, v in combinations(x, 2):\n    c += u * v",
        "for i, j in combinations(range(n), 2):\n    c += x[i] * x[j]\n    n = 2",  # the range is made once
        "for i, j in combinations(range(n), 2):\n    c += x[i]\n    i = 0",
        "i = 3\nfor i, j in combinations(range(i), 2):\n    c += x[i] * x[j]",
    ],
)
def test_other_combinations_stay(loop):
    text = check_agrees(of_loop(loop), (VECTORS[0],), keep=True)
    assert "combinations(" in text


def test_indices_that_are_read_after_the_loop_stay():
    text = check_agrees(of_loop("i = j = 0\nfor i, j in combinations(range(n), 2):\n    c += x[i]", "c + i + j"), (VECTORS[0],))
    assert "combinations(" in text
