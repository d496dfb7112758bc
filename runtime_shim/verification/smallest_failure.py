"""A call that shows a difference made smaller, as long as the difference stays: shorter arrays, then simpler numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..inputs.leaves import Leaf, is_number, leaves, with_leaves
from ..values.calls import Arguments
from ..values.snapshot import Array
from .differential_run import DifferentialRun
from .steps import Step
from .stopwatch import SMALLEST

MOST_ELEMENTS = 16  # elements that are made simpler one by one
MOST_TRIES = 120


def smallest_failure(run: DifferentialRun, step: Step) -> Step:
    """The same kind of difference on the smallest call that is found in a short time. Raises Ended if the original ends its process."""
    if step.kind == "late":
        return step
    deadline = run.watch.until(SMALLEST)
    kind = step.words.removeprefix(str(step.difference))  # such as " (integers)"
    tries = 0
    found = True
    while found:
        found = False
        for call in _smaller(step.call):
            tries += 1
            if deadline.over or tries > MOST_TRIES:
                return step
            run.hurried = True
            again = run.run(call, ordinary=False)
            run.hurried = False
            if again.kind == "late":
                return step
            if _same_failure(step, again):
                step, found = replace(again, words=f"{again.words}{kind}" if step.difference else again.words), True
                break
    return step


def _same_failure(one: Step, other: Step) -> bool:
    """Whether both calls show the same kind of difference, and NumPy complains about neither or the first already."""
    if one.kind != other.kind or one.want is None or other.want is None:
        return False
    if other.want.warned and not one.want.warned:
        return False
    if one.kind != "differs":
        return one.words.partition(":")[0] == other.words.partition(":")[0]
    assert one.difference is not None and other.difference is not None
    return one.difference.sort == other.difference.sort


def _smaller(call: Arguments) -> Iterator[Arguments]:
    parts = leaves(call)
    yield from _shorter(call, parts)
    yield from _simpler(call, parts)


def _shorter(call: Arguments, parts: Sequence[Leaf]) -> Iterator[Arguments]:
    """All axes of one length together, with the whole numbers that say it: their start, their end, both ends."""
    lengths = dict.fromkeys(length for part in parts if isinstance(part, Array) for length in part.data.shape)
    for length in sorted(lengths, reverse=True):
        for target in dict.fromkeys((1, 2, 3, length // 2, length - 1)):
            if 0 < target < length:
                for kept in (range(target), range(length - target, length), (0, length - 1)):
                    if len(kept) == target:
                        yield with_leaves(call, [_cut(part, length, kept) for part in parts])


def _cut(part: Leaf, length: int, kept: Sequence[int]) -> Leaf:
    if isinstance(part, Array):
        data = part.data
        for axis, here in enumerate(part.data.shape):
            data = np.take(data, kept, axis) if here == length else data
        return replace(part, data=data)
    return len(kept) if is_number(part) and isinstance(part, int) and part == length else part


def _simpler(call: Arguments, parts: Sequence[Leaf]) -> Iterator[Arguments]:
    """Zeros in place of an array, of a number, of an element; then ones; then whole numbers, and tenths."""
    for position, part in enumerate(parts):
        if is_number(part):
            for number in dict.fromkeys((0, 1, 2, round(part) if np.isfinite(part) else 0)):
                if _weight(number) < _weight(part):
                    yield _with(call, parts, position, type(part)(number))
        elif isinstance(part, Array) and part.data.size and part.data.dtype.kind in "iuf":
            for data in (np.zeros_like(part.data), np.ones_like(part.data), np.rint(part.data), np.round(part.data, 1)):
                if _total(data) < _total(part.data):
                    yield _with(call, parts, position, replace(part, data=data.astype(part.data.dtype)))
            for flat in range(min(part.data.size, MOST_ELEMENTS)):
                value = float(part.data.flat[flat])
                for simple in (0.0, 1.0, np.rint(value), np.round(value, 1)):
                    if np.isfinite(value) and _weight(simple) < _weight(value):
                        data = part.data.copy()
                        data.flat[flat] = simple
                        yield _with(call, parts, position, replace(part, data=data))


def _total(data: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> int:
    return sum(_weight(float(value)) for value in data.ravel()[:256].tolist())


def _weight(value: float) -> int:
    """How long a number is to read: 0 is the simplest, then 1."""
    return 0 if value == 0 else 1 if value == 1 else 1 + len(f"{value:.17g}")


def _with(call: Arguments, parts: Sequence[Leaf], position: int, new: Leaf) -> Arguments:
    return with_leaves(call, [*parts[:position], new, *parts[position + 1 :]])
