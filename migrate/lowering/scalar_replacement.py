"""Scalar replacement: items of an array that earlier iterations stored are carried as variables, and not read from the array again.

`p = b[i] - a[i] * c[i - 1]`, `c[i] = u[i] / p`, `d[i] = r[i] / p`: XLA fuses p into both stores, so that the second one reads the array c as
it was before the first, and copies all of it in each iteration. With `c_before = c[i]` at the end of each iteration nothing reads it. Items
that no iteration has stored yet, as in `old = c[i]`, are read from the array as it was before the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Edit, Kind
from ...rules.facts.iteration_space import IterationSpace, integer
from ...rules.facts.loop_plan import Fori, While
from ...rules.syntax import builders
from ..analysis.parallel.loop_nest import is_size
from ..analysis.state.project_facts import Facts
from ..analysis.symbolic.affine import Affine, affine, atom, text
from ..context.empty_arrays import lengths
from ..context.unit_context import UnitContext
from ..summaries.units import Module
from ..syntax.edits import Edits
from ..syntax.names import bound_by
from ..syntax.source import walk
from .rectangular_loops import as_good, compiled, loops_of
from .revision import Versions
from .speculation import Place, Proposal, Speculation, Trial

MOST_CARRIED = 4  # items of an array


class _Item(NamedTuple):
    """An array of which iterations read the items that earlier ones stored. `earlier`: the reads, by how many iterations ago; `unset`: the
    reads of items that are not stored yet; `first`: the indices of the items before those of the first iteration, the nearest first;
    `stored`: the index of the item that an iteration stores; `rows`: items may be arrays."""

    array: str
    earlier: Mapping[cst.Subscript, int]
    unset: Sequence[cst.Subscript]
    first: Sequence[cst.BaseExpression]
    stored: cst.BaseExpression
    rows: bool


def candidates(facts: Facts, _unjitted: frozenset[str]) -> Facts:
    return facts


def replaced(
    module: Module, versions: Versions, facts: Facts, rejected: Collection[Hashable], _only: Collection[Hashable] | None = None
) -> Proposal | None:
    """Replace the items in the compiled loops of a file; None if there are none."""
    edits, changed = Edits(), list[Place]()
    for context in compiled(module, facts):
        for number, loop in enumerate(loops_of(context)):
            place = context.analysed.unit.name, number
            items = list(_items(loop, context)) if place not in rejected else []
            if not items:
                continue
            changed.append(place)
            before, after = list[cst.SimpleStatementLine](), list[cst.SimpleStatementLine]()
            for item in items:
                _replace(item, edits, before, after, context)
            edits.before.setdefault(loop, []).append(lambda lines=tuple(before): lines)  # type: ignore[misc]
            edits.by_node.setdefault(loop.body, []).append(_ending_with(after))
    if not changed:
        return None
    source = versions.edited(module.source, edits)
    return Proposal(source, versions.lines(module.source, source), tuple(changed), lambda made: None)


def rejects(trial: Trial) -> set[Place]:
    """The loops of functions that jit no longer compiles as it did."""
    worse = {unit for unit, _number in trial.changes if not as_good(trial.before.plans[unit], trial.now.plans[unit])}
    return {place for place in trial.changes if place[0] in worse}


SCALAR_REPLACEMENT = Speculation("scalar-replacement", ("NJ401",), candidates, replaced, rejects)


def _replace(
    item: _Item,
    edits: Edits,
    before: list[cst.SimpleStatementLine],
    after: list[cst.SimpleStatementLine],
    context: UnitContext,
) -> None:
    """Replace the reads of an array; `before`, `after`: collect the assignments before the loop and at the end of each iteration."""
    array, carried = item.array, [context.names.local(f"{item.array}_before") for _index in item.first]
    for read, ago in item.earlier.items():
        edits.by_node[read] = [_named(carried[ago - 1])]
    if item.unset:
        start = context.names.local(f"{array}_start")
        before.append(builders.assigned((start,), builders.method(cst.Name(array), "copy")))
        edits.by_node.update({read.value: [_named(start)] for read in item.unset})
    before += [builders.assigned((name,), _at(item, index)) for name, index in zip(carried, item.first, strict=True)]
    after += [builders.assigned((older,), cst.Name(newer)) for newer, older in reversed([*pairwise(carried)])]
    if carried:
        after.append(builders.assigned((carried[0],), _at(item, item.stored)))


def _at(item: _Item, index: cst.BaseExpression) -> cst.BaseExpression:
    """An item of an array; a copy, if it may be a row, which would change with the array."""
    made = cst.Subscript(cst.Name(item.array), [cst.SubscriptElement(cst.Index(index.deep_clone()))])
    return builders.method(made, "copy") if item.rows else made


def _named(name: str) -> Edit:
    return lambda _made: cst.Name(name)


def _ending_with(lines: Sequence[cst.BaseStatement]) -> Edit:
    def edit(made: cst.CSTNode) -> cst.IndentedBlock:
        assert isinstance(made, cst.IndentedBlock)
        return made.with_changes(body=[*made.body, *lines])

    return edit


def _items(loop: cst.For, context: UnitContext) -> Iterator[_Item]:
    """The arrays whose items a loop may carry, if it stores items of several arrays."""
    space = context.loops.iteration_space(loop)
    if not isinstance(context.loops.loop_plan(loop), (Fori, While)) or not isinstance(loop.body, cst.IndentedBlock):
        return
    if not space.is_range or space.stride not in (1, -1) or not space.index or space.index in bound_by(loop.body):
        return
    start = affine(space.start or cst.Integer("0"))
    if (
        start is None
        or _skips(loop)
        or any(n in context.loops.plans.together for n in context.analysed.module.source.above(loop))
    ):
        return
    stores: dict[str, list[cst.Subscript]] = {}
    for node, _parent in walk(loop.body):
        if isinstance(node, cst.Subscript) and _is_target(node, context):
            if not isinstance(node.value, cst.Name):
                return
            stores.setdefault(node.value.value, []).append(node)
    low = _least(space)
    for array, targets in stores.items() if len(stores) > 1 else ():
        offsets = {_offset(target, space.index, context) for target in targets}
        offset = offsets.pop()
        if offsets or offset is None or array in bound_by(loop.body) or _is_shared(array, loop, context):
            continue
        reads = _reads(array, loop, context)
        ago = {} if reads is None else {read: (offset - at) * space.stride for read, at in reads.items()}
        earlier = {read: k for read, k in ago.items() if k > 0}
        lines = [_line_of(target, loop, context) for target in targets]
        own = [r for r, k in ago.items() if k == 0 and _line_of(r, loop, context) < min(lines)]
        unset = [*own, *(read for read, k in ago.items() if k < 0)]
        furthest = max(earlier.values(), default=0)
        least = -1 if low is None else low + min([offset, *(reads[read] for read in unset)] if reads else [offset])
        most = 1 if least < 0 else MOST_CARRIED if space.stride < 0 else min(max(2, least), MOST_CARRIED)
        if furthest > most or (unset and least < 0):
            continue
        if any(_is_kept(read, array, max(lines), loop, context) for read in (*earlier, *unset)):
            first = [text(start + (offset - k * space.stride)) for k in range(1, furthest + 1)]
            indices = [cst.parse_expression(lengths(index, space.iterable)) for index in first]
            stored = cst.parse_expression(text(atom(space.index) + offset))
            yield _Item(array, earlier, unset, indices, stored, context.value(targets[0].value).rank != 1)


def _least(space: IterationSpace) -> int | None:
    """The least index of a loop; None if it is unknown. Items with negative indices count from the end: they may have been stored."""
    bound = space.start if space.stride == 1 else space.stop
    found = 0 if bound is None else integer(bound)
    return found if found is None or space.stride == 1 else found + 1


def _line_of(node: cst.CSTNode, loop: cst.For, context: UnitContext) -> int:
    """The position of the statement of the body that contains a node."""
    at = node
    while (above := context.parent(at)) is not None and above is not loop.body:
        at = above
    lines: Sequence[cst.CSTNode] = loop.body.body
    return lines.index(at)


def _skips(loop: cst.For) -> bool:
    """Whether an iteration may end early by `continue`, or the names of a loop are used by functions in it."""
    return any(isinstance(n, (cst.Continue, cst.Lambda, cst.FunctionDef, cst.GeneratorExp)) for n, _parent in walk(loop.body))


def _is_target(node: cst.Subscript, context: UnitContext) -> bool:
    at: cst.CSTNode = node
    above = context.parent(at)
    while isinstance(above, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
        at, above = above, context.parent(above)
    return (
        isinstance(above, (cst.AssignTarget, cst.AugAssign, cst.For, cst.Del))
        and at is not getattr(above, "iter", None)
        and (not isinstance(above, cst.AugAssign) or above.target is at)
    )


def _offset(node: cst.Subscript, index: str, context: UnitContext) -> int | None:
    """The k of `x[i + k]`."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value))]:
            form: Affine | None = context.compiled.evolution.form(value)
            return None if form is None or context.kind(value) not in (Kind.SCALAR, Kind.UNKNOWN) else (form - atom(index)).number
    return None


