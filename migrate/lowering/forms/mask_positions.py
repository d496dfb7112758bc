"""Positions where a condition holds, used only to index, store, count, iterate or sum: the mask itself replaces them.

`x[np.where(c)[0]]` is `x[c]` if c is as long as x, and the number of positions is the number of True in c. If c is computed from
another array that also comes from an argument, an `assert` states that the lengths are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Edit, Kind
from ....rules.facts.values import UNKNOWN
from ....rules.numpy_table.entry import Memory
from ....rules.syntax import builders
from . import mask_position_items, mask_position_loops
from .form import Body, DesugaredStatement, with_comments
from .mask_lengths import Lengths, Lookup, unchanged_since

BY_AXIS = ("numpy.where", "numpy.nonzero")  # return the positions along each axis
OTHERS = ("numpy.flatnonzero", "numpy.argwhere")
ALONG, ALL, ROWS = "along", "all", "rows"  # positions in a vector; along each axis; one row of indices for each


class _Positions(NamedTuple):
    """The positions where `mask` holds, in one of the forms. `call`: the call that returns them."""

    mask: cst.BaseExpression
    form: str
    call: cst.Call


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    what = "the positions where a condition holds"
    if isinstance(statement, cst.For):
        loops = list(_loops(statement, body))
        key = f"{what}: {cst.Module([]).code_for_node(statement.iter)}" if loops else ""
        if not loops or key in body.kept:
            return None
        return DesugaredStatement(
            what, {loop: edit for loop, _mask, edit in loops}, key, tuple(mask for _loop, mask, _edit in loops)
        )
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    match statement.body:
        case [cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) as small]:
            found = _positions(value, body)
            match target:
                case cst.Name(value=name) if found is not None:
                    return _named(what, statement, small, name, found, body)
                case cst.Tuple(elements=[cst.Element(value=cst.Name(value=name))]) if found is not None and found.form == ALL:
                    return _named(what, statement, small, name, _Positions(found.mask, ALONG, found.call), body)
    edits: dict[cst.CSTNode, Edit] = {}
    calls = body.source.among(statement, cst.Call)
    for call in calls:
        edits.update(_in_line(call, body))
    ahead = next((made for call in calls if (made := _ahead_of(statement, call, body))), {})
    edits.update(ahead)
    return DesugaredStatement(what, edits) if edits else None


def _positions(node: cst.BaseExpression, body: Body) -> _Positions | None:
    match node:
        case cst.Subscript(value=inner, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))]):
            found = _positions(inner, body)
            return _Positions(found.mask, ALONG, found.call) if found is not None and found.form == ALL else None
        case cst.Call(func=cst.Attribute(), args=[cst.Arg(value=mask, keyword=None, star="")]):
            called = body.calls(node)
            if called in BY_AXIS:
                return _Positions(mask, ALL, node)
            if called in OTHERS:
                return _Positions(mask, ALONG if called == "numpy.flatnonzero" else ROWS, node)
    return None


def _whole(call: cst.Call, body: Body) -> cst.BaseExpression:
    """A call with the index after it: `np.where(c)[0]`."""
    above = body.source.parents[call]
    return above if isinstance(above, cst.Subscript) and above.value is call else call


def _in_line(call: cst.Call, body: Body) -> Iterator[tuple[cst.CSTNode, Edit]]:
    """`x[np.where(c)]`, `len(np.flatnonzero(c))`."""
    node = _whole(call, body)
    found = _positions(node, body)
    if found is None:
        return
    mask, numpy = found.mask, _module(found)
    if (counted := _counted(node, found.form, body)) is not None:
        yield counted, lambda _made: _count(numpy, mask.deep_clone())
    elif (lookup := _looked_up(node, body)) is not None and _as_long(lookup, mask, body):
        chosen = _as_mask(mask, body)
        along_vector = found.form == ALONG and body.values.get(mask, UNKNOWN).rank == 1
        if chosen is not None and (found.form == ALL or along_vector):
            yield node, lambda _made: chosen.deep_clone()


def _named(
    what: str, statement: cst.SimpleStatementLine, small: cst.Assign, name: str, found: _Positions, body: Body
) -> DesugaredStatement | None:
    """`positions = np.where(c)[0]`, and all uses of the variable."""
    mask, numpy = found.mask, _module(found)
    target = small.targets[0]
    reads = [n for n in body.source.among(body.owner, cst.Name) if n.value == name and not body.source.inside(n, target)]
    chosen = _as_mask(mask, body)
    if name in body.captured or not reads or chosen is None or (chosen is mask and not _is_unchanged(mask, body)):
        return None
    edits: dict[cst.CSTNode, Edit] = {}
    along = False
    lengths = Lengths(name)
    ahead = set(_ahead(statement, body))
    for read in reads:
        if statement not in _ahead(read, body):
            return None
        node, form = _along_first(read, found.form, body)
        if (counted := _counted(node, form, body)) is not None:
            edits[counted] = lambda _made: _count(numpy, cst.Name(name))
            continue
        if (one := mask_position_items.taken(node, body)) is not None and form == ALONG:
            edits[one[0]] = mask_position_items.item(*one, name, found.call, body)
            along |= one[1] == mask_position_items.LAST and body.calls(found.call) == "numpy.flatnonzero"
            continue
        if form == ALONG and mask_position_items.computed_with(node, body):
            edits[node] = mask_position_items.themselves(name, numpy)
            along = True
            continue
        loop = body.source.parents[node]
        if isinstance(loop, cst.For) and loop.iter is node and form == ALONG:
            iterations = mask_position_loops.iterations(loop, name, numpy, body)
            if iterations is None:
                return None
            edits[loop] = iterations
            along = True
            continue
        lookup = _looked_up(node, body)
        if lookup is None or form == ROWS or (form == ALL and len(lookup.subscript.slice) > 1):
            return None
        if not _as_long(lookup, mask, body):
            if not lengths.require(lookup, form == ALL, mask, body) or not unchanged_since(lookup.array, ahead, body):
                return None
        along |= form == ALONG
    if along and (rank := body.values.get(mask, UNKNOWN).rank) != 1:
        lengths.vector = True
        if rank > 1:
            return None
    loops = any(isinstance(node, cst.For) for node in edits)
    key = f"{what}: {name}" if loops else ""
    if (body.host and lengths.said() and not loops) or (key and key in body.kept):
        return None
    return DesugaredStatement(what, {statement: _bound(name, chosen, lengths), **edits}, key, (name,) if loops else ())


def _as_mask(node: cst.BaseExpression, body: Body) -> cst.BaseExpression | None:
    """A boolean array, or `x != 0`: where the elements of another array count as True. None if it may be no array."""
    value = body.values.get(node, UNKNOWN)
    if category(value.dtype) == 0:
        return node
    if value.kind is not Kind.ARRAY:
        return None
    left = builders.operand(node.deep_clone())
    return cst.Comparison(left, [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])


def _along_first(read: cst.Name, form: str, body: Body) -> tuple[cst.BaseExpression, str]:
    """`p[0]` of `p = np.where(c)`: the positions along the first axis."""
    match body.source.parents[read]:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))]) as first:
            if form == ALL and first.value is read:
                return first, ALONG
    return read, form


def _bound(name: str, mask: cst.BaseExpression, lengths: Lengths) -> Edit:
    def edit(made: cst.SimpleStatementLine) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        line = made.with_changes(body=_bound_mask(name, mask).body)
        said = lengths.said()
        return with_comments([line, *said], made) if said else line

    return edit


def _bound_mask(name: str, mask: cst.BaseExpression) -> cst.SimpleStatementLine:
    return builders.assigned((name,), builders.bare(mask.deep_clone()))


def _ahead_of(statement: cst.SimpleStatementLine, call: cst.Call, body: Body) -> Mapping[cst.CSTNode, Edit]:
    """`x[np.where(y > 0)[0]]`, where y is another array: a variable bound before the statement holds the mask."""
    node = _whole(call, body)
    found = _positions(node, body)
    lookup = _looked_up(node, body)
    mask = None if found is None else _as_mask(found.mask, body)
    if found is None or lookup is None or found.form == ROWS or mask is None:
        return {}
    if found.form == ALL and len(lookup.subscript.slice) > 1:
        return {}
    if not mask_position_loops.is_plain(found.mask, body) or not _comes_first(statement, node, body):
        return {}
    same = cst.Module([]).code_for_node(found.call)
    name = body.fresh("chosen", "selected", "mask")
    lengths = Lengths(name)
    lengths.vector = found.form == ALONG and body.values.get(found.mask, UNKNOWN).rank != 1
    edits: dict[cst.CSTNode, Edit] = {}
    for other in body.source.among(statement, cst.Call):  # the same positions may be used several times
        if cst.Module([]).code_for_node(other) != same:
            continue
        again: cst.BaseExpression = other
        if node is not call:
            outer = body.source.parents[other]
            assert isinstance(outer, cst.Subscript)
            again = outer
        if _counted(again, found.form, body) is not None:
            continue
        where = _looked_up(again, body)
        if where is None or not _comes_first(statement, again, body):
            return {}
        if _as_long(where, found.mask, body):
            continue
        if not lengths.require(where, found.form == ALL, found.mask, body):
            return {}
        edits[again] = lambda _made: cst.Name(name)
    if not edits:
        return {}
    edits[statement] = lambda made: with_comments(
        [_bound_mask(name, mask), *lengths.said(), made.with_changes(leading_lines=[])], made
    )
    return edits


def _comes_first(statement: cst.SimpleStatementLine, node: cst.CSTNode, body: Body) -> bool:
    """Whether a node can be computed before its statement: it is always evaluated, and all calls in the statement are NumPy's."""
    at: cst.CSTNode | None = node
    while at is not None and at is not statement:
        if isinstance(at, (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp, cst.NamedExpr)):
            return False
        at = body.source.parents[at]
    return all(mask_position_loops.is_numpy(call, body) for call in body.source.among(statement, cst.Call))


