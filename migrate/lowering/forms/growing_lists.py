"""A list to which a loop appends numbers or arrays, and which stays a list. It is in a variable, or in an attribute of the object,
`self.losses`.

An array with room for all iterations takes numbers of known dtype, and the list is made of those that were stored. What each iteration
appends may be of any dtype and shape: another list takes it, of which one array is made, and the list of the items of that. Lists of
which only arrays are made are left: the loop may accumulate these as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Edit, Kind
from ....rules.facts.iteration_space import integer, iteration_space
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ...analysis.loops.list_accumulation import is_numeric
from .array_histories import Room, guarded, room_for
from .form import Body, DesugaredStatement, with_comments
from .list_growth import Growth, growth_of, is_empty
from .list_items import category_of

ELEMENTS = {0: "bool", 1: "int", 2: ""}  # the dtype to allocate, by category; that of floats is NumPy's default
ZEROS = {0: "False", 1: "0", 2: "0.0"}
ROOM = 10_000_000  # iterations of a literal number, for which memory is allocated


class _Filled(NamedTuple):
    """What takes the items in place of a list: the variable `name`, which `starts` bind and the lines that `store` makes of an item
    fill. `array`: the items after the loop; `last`, `previous`: the variables for the last item and the one before it; `length`: the one for
    their number; `zero`: an item that nothing reads; `room`: what they need of memory, where that is asked for."""

    name: str
    starts: tuple[cst.BaseStatement, ...]
    store: Callable[[cst.BaseExpression], Sequence[cst.BaseSmallStatement]]
    array: cst.BaseExpression
    last: str
    previous: str = ""
    length: str = ""
    zero: str = ""
    room: Room | None = None


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    return with_arrays(statement, body)


def with_arrays(statement: cst.CSTNode, body: Body, apart: cst.CSTNode | None = None) -> DesugaredStatement | None:
    """A loop that fills arrays instead of lists. `apart`: a statement of the loop that stays Python and runs between some iterations, so
    that arrays are allocated for all of them."""
    if not isinstance(statement, cst.For) or statement.orelse is not None or statement.asynchronous is not None:
        return None
    if body.source.among(statement.body, cst.Return, cst.Raise, cst.Yield, cst.Await) or (numpy := _numpy(body)) is None:
        return None
    interrupted = apart is not None
    lines = body.source.among(statement.body, cst.SimpleStatementLine)
    lines = [line for line in lines if apart is None or not body.source.inside(line, apart)]
    growths = [growth for line in lines if (growth := growth_of(line, statement, body, interrupted)) is not None]
    key = ", ".join(f"{code(growth.owner)}.append" for growth in growths)
    if not growths or key in body.kept:
        return None
    filled = [_filled(growth, statement, numpy, body, interrupted) for growth in growths]
    lists = [each for each in filled if each is not None]
    if len(lists) < len(filled):
        return None

    rooms = [each.room for each in lists if each.room is not None]
    empties = [is_empty(growth.start) and not rooms for growth in growths]

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        starts = [start for growth, each in zip(growths, lists, strict=True) for start in _firsts(growth, each)]
        starts += [start for each in lists for start in each.starts]
        ends = [_listed(growth, each.array, empty) for growth, each, empty in zip(growths, lists, empties, strict=True)]
        lines = [*starts, made.with_changes(leading_lines=()), *ends]
        return with_comments([guarded(rooms, lines, statement)] if rooms else lines, made)

    edits: dict[cst.CSTNode, Edit] = {statement: edit}
    for growth, each, empty in zip(growths, lists, empties, strict=True):
        edits |= _edits(growth, each)
        if empty:
            edits[growth.start] = builders.gone
    return DesugaredStatement("a list that grows", edits, key, tuple(each.name for each in lists), apart=interrupted)


def _firsts(growth: Growth, filled: _Filled) -> list[cst.BaseStatement]:
    """Bind the last items of a list before the loop, as far as an iteration may read them before it has appended as many."""
    names = [filled.previous, filled.last] if growth.reads.previous else [filled.last] if growth.carried else []
    found = list[cst.BaseStatement]()
    for back, name in enumerate(reversed(names), 1):
        index = cst.SubscriptElement(cst.Index(builders.integer(-back)))
        item = cst.Subscript(growth.owner.deep_clone(), [index]) if back <= growth.started else cst.parse_expression(filled.zero)
        found.insert(0, builders.assigned((name,), item))
    return found


def _filled(growth: Growth, loop: cst.For, numpy: cst.BaseExpression, body: Body, interrupted: bool) -> _Filled | None:
    """What takes the items in place of the list; None if nothing can."""
    room, kind = _room(loop, body), category_of(growth.item, growth.value, loop, body)
    stem = growth.name.strip("_") or "list"
    reads = growth.reads
    last = body.fresh(f"{stem}_last") if reads.lasts or reads.previous else ""
    previous = body.fresh(f"{stem}_previous") if reads.previous else ""
    zero = ZEROS.get(kind, "") if kind is not None else ""
    if (2 if reads.previous else int(growth.carried)) > growth.started and not zero:
        return None
    if growth.regular and is_numeric(growth.value) and not (interrupted or reads.lengths):
        return _accumulated(numpy, body.fresh(f"{stem}_items"), last)._replace(previous=previous, zero=zero)
    if room is None:
        return None
    if kind is None:
        found = None if interrupted else room_for(growth, loop, room, numpy, body)
        if found is None:
            return None
        filled = _stored(found.array, body.fresh(f"{stem}_items"), body.fresh(f"{stem}_count"), last)
        return filled._replace(previous=previous, zero=zero, room=found)
    dtype = [cst.Name(ELEMENTS[kind])] if ELEMENTS[kind] else []
    array = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("empty")), room, *dtype)
    filled = _stored(array, body.fresh(f"{stem}_items"), body.fresh(f"{stem}_count"), last)
    return filled._replace(previous=previous, zero=zero)


def _edits(growth: Growth, filled: _Filled) -> dict[cst.CSTNode, Edit]:
    """Store the item instead of appending it, and read the last one from a variable."""

    def stored(made: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        call = made.body[0]
        assert isinstance(call, cst.Expr) and isinstance(call.value, cst.Call)
        item = growth.unwrapped(call.value.args[0].value)
        lines = [*filled.store(cst.Name(filled.last) if filled.last else item)]
        if filled.previous:  # in one statement: the item may be computed from both
            names = cst.Tuple([cst.Element(cst.Name(filled.previous)), cst.Element(cst.Name(filled.last))], lpar=[], rpar=[])
            values = cst.Tuple([cst.Element(cst.Name(filled.last)), cst.Element(builders.bare(item))], lpar=[], rpar=[])
            lines = [cst.Assign([cst.AssignTarget(names)], values), *lines]
        elif filled.last:
            lines = [cst.Assign([cst.AssignTarget(cst.Name(filled.last))], builders.bare(item)), *lines]
        first = made.with_changes(body=lines[:1])
        return cst.FlattenSentinel([first, *(cst.SimpleStatementLine([small]) for small in lines[1:])])

    length = filled.length if not growth.started else f"({filled.length} + {growth.started})"
    return {
        growth.line: stored,
        **dict.fromkeys(growth.reads.lasts, lambda _made: cst.Name(filled.last)),
        **dict.fromkeys(growth.reads.previous, lambda _made: cst.Name(filled.previous)),
        **dict.fromkeys(growth.reads.lengths, lambda _made: cst.parse_expression(length)),
    }


def _accumulated(numpy: cst.BaseExpression, items: str, last: str) -> _Filled:
    """Another list, of which an array is made after the loop."""

    def appended(item: cst.BaseExpression) -> Sequence[cst.BaseSmallStatement]:
        return [cst.Expr(builders.method(cst.Name(items), "append", item))]

    array = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("asarray")), cst.Name(items))
    return _Filled(items, (builders.assigned((items,), cst.List([])),), appended, array, last)


def _stored(array: cst.BaseExpression, items: str, count: str, last: str) -> _Filled:
    """An array with room for all items, and their number."""

    def stored(item: cst.BaseExpression) -> Sequence[cst.BaseSmallStatement]:
        place = cst.Subscript(cst.Name(items), [cst.SubscriptElement(cst.Index(cst.Name(count)))])
        store = cst.Assign([cst.AssignTarget(place)], builders.bare(item))
        return [store, cst.AugAssign(cst.Name(count), cst.AddAssign(), cst.Integer("1"))]

    starts = builders.assigned((items,), array), builders.assigned((count,), cst.Integer("0"))
    used = cst.Subscript(cst.Name(items), [cst.SubscriptElement(cst.Slice(lower=None, upper=cst.Name(count)))])
    return _Filled(items, starts, stored, used, last, length=count)


def _room(loop: cst.For, body: Body) -> cst.BaseExpression | None:
    """The number of iterations of a loop, unless something ends it; at least 1, as JAX selects nothing from empty arrays."""
    space = iteration_space(loop.target, loop.iter, body.scopes.qualname)
    if space.function == "enumerate":
        space = space.parts[0]
    if space.function == "" and isinstance(space.iterable, cst.Name):
        if body.values.get(space.iterable, UNKNOWN).kind is not Kind.ARRAY:
            return None
        count: cst.BaseExpression = builders.call(cst.Name("len"), space.iterable)
    elif not space.is_range or space.stop is None:
        return None
    elif (number := integer(space.stop)) is not None and len(space.bounds) == 1:
        return cst.Integer(str(max(number, 1))) if number <= ROOM else None
    else:
        count = space.stop if len(space.bounds) == 1 else builders.call(cst.Name("len"), space.iterable)
    return builders.call(cst.Name("max"), count.deep_clone(), cst.Integer("1"))


def _listed(growth: Growth, array: cst.BaseExpression, empty: bool) -> cst.BaseStatement:
    """The statement that makes the list of the items in an array, or adds them to what the list starts with. `empty`: that is gone."""
    items = builders.method(array, "tolist") if growth.python else array
    if empty:
        whole = items if growth.python else builders.call(cst.Name("list"), items)
        return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(growth.owner.deep_clone())], whole)])
    return cst.SimpleStatementLine([cst.Expr(builders.method(growth.owner.deep_clone(), "extend", items))])


def _numpy(body: Body) -> cst.BaseExpression | None:
    """NumPy's module as the file names it; None if it imports none, or if the function uses JAX already."""
    modules = {(body.scopes.qualname(n.value) or "").partition(".")[0] for n in body.source.among(body.owner, cst.Attribute)}
    name = body.scopes.name_of("numpy")
    hidden = name in body.scopes.assigned(body.owner)
    return None if "jax" in modules or not name or hidden else cst.Name(name)


__all__ = ["desugar"]
