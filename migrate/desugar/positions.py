"""Positions where a condition holds, which only look up, store or are counted: the condition itself does as well.

`x[np.where(c)[0]]` is `x[c]`, where c is as long as x, and there are as many of them as c counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ...rules import functional, numpy_table
from ...rules.facts import UNKNOWN
from ...rules.model import Edit
from ...rules.numpy_table.entry import Memory
from .body import Body, Plain, with_comments

BY_AXIS = ("numpy.where", "numpy.nonzero")  # give the positions along each axis
OTHERS = ("numpy.flatnonzero", "numpy.argwhere")
ALONG, ALL, ROWS = "along", "all", "rows"  # positions in a vector; along each axis; all indices of each


@dataclass(frozen=True, slots=True)
class _Positions:
    """Where `mask` holds, in one of the forms; `call`: what gives them."""

    mask: cst.BaseExpression
    form: str
    call: cst.Call


def plain(statement: cst.CSTNode, body: Body) -> Plain | None:
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    what = "the positions where a condition holds"
    match statement.body:
        case [cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) as small]:
            found = _positions(value, body)
            match target:
                case cst.Name(value=name) if found is not None:
                    return _named(what, statement, small, name, found, body)
                case cst.Tuple(elements=[cst.Element(value=cst.Name(value=name))]) if found is not None and found.form == ALL:
                    return _named(what, statement, small, name, _Positions(found.mask, ALONG, found.call), body)
    edits: dict[cst.CSTNode, Edit] = {}
    for call in body.source.among(statement, cst.Call):
        edits.update(_in_line(call, body))
    return Plain(what, edits) if edits else None


def _positions(node: cst.BaseExpression, body: Body) -> _Positions | None:
    match node:
        case cst.Subscript(value=inner, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))]):
            found = _positions(inner, body)
            return _Positions(found.mask, ALONG, found.call) if found is not None and found.form == ALL else None
        case cst.Call(args=[cst.Arg(value=mask, keyword=None, star="")]):
            called = body.calls(node)
            if called in BY_AXIS:
                return _Positions(mask, ALL, node)
            if called in OTHERS:
                return _Positions(mask, ALONG if called == "numpy.flatnonzero" else ROWS, node)
    return None


def _in_line(call: cst.Call, body: Body) -> Iterator[tuple[cst.CSTNode, Edit]]:
    """`x[np.where(c)]`, `len(np.flatnonzero(c))`."""
    found, node = _positions(call, body), call
    above = body.source.parents[call]
    if isinstance(above, cst.Subscript) and above.value is call:
        found, node = _positions(above, body), above  # type: ignore[assignment]  # any expression
    if found is None:
        return
    mask, numpy = found.mask, _module(found)
    if (counted := _counted(node, found.form, body)) is not None:
        yield counted, lambda _made: _count(numpy, mask.deep_clone())
    elif (subscript := _looked_up(node, body)) is not None and _is_mask(mask, body) and _as_long(subscript, mask, body):
        if found.form == ALL or (found.form == ALONG and body.values.get(mask, UNKNOWN).rank == 1):
            yield node, lambda _made: mask.deep_clone()


def _named(
    what: str, statement: cst.SimpleStatementLine, small: cst.Assign, name: str, found: _Positions, body: Body
) -> Plain | None:
    """`positions = np.where(c)[0]`, and all that is done with them."""
    mask, numpy = found.mask, _module(found)
    target = small.targets[0]
    reads = [n for n in body.source.among(body.owner, cst.Name) if n.value == name and not body.source.inside(n, target)]
    if name in body.captured or not reads or not _is_mask(mask, body) or not _stays(mask, body):
        return None
    edits: dict[cst.CSTNode, Edit] = {}
    looked_up = False
    for read in reads:
        if statement not in _ahead(read, body):
            return None
        if (counted := _counted(read, found.form, body)) is not None:
            edits[counted] = lambda _made: _count(numpy, cst.Name(name))
            continue
        subscript = _looked_up(read, body)
        if subscript is None or found.form == ROWS or not _as_long(subscript, mask, body):
            return None
        looked_up = True
    vector = looked_up and found.form == ALONG and body.values.get(mask, UNKNOWN).rank != 1

    def edit(made: cst.SimpleStatementLine) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        bound = cst.Assign([cst.AssignTarget(cst.Name(name))], functional.bare(mask.deep_clone()))
        line = made.with_changes(body=[bound])
        if not vector:
            return line
        said = cst.parse_statement(f"assert {name}.ndim == 1")
        assert isinstance(said, cst.SimpleStatementLine)
        return with_comments([line, said], made)

    return Plain(what, {statement: edit, **edits})


def _module(found: _Positions) -> cst.BaseExpression:
    """How the text writes NumPy's module."""
    return found.call.func.value if isinstance(found.call.func, cst.Attribute) else cst.Name("")


