"""Edge cases: variants of an accepted call, with values and dtypes for which NumPy and JAX tend to differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values.calls import Arguments
from ..values.snapshot import Array, Node, Snapshot
from .leaves import is_number, leaves, with_leaves

Values = np.ndarray[Any, Any]

PERTURBED = 4  # how often the inputs are perturbed to measure the effect of rounding


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge case.

    `strict`: a difference counts as a failure; otherwise it is only noted (aliases). `dtypes`: the arrays have another dtype than the
    function is known to take: a difference counts unless a condition of the function explains it. `results`: only differences of results
    count, as a number does not change where an array does.
    """

    name: str
    arguments: Arguments
    strict: bool
    dtypes: bool = False
    results: bool = False


def edges(call: Arguments) -> Iterator[Edge]:
    """The edge cases of one call: values first, then dtypes and shapes, which need a new compilation."""
    yield from values(call)
    yield from aliases(call)
    yield from forms(call)


def values(call: Arguments) -> Iterator[Edge]:
    """Edge cases with unchanged dtypes and shapes; one argument array changes at a time."""
    arrays = [part for part in call.positional if isinstance(part, Array) and part.origin != "scalar"]
    floats = [part for part in arrays if part.data.dtype.kind == "f" and part.data.size]
    integers = [part for part in arrays if part.data.dtype.kind in "iu" and part.data.size]
    for part in floats:
        yield Edge("NaN", _with(call, part, _put(float("nan"))), True)
        yield Edge("infinity", _with(call, part, _put(float("inf"))), True)
        yield Edge("zeros", _with(call, part, np.zeros_like), True)
        yield Edge("equal values", _with(call, part, lambda data: np.full_like(data, 1.5)), True)
        yield Edge("NaN", _with(call, part, _put(float("nan"), first=True)), True)  # a diagonal, the start of a scan
        yield Edge("infinity", _with(call, part, _put(float("inf"), first=True)), True)
    for part in integers:
        yield Edge("negative indices", _with(call, part, _negative), True)
        yield Edge("repeated indices", _with(call, part, lambda data: np.full_like(data, data.flat[0])), True)


def not_finite(call: Arguments) -> Iterator[Edge]:
    """NaN and infinity in place of one number at a time, for code that asks whether a number is one of them."""
    parts = leaves(call)
    for position, part in enumerate(parts):
        for name in ("nan", "inf") if is_number(part) else ():
            yield Edge(name, with_leaves(call, [*parts[:position], float(name), *parts[position + 1 :]]), True)


def in_place_of_arrays(call: Arguments, asked: Collection[str], names: Sequence[str]) -> Iterator[Edge]:
    """A number of NumPy in place of one array at a time, for code that asks for the rank of these arguments."""
    for name, part in zip(names, call.positional, strict=False):
        if name in asked and isinstance(part, Array) and part.data.ndim and part.data.size and part.data.dtype.kind in "biufc":
            number = Array(np.asarray(part.data.flat[0]), "scalar", part.ident)
            yield Edge("a number", _replaced(call, part, number), True, results=True)


def forms(call: Arguments) -> Iterator[Edge]:
    """Edge cases with a different dtype or shape; all arrays change together."""
    arrays = [part for part in call.positional if isinstance(part, Array) and part.origin != "scalar"]
    if any(part.data.dtype.kind == "f" and part.data.size for part in arrays):
        yield Edge("integers", _all(call, lambda data: np.round(data * 3).astype(np.int64)), True, dtypes=True)
        yield Edge("float32", _all(call, lambda data: data.astype(np.float32)), True, dtypes=True)
        yield Edge("complex numbers", _all(call, _complex), True, dtypes=True)
        yield Edge("booleans", _all(call, lambda data: data > 0), True, dtypes=True)
    if arrays and all(part.data.ndim for part in arrays):
        yield Edge("empty arrays", _all(call, lambda data: data[:0], every=True), True)
        yield Edge("0-d arrays", _all(call, lambda data: data.ravel()[0].reshape(()), every=True), False)


def aliases(call: Arguments) -> Iterator[Edge]:
    """The same array passed twice."""
    arrays = [part for part in call.positional if isinstance(part, Array) and part.origin != "scalar"]
    for position, first in enumerate(arrays):
        for second in arrays[position + 1 :]:
            if first.data.shape == second.data.shape and first.data.dtype == second.data.dtype and first is not second:
                yield Edge("the same array twice", _replaced(call, second, first), False)
                return


def _put(value: float, first: bool = False) -> Callable[[Values], Values]:
    def put(data: Values) -> Values:
        changed = data.copy()
        changed.flat[0 if first else data.size // 2] = value
        return changed

    return put


def _complex(data: Values) -> Values:
    """The numbers with imaginary parts that repeat no real part in another order: those would cancel in many a product."""
    return np.asarray(data + 0.5j * np.cos(np.arange(1.0, data.size + 1)).reshape(data.shape))


def _negative(data: Values) -> Values:
    changed = data.copy()
    changed.flat[0] = -1
    return changed


def _with(call: Arguments, part: Array, change: Callable[[Values], Values]) -> Arguments:
    return _replaced(call, part, Array(change(part.data), part.origin, part.ident))


def _all(call: Arguments, change: Callable[[Values], Values], every: bool = False) -> Arguments:
    """Apply a change to every floating-point array (or to every array)."""
    changed = call
    for part in call.positional:
        if isinstance(part, Array) and part.data.size and (every or part.data.dtype.kind == "f") and part.data.ndim:
            changed = _replaced(changed, part, Array(np.asarray(change(part.data)), part.origin, part.ident))
    return changed


def _replaced(call: Arguments, old: Array, new: Array) -> Arguments:
    def inside(part: Snapshot) -> Snapshot:
        if part is old:
            return new
        if isinstance(part, Node) and part.items:
            return Node(part.kind, part.name, tuple(map(inside, part.items)), part.ident)
        return part

    node = inside(call.node)
    assert isinstance(node, Node)
    return Arguments(node)


def in_floats(call: Arguments) -> Arguments:
    """The call with arrays of floats in place of those of integers, so that they can be perturbed."""
    return _all(call, lambda data: data.astype(float) if data.dtype.kind in "iu" else data, every=True)


def perturbed(call: Arguments, seed: int, absolute: bool = False) -> Arguments:
    """The call with every float moved by up to two units in the last place, which is the size of a rounding error.

    `absolute`: of the last place of 1 or of the largest number of its array, which is the error if such numbers are added.
    """
    rng = np.random.default_rng(seed)

    def moved(part: Snapshot) -> Snapshot:
        if isinstance(part, float) and np.isfinite(part):
            step = rng.integers(-2, 3) * np.finfo(float).eps
            return float(part + step * (max(abs(part), 1.0) if absolute else part))
        if isinstance(part, Array) and part.data.dtype.kind in "fc":
            steps = rng.integers(-2, 3, part.data.shape) * np.finfo(part.data.dtype).eps
            largest = np.max(np.abs(part.data), where=np.isfinite(part.data), initial=1.0)
            data = part.data + steps * largest if absolute else part.data * (1 + steps)
            return Array(np.asarray(data, part.data.dtype), part.origin, part.ident)
        if isinstance(part, Node) and part.items and part.kind != "random":
            return Node(part.kind, part.name, tuple(map(moved, part.items)), part.ident)
        return part

    node = moved(call.node)
    assert isinstance(node, Node)
    return Arguments(node)
