"""The rank of what NumPy makes of values is the one that NumPy gives it."""

import numpy as np
import pytest

from np2jax.rules.core.findings import Kind
from np2jax.rules.facts.ranks import rank_of
from np2jax.rules.facts.values import UNKNOWN, Value

ARRAYS = [np.zeros((2,) * rank) for rank in range(4)]


def known(value):
    match value:
        case list() | tuple():
            return Value(Kind.LIST if isinstance(value, list) else Kind.TUPLE, elements=tuple(map(known, value)))
        case np.ndarray():
            return Value(Kind.ARRAY, rank=value.ndim)
    return Value(Kind.SCALAR, type(value).__name__, 0)


@pytest.mark.parametrize(
    "value", [*ARRAYS, 1, 2.5, [], (), [1], [1, 2.5], [[1], [2]], ([], []), [[[]]], ARRAYS, [(1, 2)], [ARRAYS[2]] * 2]
)
def test_of_nested_values(value):
    try:
        rank = np.ndim(value)
    except ValueError:  # NumPy refuses elements that differ
        return
    assert rank_of(known(value)) == rank


def test_what_is_not_known():
    row = Value(Kind.LIST, elements=(UNKNOWN, Value(Kind.SCALAR, "int", 0)))
    assert rank_of(UNKNOWN) == rank_of(Value(Kind.ARRAY)) == rank_of(Value(Kind.LIST)) == -1
    assert rank_of(Value(Kind.LIST, elements=(UNKNOWN,))) == -1
    assert rank_of(row) == 1 and rank_of(Value(Kind.TUPLE, elements=(row, UNKNOWN))) == 2
