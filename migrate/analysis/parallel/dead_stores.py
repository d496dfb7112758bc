"""Dead stores: successive stores to one location of an array, of which only the last one is needed.

`A[i, j] += x` and then `A[i, j] /= y` are two updates of all of A. XLA updates in place only where nothing reads A in between, so
each iteration of a loop would copy A. A variable holds the result of the earlier stores instead. So it does for a store that the
next one reads: `A[i, j] = x` and then `A[j, i] = A[i, j]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.dead_stores import Slot
from ....rules.facts.updates import Update
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.builders import flat
from ...syntax.liveness import uses
from ...syntax.source import walk
from ..state.interpreter_state import Run
from ..symbolic.inequalities import at_most, below, nonnegative
from ..symbolic.scalar_evolution import ScalarEvolution
from .loop_nest import is_size

LATE = (cst.Return, cst.Raise, cst.Break, cst.Continue, cst.Yield)


@dataclass(slots=True)
class _Open:
    """A location that may get more stores."""

    access_path: str
    subscript: cst.Subscript
    stores: list[cst.CSTNode] = field(default_factory=list)
    reads: list[cst.Subscript] = field(default_factory=list)  # before the last store
    later: list[cst.Subscript] = field(default_factory=list)  # after it
    met: bool = False  # one of the later reads is in a statement that stores into the same array

    @property
    def names(self) -> frozenset[str]:
        return frozenset().union(*(uses(part)[0] for part in self.subscript.slice))


def slots(run: Run, evolution: ScalarEvolution, block: Sequence[cst.CSTNode]) -> Iterator[Slot]:
    """The slots of the statements of a block."""
    found: dict[str, _Open] = {}
    for statement in block:
        small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
        store = _store(run, small)
        several = run.effects.updates.get(small, []) if small is not None and store is None else []  # stores at once, or none
        changed = {change.access_path for change in several}
        for key in list(found):
            if found[key].access_path in changed or not _is_unchanged(evolution, found[key], statement, small, store):
                yield from _closed(found.pop(key), _read_by(small) if store is not None else ())
        if store is None:
            continue
        assert small is not None
        update, subscript = store
        key = _key(update.access_path, subscript)
        mine = found.get(key)
        if mine is None:
            found[key] = _Open(update.access_path, subscript, [small])
        else:
            mine.stores.append(small)
            mine.reads += mine.later
            mine.later, mine.met = [], False
    for last in found.values():
        yield from _closed(last)


def _closed(slot: _Open, read: Sequence[cst.Subscript] = ()) -> Iterator[Slot]:
    """The slot, if it is one, before a statement that `read`s some subscripts, and changes the array."""
    key = _key(slot.access_path, slot.subscript)
    held = [node for node in read if isinstance(node.value, cst.Name) and _key(node.value.value, node) == key]
    if slot.met or held:
        held += slot.later
    if len(slot.stores) > 1 or held:
        parts = [p.slice.value for p in flat(slot.subscript.slice) if isinstance(p.slice, cst.Index)]
        named = [p.value for p in parts if isinstance(p, cst.Name)]
        stem = f"{slot.access_path}_{''.join(named) if named and len(named) == len(parts) else 'item'}"
        yield Slot(slot.access_path, stem, tuple(slot.stores), (*slot.reads, *held), bool(held))


def _read_by(small: cst.CSTNode | None) -> list[cst.Subscript]:
    """The subscripts in the value of an assignment."""
    value = small.value if isinstance(small, (cst.Assign, cst.AugAssign)) else None
    nodes = [] if value is None else [value, *(node for node, _parent in walk(value))]
    return [node for node in dict.fromkeys(nodes) if isinstance(node, cst.Subscript)]


def _key(place: str, subscript: cst.Subscript) -> str:
    parts = (cst.Module([]).code_for_node(p.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for p in flat(subscript.slice))
    return f"{place}[{', '.join(''.join(p.split()) for p in parts)}]"


def _store(run: Run, small: cst.CSTNode | None) -> tuple[Update, cst.Subscript] | None:
    """The only update of a statement: of a part of a variable, at integers and slices."""
    match small:
        case cst.AugAssign(target=cst.Subscript(value=cst.Name(value=name)) as target):
            pass
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=name)) as target)]):
            pass
        case _:
            return None
    changes = run.effects.updates.get(small, [])
    if len(changes) != 1 or any(run.effects.updates.get(n) for n, _p in walk(small) if n is not small):
        return None
    update = changes[0]
    plain = update.access_path == name and update.steps == (target,) and not update.refresh and not update.problem
    if not plain or update.value.kind is not Kind.ARRAY or not all(_simple(run, p) for p in flat(target.slice)):
        return None
    return update, target


def _simple(run: Run, part: cst.SubscriptElement) -> bool:
    if isinstance(part.slice, cst.Slice):
        bounds = (part.slice.lower, part.slice.upper, part.slice.step)
        return all(b is None or run.values.get(b, UNKNOWN).static for b in bounds)
    value = run.values.get(part.slice.value, UNKNOWN) if isinstance(part.slice, cst.Index) else UNKNOWN
    return value.kind is Kind.SCALAR and category(value.dtype) == 1


def _is_unchanged(
    evolution: ScalarEvolution,
    slot: _Open,
    statement: cst.CSTNode,
    small: cst.CSTNode | None,
    store: tuple[Update, cst.Subscript] | None,
) -> bool:
    """Whether a store may be delayed past a statement; records the reads of the location in it."""
    read, bound = uses(statement)
    if bound & (slot.names | {slot.access_path}) or any(isinstance(node, LATE) for node, _parent in walk(statement)):
        return False
    if slot.access_path not in read:
        return True
    if small is None:
        return False
    own = store[1] if store is not None else None
    key, reads = _key(slot.access_path, slot.subscript), list[cst.Subscript]()
    for node, parent in walk(statement):
        if not isinstance(node, cst.Name) or node.value != slot.access_path:
            continue
        if is_size(node, parent):
            continue
        if not isinstance(parent, cst.Subscript) or parent.value is not node:
            return False
        same = _key(slot.access_path, parent) == key
        if not same and not disjoint(evolution, parent, slot.subscript):
            return False
        if same and parent is not own:
            reads.append(parent)
    slot.later += reads
    slot.met |= bool(reads) and store is not None and store[0].access_path == slot.access_path
    return True


def disjoint(evolution: ScalarEvolution, later: cst.Subscript, earlier: cst.Subscript) -> bool:
    """Whether two subscripts of one array certainly are disjoint; no variable of the earlier one is rebound."""
    mine, theirs = flat(later.slice), flat(earlier.slice)
    if any(isinstance(p.slice, cst.Index) and isinstance(p.slice.value, (cst.Ellipsis, cst.Tuple)) for p in (*mine, *theirs)):
        return False
    pairs = list(zip(mine, theirs, strict=False))
    return any(_lies_below(evolution, later, a, b) or _lies_below(evolution, later, b, a) for a, b in pairs)


def _lies_below(evolution: ScalarEvolution, at: cst.CSTNode, one: cst.SubscriptElement, other: cst.SubscriptElement) -> bool:
    """Whether the first is below the second along one axis, both counted from the start of the array."""
    facts = evolution.facts(at)
    start = other.slice.value if isinstance(other.slice, cst.Index) else _bound(other.slice, "lower")
    low = None if start is None else evolution.form(start, at)
    if low is None:
        return False
    if isinstance(one.slice, cst.Index):
        index = evolution.form(one.slice.value, at)
        return index is not None and nonnegative(index, facts) and below(index, low, facts)
    stop = _bound(one.slice, "upper") if _bound(one.slice, "step") is None else None
    high = None if stop is None else evolution.form(stop, at)
    return high is not None and nonnegative(high, facts) and at_most(high, low, facts)


def _bound(part: cst.BaseSlice, which: str) -> cst.BaseExpression | None:
    return getattr(part, which) if isinstance(part, cst.Slice) else None


__all__ = ["Slot", "disjoint", "slots"]
