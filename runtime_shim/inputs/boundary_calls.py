"""Calls at the boundaries of a function: values from its code, ties, equal and sorted elements, zero distances, lengths."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..values.calls import Arguments
from ..values.snapshot import Array
from .leaves import Leaf, cast, filled, in_order, is_in_order, is_number, leaves, with_leaves
from .literals import BASIC, above, below, boundary_values, lengths
from .samples import sample
from .signatures import Model

LATTICES = ((0.0, 1.0), (-1.0, 0.0, 1.0), (0.0, 1.0, 2.0, 3.0), (-0.5, 0.0, 0.5, 1.0, 1.5))  # exact in sums and products
MOST_NUMBERS = 24  # values tried for one number
MOST_LENGTHS = 10
MOST_LARGE = 2
MOST_POOLS = 4  # constants that fill arrays together with their neighbours
MOST_LATTICE = 16  # a whole number up to which the elements go

Values = np.ndarray[Any, Any]


def value_calls(call: Arguments, constants: Sequence[float], seed: int) -> Iterator[Arguments]:
    """Variants of a call with the same shapes, the most telling first."""
    groups = [
        _fills(call, constants, seed),
        _numbers(call, constants),
        _shaped(call, constants, seed),
    ]
    while groups:
        for group in [*groups]:
            found = next(group, None)
            if found is None:
                groups.remove(group)
            else:
                yield found


def _fills(call: Arguments, constants: Sequence[float], seed: int) -> Iterator[Arguments]:
    """All arrays filled with few different values: small whole numbers, halves, constants, and the numbers of the call."""
    rng = np.random.default_rng(seed)
    parts = leaves(call)
    own = [float(part) for part in parts if is_number(part) and math.isfinite(part)]
    pools = [*LATTICES]
    if own:
        pools.insert(1, tuple(near for value in own for near in (value, value, value - 1, value + 1, 0.0, -value)))
    if constants:
        pools.insert(1, (*constants, *BASIC))
        pools += [tuple(boundary_values([value])) for value in (*constants[:MOST_POOLS], *own[:2])]
    pools += [tuple(part / 4 for part in range(-8, 9)), tuple(part * 10.0 for part in range(-3, 8))]
    for turn, order in enumerate(("", "sorted", "reversed", "")):
        for number, pool in enumerate(pools):
            new = [filled(part, pool, rng, order) if isinstance(part, Array) else part for part in parts]
            if (turn + number) % 2:  # the numbers beside the arrays, too
                new = [float(rng.choice(pool)) if isinstance(part, float) else part for part in new]
            yield _as_ordered(call, new)


def _numbers(call: Arguments, constants: Sequence[float]) -> Iterator[Arguments]:
    """Each number, one at a time, at the constants, at the elements of the arrays, at 0, 1 and 2, with their neighbours."""
    parts = leaves(call)
    elements = [float(value) for part in parts if isinstance(part, Array) for value in _some(part)]
    sizes = [length + step for part in parts if isinstance(part, Array) for length in part.data.shape for step in (0, 1, -1)]
    for position, part in enumerate(parts):
        if isinstance(part, bool):
            yield _with(call, parts, position, not part)
        elif isinstance(part, int):
            whole = [
                0,
                1,
                2,
                3,
                *sizes,
                *(int(value) + step for value in constants if value == int(value) for step in (0, 1, -1)),
            ]
            for value in list(dict.fromkeys([*whole, -1]))[:MOST_NUMBERS]:
                if value != part:
                    yield _with(call, parts, position, value)
        elif isinstance(part, float):
            near = [*BASIC[:1], *elements[:6], *constants, *BASIC, *boundary_values([*constants, *elements[:2]])]
            for other in list(dict.fromkeys(near))[:MOST_NUMBERS]:
                yield _with(call, parts, position, other)


def _shaped(call: Arguments, constants: Sequence[float], seed: int) -> Iterator[Arguments]:
    """One array at a time: sorted, reversed, all equal, repeated rows, the elements of another one (distances of zero), scaled."""
    parts = leaves(call)
    arrays = [(position, part) for position, part in enumerate(parts) if isinstance(part, Array) and part.data.size]
    for position, part in arrays:
        data = part.data
        changed = []
        if data.ndim and data.dtype.kind != "c":
            changed += [np.sort(data, axis=-1), np.sort(data, axis=-1)[..., ::-1], np.sort(data, axis=0)]
        changed += [np.broadcast_to(data[:1], data.shape).copy() if data.ndim else data, np.zeros_like(data)]
        changed += _matrices(data)
        changed += [
            new for where, other in arrays if where != position for new in (_like(other.data, data), *_edited(other.data, data))
        ]
        if data.dtype.kind == "f":
            changed += [np.rint(data * 2), data * 1e3, data * 1e-3, np.abs(data), -np.abs(data)]
            changed += [np.full_like(data, value) for value in constants[:6]]
        elif data.dtype.kind in "iu":
            changed += [cast(np.full(data.shape, value), data.dtype) for value in (*constants[:4], *data.shape, -1)]
        elif data.dtype.kind == "b":
            changed += [np.ones_like(data), ~data]
        for new in changed:
            yield _with(call, parts, position, replace(part, data=np.ascontiguousarray(new)))


def _matrices(data: Values) -> list[Values]:
    """The array with its last two axes nilpotent, triangular, skew, diagonal, negative, of rank one: what solvers break down on."""
    if data.ndim < 2 or data.dtype.kind not in "iuf" or data.shape[-1] != data.shape[-2]:
        return []
    corner, diagonal = np.zeros_like(data), np.eye(data.shape[-1], dtype=data.dtype)
    corner[..., 0, -1] = 1
    with np.errstate(invalid="ignore"):
        skew = data - np.swapaxes(data, -1, -2)
    return [
        corner,
        np.tril(data),
        skew,
        np.where(diagonal, data, 0),
        np.triu(data, 1),
        -np.broadcast_to(diagonal, data.shape),
        np.ones_like(data),
    ]


def met(call: Arguments, apart: Mapping[str, Sequence[Sequence[float]]], missing: Sequence[str]) -> Iterator[Arguments]:
    """Calls in which operands that were unequal meet: a number of the call that is one operand becomes the other."""
    parts = leaves(call)
    for name in missing:
        for pair in apart.get(name, ()):
            for old, new in (pair, pair[::-1], (-pair[0], -pair[1])):
                for position, part in enumerate(parts):
                    for value in (new, above(new), below(new)):
                        if isinstance(part, Array) and part.data.dtype.kind in "iuf":
                            where = part.data == old
                            if where.any() and (part.data.dtype.kind == "f" or value == int(value)):
                                data = np.array(part.data)  # a number without dimensions, too
                                data[np.unravel_index(int(np.argmax(where)), where.shape) if where.shape else ()] = value
                                yield _with(call, parts, position, replace(part, data=data))
                        elif is_number(part) and part == old and (isinstance(part, float) or value == int(value)):
                            yield _with(call, parts, position, value if isinstance(part, float) else int(value))


def in_halves(call: Arguments) -> Arguments:
    """The call with all numbers rounded to halves: sums and products of them are exact, and so are ties."""
    halves: list[Leaf] = []
    for part in leaves(call):
        if isinstance(part, Array) and part.data.dtype.kind == "f":
            part = replace(part, data=np.rint(part.data * 2) / 2)
        halves.append(round(part * 2) / 2 if isinstance(part, float) and math.isfinite(part) else part)
    return with_leaves(call, halves)


def in_lattice(call: Arguments, constants: Sequence[float], rng: np.random.Generator) -> Arguments:
    """The call with all numbers but the whole ones drawn from few multiples of a power of two, up to the largest whole one; also of half of
    1 / c for each constant c that is such a power, which makes halves of `c * x`."""
    parts = leaves(call)
    finer = [0.5 / value for value in constants if value > 1 and math.frexp(value)[0] == 0.5]
    step = float(rng.choice([0.25, 0.5, 1.0, 1.0, *finer[:2]]))
    most = max([3.0, *(float(abs(part)) for part in parts if isinstance(part, int) and abs(part) < MOST_LATTICE)])
    pool = np.arange(-most if rng.integers(3) else 0.0, most + step, step).tolist()
    new = [filled(part, pool, rng) if isinstance(part, Array) and part.data.dtype.kind == "f" else part for part in parts]
    numbers = [*pool, math.inf]
    return _as_ordered(call, [float(rng.choice(numbers)) if isinstance(part, float) else part for part in new])


def mixed(call: Arguments, constants: Sequence[float], rng: np.random.Generator) -> Arguments:
    """The call with one to three random changes: an element becomes a constant, its neighbour, or another element."""
    parts = leaves(call)
    pool = [*constants, *BASIC, *(float(part) for part in parts if is_number(part))]
    for _ in range(int(rng.integers(1, 4))):
        arrays = [position for position, part in enumerate(parts) if isinstance(part, Array) and part.data.size]
        if not arrays:
            break
        position = int(rng.choice(arrays))
        part = parts[position]
        assert isinstance(part, Array)
        data, flat = part.data.copy(), int(rng.integers(part.data.size))
        match int(rng.integers(4)):
            case 0:
                value = float(rng.choice(pool))
                data.flat[flat] = cast(np.asarray(rng.choice([value, above(value), value + 1, value - 1])), data.dtype)
            case 1:
                data.flat[flat] = data.flat[int(rng.integers(data.size))]
            case 2 if data.ndim and len(data) > 1:
                data[int(rng.integers(len(data)))] = data[int(rng.integers(len(data)))]
            case _:
                data = filled(part, LATTICES[int(rng.integers(len(LATTICES)))], rng).data
        parts[position] = replace(part, data=data)
    return _as_ordered(call, parts)


def _as_ordered(call: Arguments, parts: Sequence[Leaf]) -> Arguments:
    """The call with other numbers, in ascending order if its own are: the function may refuse any others."""
    return with_leaves(call, in_order(parts) if is_in_order(leaves(call)) else parts)


def sized_calls(
    model: Model, constants: Sequence[float], seed: int, by_name: frozenset[str], large: Sequence[float] = ()
) -> Iterator[Arguments]:
    """Ordinary calls with other lengths: of all dimensions together, then of one at a time. `large`: lengths that are tried for vectors only,
    one more of each."""
    if all(form.rank < 2 for _, form in model.forms):
        for length in large[:MOST_LARGE]:
            sizes = tuple((one, int(length) + 1) for one, _ in model.sizes)
            yield sample(replace(model, sizes=sizes), seed, by_name)
    given = 0
    for length in lengths(constants):
        for name in ("", *(name for name, _ in model.sizes if len(model.sizes) > 1)):
            if given < MOST_LENGTHS:
                sizes = tuple((one, length if name in ("", one) else usual) for one, usual in model.sizes)
                if sizes != model.sizes:
                    given += 1
                    yield sample(replace(model, sizes=sizes), seed, by_name)


def _some(part: Array) -> list[float]:
    """A few elements: the first two, the extremes, the one in the middle."""
    data = part.data.ravel()
    if data.dtype.kind not in "iuf" or not data.size:
        return []
    some = [data[0], data[-1], data[data.size // 2], data.min(), data.max()]
    return [float(value) for value in some if np.isfinite(value)]


def _like(other: np.ndarray[Any, Any], data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The elements of another array in this one's shape and dtype."""
    if other.dtype.kind == "c" or data.dtype.kind == "c":
        return data
    return cast(np.resize(other.astype(float), data.shape), data.dtype)


def _edited(other: Values, data: Values) -> list[Values]:
    """The sequence in another array with one element less, and with one more: what alignments, differences and merges are about."""
    if data.ndim != 1 or other.ndim != 1 or min(data.size, other.size) < 2:
        return []
    middle = other.size // 2
    return [_like(np.delete(other, middle), data), _like(np.insert(other, middle, other[-1]), data)]


def _with(call: Arguments, parts: Sequence[Leaf], position: int, new: Leaf) -> Arguments:
    return with_leaves(call, [*parts[:position], new, *parts[position + 1 :]])