def _loops(loop: cst.For, body: Body) -> Iterator[tuple[cst.CSTNode, str, Edit]]:
    """`for i in np.where(c)[0]`, and such loops nested in it, each with the variable that holds its mask."""
    for each in (loop, *body.source.among(loop.body, cst.For)):
        found = _positions(each.iter, body)
        mask = None if found is None else _as_mask(found.mask, body)
        if found is None or found.form != ALONG or mask is None:
            if each is loop:
                return
            continue
        if mask is found.mask and _may_change(mask, each, body):
            continue
        name = body.fresh("chosen", "selected", "mask")
        iterations = mask_position_loops.iterations(each, name, _module(found), body)
        if iterations is None:
            continue
        lengths = Lengths(name)
        lengths.vector = body.values.get(found.mask, UNKNOWN).rank != 1
        if body.host and lengths.vector and body.source.in_loop(each, body.owner):
            continue  # the enclosing loop could not move with the assertion in it
        yield each, name, _gone_through(name, mask, lengths, iterations)


def _gone_through(name: str, mask: cst.BaseExpression, lengths: Lengths, iterations: Edit) -> Edit:
    return lambda made: with_comments(
        [_bound_mask(name, mask), *lengths.said(), iterations(made).with_changes(leading_lines=[])], made
    )


