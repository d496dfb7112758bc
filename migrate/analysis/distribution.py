"""Loops whose turns do several things, one after the other: all turns do the first, then all turns do the next.

`for i: s[i] = 0; for j: s[i] += a[i, j]; s[i] /= m` is three loops, each of which is code on whole arrays. It is if what one turn
stores no other turn reads or stores: then no statement sees another value when it has to wait. This is loop distribution; see K. Kennedy
and K. McKinley, "Maximizing loop parallelism and improving data locality via loop fusion and distribution", LCPC 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from ...rules.facts import replace
from ..names import targets_of
from ..source import walk
from .dependence import Relation, relation
from .loops import Loop, bound_in
from .nest import is_size
from .places import Places
from .state import Run
from .turn_facts import Turns
from .turns import AtOnce, nest_of


def distributed(
    run: Run, places: Places, node: cst.For, loop: Loop, is_static: Callable[[cst.CSTNode], bool]
) -> tuple[Turns, ...]:
    """The parts of what the turns of a nest do, in their order, each taken by all turns at once; () where that is not so."""
    nest = nest_of(run, node)
    body = nest[-1].body
    if not isinstance(body, cst.IndentedBlock) or loop.exits.guards or loop.filled or len(body.body) < 2:
        return ()
    whole = AtOnce(run, places, nest, loop, is_static)
    if not all(whole.counted(each) for each in nest) or whole.rows or len(set(whole.names)) < len(whole.names):
        return ()
    whole.private = bound_in(run, node) - {*whole.names} - set(loop.carry)
    found: list[Turns] = []
    for part in _parts(whole, body.body):
        turns = _part(whole, part)
        if turns is None:
            return ()
        stores = tuple(replace(s, maker=None) if found else s for s in turns.stores)  # parts before see what was made
        found.append(replace(turns, stores=stores, part=tuple(part)))
    arrays = {store.target.array for turns in found for store in turns.stores}
    if len(found) < 2 or arrays != set(loop.carry) or not _apart(whole, found):
        return ()
    return tuple(found)


def _parts(whole: AtOnce, lines: Sequence[cst.BaseStatement]) -> list[list[cst.BaseStatement]]:
    """The statements of a turn, together where one needs a variable of another one."""
    parts: list[list[cst.BaseStatement]] = []
    for line in lines:
        parts.append([line])
        needed = _needed(whole, line) & whole.private
        first = next((k for k, part in enumerate(parts[:-1]) if any(_names(each) & needed for each in part)), None)
        if first is not None:
            parts[first:] = [[each for part in parts[first:] for each in part]]
    return parts


def _names(node: cst.CSTNode) -> set[str]:
    return {n.value for n, _parent in walk(node) if isinstance(n, cst.Name)}


def _needed(whole: AtOnce, line: cst.BaseStatement) -> set[str]:
    """The names in a statement, but for those that its own loops bind first."""
    loops = nest_of(whole.run, line) if isinstance(line, cst.For) else []
    return _names(line).difference(*map(targets_of, loops))


def _part(whole: AtOnce, part: Sequence[cst.BaseStatement]) -> Turns | None:
    """A part, where it is a nest of loops, or has none."""
    nest = list(whole.nest)
    body: cst.BaseSuite = cst.IndentedBlock(list(part))
    if len(part) == 1 and isinstance(part[0], cst.For):
        nest += nest_of(whole.run, part[0])
        body = nest[-1].body
    return AtOnce(whole.run, whole.places, nest, whole.loop, whole.is_static, body).turns(part=True)


def _apart(whole: AtOnce, found: Sequence[Turns]) -> bool:
    """Whether what a turn stores no other turn reads or stores, whatever part of it does."""
    known = {node for turns in found for store in turns.stores for node in store.nodes}
    if not whole.changes_nothing_else(known):
        return False
    targets = [(store.target.array, store.target.node) for turns in found for store in turns.stores]
    for node, parent in walk(whole.body):
        if not isinstance(node, cst.Name):
            continue
        for array, target in targets:
            if node.value != array or parent is target:
                continue
            if is_size(node, parent):
                continue
            if not isinstance(parent, cst.Subscript) or parent.value is not node:
                return False
            facts = whole.places.facts(parent)
            same = relation(whole.subscript(target), whole.subscript(parent), whole.order, facts)
            if same not in (Relation.SAME, Relation.NEVER):
                return False
    return True
