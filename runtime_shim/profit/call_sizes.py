"""Calls of several sizes: generated ones are made larger by their dimensions, recorded ones by tiling.

What may grow is found out by trying: the relations between shapes are kept, and the original must accept the larger call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..inputs.samples import sample, with_numbers
from ..inputs.signatures import Form, Model
from ..values.calls import Arguments
from ..values.snapshot import Array, Node, Snapshot

ELEMENTS = (100, 1_000, 10_000, 100_000, 1_000_000)  # of the largest array of a generated call
LARGER = 2  # steps from a recorded call, each of them to ten times as many elements
ATOMIC = ("random", "key")  # nodes whose arrays have a fixed size
SHORT = 4  # axes up to this length are likely to be vectors, quaternions, pairs: they grow last

Accepts = Callable[[Arguments], bool]


@dataclass(frozen=True, slots=True)
class Ladder:
    """Calls that grow step by step. `make(step)` is one of them, None if it would not be larger than the one before."""

    steps: int
    make: Callable[[int], Arguments | None]


def elements(call: Arguments) -> int:
    """The number of elements of the largest array; without arrays, the largest whole number."""
    parts = list(_parts(call.node))
    arrays = [part.data.size for part in parts if isinstance(part, Array) and part.data.ndim]
    return max(arrays or [part for part in parts if type(part) is int] or [1])


def generated(model: Model, seed: int, by_name: frozenset[str], accepts: Accepts) -> Ladder:
    """The calls of one model, from the smallest on: all dimensions grow, or those that the original lets grow."""
    model = with_numbers(model, seed)
    for wide, names in _choices(_with_counts(model), model):
        if names and accepts(sample(_grown(wide, names, ELEMENTS[0]), seed, by_name)):
            return Ladder(len(ELEMENTS), partial(_generated, wide, names, seed, by_name))
    return Ladder(1, lambda _: sample(model, seed, by_name))


def recorded(call: Arguments, accepts: Accepts, least: int = 0) -> Ladder:
    """A recorded call, then tiled ones: axes of equal length grow together, and so do whole numbers that are that length.

    The largest has a hundred times as many elements, or about `least`.
    """
    steps = max(LARGER, round(math.log10(max(least / max(elements(call), 1), 1))))
    for lengths, numbers in _axes(call):
        larger = tiled(call, lengths, numbers, 10)
        if larger is not None and accepts(larger):
            return Ladder(1 + steps, partial(_recorded, call, lengths, numbers))
    return Ladder(1, lambda _: call)


def tiled(call: Arguments, lengths: frozenset[int], numbers: bool, times: int) -> Arguments | None:
    """The call with about `times` as many elements, by repeating its arrays along the axes of these lengths.

    `numbers`: whole numbers of these lengths grow, too. None if nothing grows.
    """
    arrays = [part for part in _parts(call.node) if isinstance(part, Array)]
    largest = max(arrays, key=lambda part: part.data.size, default=None)
    most = max((sum(length in lengths for length in part.data.shape) for part in arrays), default=0)
    if largest is None or not most:
        return None
    axes = sum(length in lengths for length in largest.data.shape) or most
    factor = max(2, round(times ** (1 / axes)))
    node = _tiled(call.node, lengths, numbers, factor)
    assert isinstance(node, Node)
    return Arguments(node)


def _generated(model: Model, names: tuple[str, ...], seed: int, by_name: frozenset[str], step: int) -> Arguments:
    return sample(_grown(model, names, ELEMENTS[step]), seed, by_name)


def _recorded(call: Arguments, lengths: frozenset[int], numbers: bool, step: int) -> Arguments | None:
    return tiled(call, lengths, numbers, 10**step) if step else call


def _tiled(part: Snapshot, lengths: frozenset[int], numbers: bool, factor: int) -> Snapshot:
    if isinstance(part, Array) and part.data.ndim:
        repeats = [factor if length in lengths else 1 for length in part.data.shape]
        return part if max(repeats) == 1 else replace(part, data=np.tile(part.data, repeats))
    if isinstance(part, Node) and part.kind not in ATOMIC:
        return replace(part, items=tuple(_tiled(item, lengths, numbers, factor) for item in part.items))
    return part * factor if numbers and type(part) is int and part in lengths else part


def _axes(call: Arguments) -> Iterator[tuple[frozenset[int], bool]]:
    """Lengths of axes that may grow together, the likeliest first, with and without the numbers that are equal to them."""
    found = {length for part in _parts(call.node) if isinstance(part, Array) for length in part.data.shape if length > 1}
    long = frozenset(length for length in found if length > SHORT)
    choices = [long, frozenset(found), *(frozenset({length}) for length in sorted(found, reverse=True))]
    for lengths in dict.fromkeys(choice for choice in choices if choice):
        present = any(type(part) is int and part in lengths for part in _parts(call.node))
        yield from ((lengths, numbers) for numbers in ((True, False) if present else (False,)))


def _parts(node: Node) -> Iterator[Snapshot]:
    """The parts of a call, without the states of generators."""
    yield node
    for item in node.items:
        if not isinstance(item, Node):
            yield item
        elif item.kind not in ATOMIC:
            yield from _parts(item)


def _with_counts(model: Model) -> Model:
    """The model with a dimension for each whole number that is no dimension and no index: it may count iterations."""
    forms: list[tuple[str, Form]] = []
    sizes = list(model.sizes)
    for name, form in model.forms:
        if form.kind == "int" and not form.dims and not form.index:
            form = replace(form, dims=(f"#{name}",))
            sizes.append((f"#{name}", 2))
        forms.append((name, form))
    return replace(model, forms=tuple(forms), sizes=tuple(sizes))


def _choices(counted: Model, model: Model) -> Iterator[tuple[Model, tuple[str, ...]]]:
    """The dimensions that may grow together, the likeliest first."""
    used = {dim for _, form in counted.forms for dim in form.dims if isinstance(dim, str)}
    names = tuple(name for name, _ in counted.sizes if name in used)
    plain = tuple(name for name in names if not name.startswith("#"))
    for left_out in dict.fromkeys((_coordinates(model), frozenset[str]())):
        some = tuple(name for name in names if name not in left_out)
        if some != plain:
            yield counted, some
        yield model, tuple(name for name in plain if name not in left_out)
    if len(plain) > 1:
        yield from ((model, (name,)) for name in plain)
    if names != plain and plain:
        yield counted, tuple(name for name in names if name.startswith("#"))


def _coordinates(model: Model) -> frozenset[str]:
    """The dimensions that count coordinates: the last axis of two arrays that differ before it, such as (n, d) and (m, d).

    Points have few coordinates, however many points there are.
    """
    shapes = [form.dims for _, form in model.forms if form.kind == "array" and len(form.dims) > 1]
    before = {dim for dims in shapes for dim in dims[:-1]}
    last = {dims[-1] for dims in shapes} - before
    return frozenset(dim for dim in last if isinstance(dim, str) and len({dims for dims in shapes if dims[-1] == dim}) > 1)


def _grown(model: Model, names: tuple[str, ...], target: int) -> Model:
    """The model with about `target` elements in its largest array. The proportions of the dimensions stay as they are."""
    now = dict(model.sizes)
    shapes = [form.dims for _, form in model.forms if form.kind == "array"]
    growing = {name for name in names if any(name in dims for dims in shapes)}
    most = max((sum(dim in growing for dim in dims) for dims in shapes), default=0)
    fixed = max((_fixed(dims, growing, now) for dims in shapes if sum(dim in growing for dim in dims) == most), default=1)
    side = (target / fixed) ** (1 / most) if most else target**0.5
    longest = max((now[name] for name in growing), default=1)
    sizes: Mapping[str, int] = {
        name: max(length, round(side * length / longest)) if name in growing else max(length, _alone(name, target))
        for name, length in now.items()
        if name in names
    }
    return replace(model, sizes=tuple((name, sizes.get(name, length)) for name, length in model.sizes))


def _fixed(dims: tuple[int | str, ...], growing: set[str], now: Mapping[str, int]) -> int:
    """The elements of an array along the dimensions that do not grow."""
    count = 1
    for dim in dims:
        count *= 1 if dim in growing else dim if isinstance(dim, int) else now[dim]
    return max(count, 1)


def _alone(name: str, target: int) -> int:
    """The value of a whole number that is no length of an argument: a count of iterations, or the size of a result."""
    return round(10 * math.pow(target / ELEMENTS[0], 0.25)) if name.startswith("#") else round(math.sqrt(target))