def _module(found: _Positions) -> cst.BaseExpression:
    """NumPy's module as the source writes it."""
    assert isinstance(found.call.func, cst.Attribute)
    return found.call.func.value


def _count(numpy: cst.BaseExpression, mask: cst.BaseExpression) -> cst.Call:
    return builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("count_nonzero")), builders.bare(mask))


def _counted(node: cst.BaseExpression, form: str, body: Body) -> cst.BaseExpression | None:
    """The expression that reads the number of positions: `len(p)`, `np.size(p)`, `p.size`, `p.shape[0]`."""
    above = body.source.parents[node]
    along = form == ALONG or (isinstance(node, cst.Call) and body.values.get(node.args[0].value, UNKNOWN).rank == 1)
    match above:
        case cst.Arg(keyword=None, star=""):
            call = body.source.parents[above]
            if not isinstance(call, cst.Call) or len(call.args) != 1:
                return None
            called = body.calls(call)
            return call if (called == "builtins.len" and form != ALL) or (called == "numpy.size" and along) else None
        case _ if form == ALL:
            return None
        case cst.Attribute(attr=cst.Name(value="size")) if above.value is node and form == ALONG:
            return above
        case cst.Attribute(attr=cst.Name(value="shape")) if above.value is node:
            match body.source.parents[above]:
                case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))]) as first:
                    return first
    return None


