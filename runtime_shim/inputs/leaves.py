"""The numbers and arrays of a call, and the same call with others in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from ..values.calls import Arguments
from ..values.snapshot import Array, Node, Snapshot

OPEN = {"call", "tuple", "list", "dict", "namedtuple", "object"}  # what is inside them may change
KEYED = {"dict", "namedtuple", "object"}

Leaf = Array | bool | int | float


def leaves(call: Arguments) -> list[Leaf]:
    """The numbers and arrays of numbers, in order."""
    return list(_leaves(call.node))


def with_leaves(call: Arguments, new: Sequence[Leaf]) -> Arguments:
    """The call with other numbers and arrays, as many as it has."""
    node = _rebuilt(call.node, iter(new))
    assert isinstance(node, Node)
    return Arguments(node)


def is_number(part: Snapshot) -> TypeGuard[int | float]:
    """Whether it is a number of Python, no bool."""
    return isinstance(part, int | float) and not isinstance(part, bool)


def is_inexact(part: Snapshot) -> bool:
    """Whether rounding can move it: a float, or an array of floats or complex numbers that is not empty."""
    return isinstance(part, float) or (isinstance(part, Array) and part.data.dtype.kind in "fc" and part.data.size > 0)


def is_whole(part: Snapshot) -> bool:
    """Whether a number, or every element of an array, is whole."""
    if isinstance(part, float):
        return part.is_integer()
    if isinstance(part, Array) and part.data.dtype.kind in "fc":
        return bool(np.array_equal(part.data, np.round(part.data)))
    return not isinstance(part, complex)


def same_size(one: Sequence[Leaf], other: Sequence[Leaf]) -> bool:
    """Whether the arrays of two calls have the same shapes and the whole numbers are the same: nothing is compiled again."""
    return len(one) == len(other) and all(map(_same_size, one, other))


def _same_size(left: Leaf, right: Leaf) -> bool:
    if isinstance(left, Array) and isinstance(right, Array):
        return bool(left.data.shape == right.data.shape and left.data.dtype == right.data.dtype)
    if isinstance(left, Array) or isinstance(right, Array) or type(left) is not type(right):
        return False
    return isinstance(left, float) or bool(left == right)


def filled(part: Array, values: Sequence[float], rng: np.random.Generator, order: str = "") -> Array:
    """The array with other values of its dtype, drawn from `values`; `order`: sorted or reversed along the last axis."""
    data = rng.choice(np.asarray(values, float), part.data.shape)
    if order and data.ndim:
        data = np.sort(data, axis=-1)[..., :: 1 if order == "sorted" else -1]
    return replace(part, data=cast(data, part.data.dtype))


def in_order(parts: Sequence[Leaf]) -> list[Leaf]:
    """The same floats, but ascending from the second argument on: limits and corners, `a <= b <= c`, of a first one."""
    new, values = [*parts], iter(np.sort(_chain(parts)))
    for position, part in enumerate(parts[1:], 1):
        if isinstance(part, float):
            new[position] = float(next(values))
        elif isinstance(part, Array) and part.data.dtype.kind == "f":
            data = np.asarray([next(values) for _ in range(part.data.size)], part.data.dtype)
            new[position] = replace(part, data=data.reshape(part.data.shape))
    return new


def is_in_order(parts: Sequence[Leaf]) -> bool:
    """Whether there are at least three such floats, and they are ascending."""
    chain = _chain(parts)
    return chain.size > 2 and bool((np.diff(chain) >= 0).all())


def _chain(parts: Sequence[Leaf]) -> np.ndarray[Any, Any]:
    floats = [part.data if isinstance(part, Array) else part for part in parts[1:] if is_inexact(part)]
    return np.concatenate([np.ravel(part) for part in floats if not np.iscomplexobj(part)] or [np.zeros(0)])


def cast(data: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The numbers in another dtype; what an integer dtype cannot hold is clipped."""
    if dtype.kind == "b":
        return np.asarray(data > 0)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        data = np.clip(np.rint(data), max(limits.min, -(2.0**53)), min(limits.max, 2.0**53))
    return np.asarray(data, dtype)


def _leaves(part: Snapshot) -> Iterator[Leaf]:
    if isinstance(part, Array):
        if part.data.dtype.kind in "biufc":
            yield part
    elif isinstance(part, bool | int | float):
        yield part
    elif isinstance(part, Node) and part.kind in OPEN:
        for position, item in enumerate(part.items):
            if part.kind not in KEYED or position % 2:
                yield from _leaves(item)


def _rebuilt(part: Snapshot, new: Iterator[Leaf]) -> Snapshot:
    if isinstance(part, Array):
        return next(new) if part.data.dtype.kind in "biufc" else part
    if isinstance(part, bool | int | float):
        return next(new)
    if isinstance(part, Node) and part.kind in OPEN:
        items = tuple(
            _rebuilt(item, new) if part.kind not in KEYED or position % 2 else item for position, item in enumerate(part.items)
        )
        return replace(part, items=items)
    return part