def _reads(array: str, loop: cst.For, context: UnitContext) -> dict[cst.Subscript, int] | None:
    """The reads of items of an array, with their offsets from the index; None if a loop uses it otherwise."""
    found: dict[cst.Subscript, int] = {}
    index = context.loops.iteration_space(loop).index
    for node, parent in walk(loop.body):
        if not isinstance(node, cst.Name) or node.value != array or is_size(node, parent):
            continue
        if node is (
            parent.attr if isinstance(parent, cst.Attribute) else parent.keyword if isinstance(parent, cst.Arg) else None
        ):
            continue
        if isinstance(parent, cst.Arg) and context.qualname(_called(parent, context)) == "builtins.len":
            continue
        if not isinstance(parent, cst.Subscript) or parent.value is not node:
            return None
        if not _is_target(parent, context):
            offset = _offset(parent, index, context)
            if offset is None:
                return None
            found[parent] = offset
    return found


def _called(argument: cst.Arg, context: UnitContext) -> cst.CSTNode:
    call = context.parent(argument)
    return call.func if isinstance(call, cst.Call) else argument


def _is_shared(array: str, loop: cst.For, context: UnitContext) -> bool:
    """Whether stores into other variables may change an array."""
    updates = context.analysed.run.effects.updates
    inside = [(node, update) for node in updates if context.analysed.inside(node, loop) for update in updates[node]]
    own = {m for _node, update in inside if update.access_path == array for m in update.value.memory}
    return any(update.access_path != array and (update.refresh or own & update.value.memory) for _node, update in inside)


def _is_kept(read: cst.Subscript, array: str, last: int, loop: cst.For, context: UnitContext) -> bool:
    """Whether a statement before the one that stores the next item of an array uses what it reads. `last`: the position of the last one
    that stores."""
    at: cst.CSTNode | None = read
    while at is not None and not isinstance(at, cst.BaseSmallStatement | cst.If | cst.While | cst.For):
        at = context.parent(at)
    match at:
        case cst.Assign(targets=targets):
            stored = [t.target for t in targets]
        case cst.AugAssign(target=target):
            stored = [target]
        case _:
            stored = []
    own = any(isinstance(n, cst.Subscript) and isinstance(n.value, cst.Name) and n.value.value == array for n in stored)
    return not own and _line_of(read, loop, context) <= last


__all__ = ["SCALAR_REPLACEMENT"]
