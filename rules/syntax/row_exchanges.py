"""Assignments between items of one array, `u[0], u[-1] = u[1], u[-2]`: whether one item is stored before another statement reads it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import libcst as cst

from ..facts.iteration_space import integer
from . import builders


def lengths_that_overlap(targets: Sequence[cst.BaseExpression], values: Sequence[cst.BaseExpression]) -> frozenset[int] | None:
    """The lengths of an axis with which an item is read after a store to it: 2 for `u[0], u[-1] = u[1], u[-2]`. With these, NumPy's
    rows, which are views, differ from numbers, which are read before. None if that may be so with any length."""
    stored, read = [_literals(node) for node in targets], [_literals(node) for node in values]
    found = set[int]()
    for before, after in combinations(range(len(stored)), 2):
        first, second = stored[before], read[after]
        if first is None or second is None or len(first) != len(second):
            return None
        meeting = [_length(one, other) for one, other in zip(first, second, strict=True)]
        if -1 in meeting:
            continue
        lengths = [length for length in meeting if length]
        if not lengths:
            return None
        found.add(min(lengths))
    return frozenset(found)


def _length(one: int, other: int) -> int:
    """The length with which two indices are the same: 0 for any, -1 for none."""
    if one == other:
        return 0
    if (one < 0) == (other < 0):
        return -1
    return max(one, other) - min(one, other)


def _literals(node: cst.BaseExpression) -> tuple[int, ...] | None:
    if not isinstance(node, cst.Subscript):
        return None
    indices = [integer(part.slice.value) if isinstance(part.slice, cst.Index) else None for part in builders.flat(node.slice)]
    found = tuple(index for index in indices if index is not None)
    return found if len(found) == len(indices) else None
