"""Slices of constant length that move with the iterations of a loop: the start of each, as a function of the loop indices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from ....rules.facts.dynamic_slices import Window
from ....rules.facts.parallel_loops import Access, WindowRead
from ....rules.syntax.builders import is_new_axis
from ...syntax.source import walk
from ..symbolic.affine import atom
from ..symbolic.inequalities import nonnegative
from .loop_nest import Nest, flat

WORD = re.compile(r"\w+")


def windows(nest: Nest) -> Iterator[WindowRead]:
    """The slices of constant length that iterations read, each at a position of its own."""
    for plan in nest.plans.values():
        for node, windows in () if plan.selection else plan.windows.items():
            if node not in plan.targets and nest.always(node, 1) and (found := _window(nest, node, windows)) is not None:
                yield found


def _window(nest: Nest, node: cst.Subscript, windows: Mapping[int, Window]) -> WindowRead | None:
    parts = flat(node)
    kept = [k for k, part in enumerate(parts) if not is_new_axis(part.slice)]
    moving = {kept.index(k): window for k, window in windows.items()}
    every = dict.fromkeys(moving, cst.Slice(None, None))
    access = nest.access(node.with_changes(slice=[parts[k] for k in kept]), every)
    own = {*nest.names, *nest.private, *dict(nest.rows)}
    if access is None or access.axes is None or any(not own.isdisjoint(WORD.findall(w.length)) for w in windows.values()):
        return None
    starts: dict[int, tuple[int, int | None]] = {}
    along: list[int] = []
    for position, axis in enumerate(access.axes):
        if position in moving:
            start = _start_of(nest, access.array, position, parts[kept[position]].slice)
            if start is None:
                return None
            starts[position] = start
            along.append(start[0])
        along += [axis] if axis != -1 else []
    if len({a for a in along if a >= 0}) < sum(a >= 0 for a in along):
        return None
    sizes = {position: window.length for position, window in moving.items()}
    return WindowRead(node, access, starts, sizes, Access(node, access.array, parts, tuple(along)))


def _start_of(nest: Nest, array: str, axis: int, part: cst.BaseSlice) -> tuple[int, int | None] | None:
    """The loop index that the start of a window depends on, and the constant that is added to it, None where it is not a
    constant; None where an iteration may read outside of the array.
    """
    if not isinstance(part, cst.Slice) or part.lower is None or part.upper is None:
        return None
    first, last = nest.evolution.form(part.lower), nest.evolution.form(part.upper)
    held = [k for k, name in enumerate(nest.names) if first is not None and name in first.names]
    if first is None or last is None or len(held) != 1 or abs(nest.order[held[0]].step) != 1:
        return None
    added = first - atom(nest.names[held[0]])
    low, high = nest.bounds[held[0]]
    extent = nest.extent_of(array, axis)
    read = [n for n, _parent in walk(part.lower) if isinstance(n, cst.Name)]
    written = {n.value for n in read} | added.names
    if low is None or high is None or extent is None or (added.number is None and not written.isdisjoint(nest.private)):
        return None
    if not all(n.value in nest.names or n.value in nest.private or nest.is_static(n) for n in read):
        return None  # the windows of all iterations are cut at once, at positions known when tracing
    facts = nest.evolution.facts(nest.nest[0])
    inside = nonnegative(low + added, facts) and nonnegative(extent - (high - 1 + added + (last - first)), facts)
    return (held[0], added.number) if inside else None