def _count(numpy: cst.BaseExpression, mask: cst.BaseExpression) -> cst.Call:
    return functional.call(cst.Attribute(numpy.deep_clone(), cst.Name("count_nonzero")), functional.bare(mask))


def _counted(node: cst.BaseExpression, form: str, body: Body) -> cst.BaseExpression | None:
    """What asks how many positions there are: `len(p)`, `p.size`, `p.shape[0]`."""
    if form == ALL:
        return None
    above = body.source.parents[node]
    match above:
        case cst.Arg(keyword=None, star=""):
            call = body.source.parents[above]
            return call if isinstance(call, cst.Call) and body.calls(call) == "builtins.len" else None
        case cst.Attribute(attr=cst.Name(value="size")) if above.value is node and form == ALONG:
            return above
        case cst.Attribute(attr=cst.Name(value="shape")) if above.value is node:
            match body.source.parents[above]:
                case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))]) as first:
                    return first
    return None


def _looked_up(node: cst.BaseExpression, body: Body) -> cst.Subscript | None:
    """The subscript of a variable whose only index something is."""
    index = body.source.parents[node]
    part = None if index is None else body.source.parents[index]
    above = None if part is None else body.source.parents[part]
    if isinstance(index, cst.Index) and isinstance(above, cst.Subscript) and len(above.slice) == 1:
        return above if isinstance(above.value, cst.Name) and not isinstance(body.source.parents[above], cst.Del) else None
    return None


def _is_mask(node: cst.BaseExpression, body: Body) -> bool:
    """Whether something is certainly an array of bools: of others, those that are not 0 would count."""
    value = body.values.get(node, UNKNOWN)
    return value.dtype in ("bool", "bool_")


def _stays(mask: cst.BaseExpression, body: Body) -> bool:
    """Whether a mask is an array that nobody changes later."""
    if isinstance(mask, cst.Name):
        mentions = [n for n in body.source.among(body.owner, cst.Name) if n.value == mask.value]
        return mask.value not in body.captured and all(_is_only_read(n, body) for n in mentions)
    memory = body.values.get(mask, UNKNOWN).memory
    return not isinstance(mask, (cst.Attribute, cst.Subscript)) and bool(memory) and all(m.startswith("new:") for m in memory)


def _is_only_read(node: cst.Name, body: Body) -> bool:
    """Whether a mention of a variable binds it, or reads its items, and gives nobody else the array."""
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


def _as_long(subscript: cst.Subscript, mask: cst.BaseExpression, body: Body) -> bool:
    """Whether a mask certainly has the shape of what is indexed."""
    array, given = body.values.get(subscript.value, UNKNOWN).shape, body.values.get(mask, UNKNOWN).shape
    return bool(array) and array == given


def _ahead(node: cst.CSTNode, body: Body) -> Iterator[cst.CSTNode]:
    """The statements that certainly ran ahead of a node, in its function."""
    at: cst.CSTNode | None = node
    while at is not None and at is not body.owner:
        if isinstance(at, (cst.FunctionDef, cst.Lambda)):
            return
        yield from body.before(at)
        at = body.source.parents[at]