def _looked_up(node: cst.BaseExpression, body: Body) -> Lookup | None:
    """The subscript of a variable with the node as an index, where the other indices are numbers and slices."""
    index = body.source.parents[node]
    part = None if index is None else body.source.parents[index]
    above = None if part is None else body.source.parents[part]
    if not isinstance(index, cst.Index) or not isinstance(above, cst.Subscript):
        return None
    if not isinstance(above.value, cst.Name) or isinstance(body.source.parents[above], cst.Del):
        return None
    others = [p.slice for p in above.slice if p is not part]
    numbers = [p.value for p in others if isinstance(p, cst.Index)]
    if any(value.kind is not Kind.SCALAR for value in (body.values.get(n, UNKNOWN) for n in numbers)):
        return None
    return Lookup(above, above.value, next(k for k, p in enumerate(above.slice) if p is part))


def _is_unchanged(mask: cst.BaseExpression, body: Body) -> bool:
    """Whether the array of a mask is not changed later."""
    if isinstance(mask, cst.Name):
        mentions = [n for n in body.source.among(body.owner, cst.Name) if n.value == mask.value]
        return mask.value not in body.captured and all(_is_only_read(n, body) for n in mentions)
    memory = body.values.get(mask, UNKNOWN).memory
    return not isinstance(mask, (cst.Attribute, cst.Subscript)) and bool(memory) and all(m.startswith("new:") for m in memory)


def _may_change(mask: cst.BaseExpression, loop: cst.For, body: Body) -> bool:
    """Whether the loop may change the array of its mask. The positions are those before the loop; an alias of the mask would change."""
    memory = body.values.get(mask, UNKNOWN).memory
    if not isinstance(mask, (cst.Name, cst.Attribute, cst.Subscript)) and memory and all(m.startswith("new:") for m in memory):
        return False

    def shares(node: cst.BaseExpression) -> bool:
        other = body.values.get(node, UNKNOWN).memory
        return bool(memory & other) or "?" in memory | other

    for node in body.source.among(loop.body, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Call):
        if isinstance(node, cst.Call):
            entry = numpy_table.function(called) if (called := body.calls(node)).startswith("numpy.") else None
            receiver = [node.func.value] if isinstance(node.func, cst.Attribute) and entry is None else []
            if (entry is None or entry.writes) and any(map(shares, (*receiver, *(a.value for a in node.args)))):
                return True
        elif isinstance(node, cst.AugAssign) and shares(node.target):
            return True
        elif isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign):  # also in a tuple of targets
            targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
            stores = [s for target in targets for s in body.source.among(target, cst.Subscript)]
            if any(shares(store.value) for store in stores):
                return True
    return False


def _is_only_read(node: cst.Name, body: Body) -> bool:
    """Whether a mention of a variable only binds it or reads its elements, so that the array does not escape."""
    above = body.source.parents[node]
    match above:
        case cst.AssignTarget() | cst.Param() | cst.Index() | cst.Return():
            return True
        case cst.Comparison() | cst.ComparisonTarget() | cst.BinaryOperation() | cst.UnaryOperation():
            return True
        case cst.Arg(keyword=None, star=""):
            called = body.calls(body.source.parents[above])
            entry = numpy_table.function(called) if called.startswith("numpy.") else None
            return entry is not None and not entry.writes and entry.memory is Memory.NEW
    return False


def _as_long(lookup: Lookup, mask: cst.BaseExpression, body: Body) -> bool:
    """Whether a mask certainly has the shape of the indexed array."""
    array, given = body.values.get(lookup.array, UNKNOWN).shape, body.values.get(mask, UNKNOWN).shape
    return bool(array) and array == given and not lookup.axis


def _ahead(node: cst.CSTNode, body: Body) -> Iterator[cst.CSTNode]:
    """The statements of the function that certainly ran before a node."""
    at: cst.CSTNode | None = node
    while at is not None and at is not body.owner:
        if isinstance(at, (cst.FunctionDef, cst.Lambda)):
            return
        yield from body.before(at)
        at = body.source.parents[at]
