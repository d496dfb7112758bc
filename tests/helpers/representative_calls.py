"""Which calls of one function are worth compiling: those that show it a dtype, a size or a value that it has not seen.

JAX compiles a function again for each combination of shapes and dtypes, and most of the time of the tests goes there. As of the
parameters of a test (`tests/conftest.py`), each value is taken once rather than every combination of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np


class Seen:
    """The calls that one function has had."""

    def __init__(self) -> None:
        self.compiled: set[Hashable] = set()
        self.aspects: set[Hashable] = set()

    def adds(self, arguments: Sequence[Any]) -> bool:
        """Whether a call is new, or takes no compilation."""
        return _signature(arguments) in self.compiled or bool(_aspects(arguments) - self.aspects)

    def add(self, arguments: Sequence[Any]) -> None:
        self.compiled.add(_signature(arguments))
        self.aspects |= _aspects(arguments)


def _signature(arguments: Sequence[Any]) -> Hashable:
    """What JAX compiles a function for; as an argument may be static, also the numbers."""
    return tuple(
        (place, leaf.dtype, leaf.shape) if isinstance(leaf, np.ndarray) else (place, repr(leaf))
        for place, leaf in _leaves(arguments)
    )


def _aspects(arguments: Sequence[Any]) -> set[Hashable]:
    found: set[Hashable] = set()
    arrays = []
    for place, leaf in _leaves(arguments):
        if not isinstance(leaf, np.ndarray):
            found.add((place, type(leaf), repr(leaf)))
            continue
        arrays.append((place, leaf))
        found |= {
            (place, leaf.dtype),
            (place, "dimensions", leaf.ndim),
            (place, "layout", leaf.flags.c_contiguous, leaf.flags.f_contiguous),
        }
        found |= {(place, axis, size) for axis, size in enumerate(leaf.shape)}
        found |= {(place, "values", kind) for kind in _kinds_of_values(leaf)}
    for (place, one), (beside, other) in combinations(arrays, 2):
        found |= {(place, beside, axis, np.sign(m - n)) for axis, (m, n) in enumerate(zip(one.shape, other.shape, strict=False))}
        found |= {(place, beside, one.ndim - other.ndim), (place, beside, "promotes", np.result_type(one, other) == one.dtype)}
    return found


def _kinds_of_values(array: Any) -> Iterator[str]:
    if array.dtype.kind in "fc":
        if np.isnan(array).any():
            yield "nan"
        if np.isinf(array).any():
            yield "infinite"
    if array.dtype.kind in "fi" and (array < 0).any():
        yield "negative"
    if array.dtype.kind in "fciub" and not array.all():
        yield "zero"


def _leaves(value: Any, place: tuple[Hashable, ...] = ()) -> Iterator[tuple[tuple[Hashable, ...], Any]]:
    if isinstance(value, (list, tuple)):
        yield (*place, "length"), len(value)
        for position, item in enumerate(value):
            yield from _leaves(item, (*place, position))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, (*place, name))
    else:
        yield place, value
