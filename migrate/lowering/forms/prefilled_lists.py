"""`ys = [y0]` and a loop that appends to it: the list starts empty, and the initial elements are put before its elements in the
array.

`ys[-1]` becomes a variable with the last element, and so does `ys[i]` if it is the last element in each iteration.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ...context.empty_arrays import has_iterations
from ...syntax.break_statements import breaks
from ...syntax.names import collect
from .form import Body, DesugaredStatement

MAKERS = ("numpy.array", "numpy.asarray", "numpy.stack")  # of arrays: along a new first axis


class _Uses(NamedTuple):
    """The uses of a list: the statement that appends, the calls that create an array from it, the subscripts that read its last
    element."""

    put: cst.Expr
    arrays: list[cst.Call]
    last: list[cst.Subscript]


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name) as target)], value=cst.List(elements=first))]
        ) if first and name not in body.captured and not any(isinstance(e, cst.StarredElement) for e in first):
            loop = body.loop_after(statement, name)
        case _:
            return None
    uses = None if loop is None else _uses(name, target, loop, len(first), body)
    if uses is None or loop is None:
        return None
    start, last = body.fresh(f"{name}_start"), body.fresh(f"{name}_last") if uses.last else ""
    imported, some = uses.arrays[0].func, _has_items(name, loop, body)

    def started(made: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        small = made.body[0]
        assert isinstance(small, cst.Assign) and isinstance(small.value, cst.List)
        lines = [builders.assigned((start,), small.value).with_changes(leading_lines=made.leading_lines)]
        lines += [builders.assigned((last,), small.value.elements[-1].value)] if last else []
        return cst.FlattenSentinel([*lines, builders.assigned((name,), cst.List([]))])

    def whole(made: cst.Call, alone: bool) -> cst.BaseExpression:
        """Without items, an array of these has neither their shape nor their dtype."""
        assert isinstance(imported, cst.Attribute)
        before = made.with_changes(args=[cst.Arg(cst.Name(start))])
        joined = cst.Attribute(imported.value.deep_clone(), cst.Name("concatenate"))
        both = builders.call(joined, cst.List([cst.Element(before), cst.Element(made)]))
        choice = cst.IfExp(some.deep_clone(), both, before.deep_clone())
        return choice if alone else builders.operand(choice)

    edits: dict[cst.CSTNode, Edit] = {statement: started}
    for call in uses.arrays:
        alone = isinstance(body.source.parents[call], (cst.Assign, cst.Return, cst.Arg, cst.Element))
        edits[call] = functools.partial(whole, alone=alone)
    edits.update(dict.fromkeys(uses.last, lambda _made: cst.Name(last)))
    if last:
        edits[uses.put] = lambda made: _appended_copy(made, last)
    return DesugaredStatement(f"the items that `{name}` begins with", edits)


def _has_items(name: str, loop: cst.For | cst.While, body: Body) -> cst.BaseExpression:
    """Whether a loop has appended to a list, as can be asked after it."""
    test = has_iterations(body.scopes.iteration_space(loop)) if isinstance(loop, cst.For) else None
    if test is not None:
        start = body.source.spans[loop][0]
        bound = collect([line for line in builders.lines(body.owner.body) if body.source.spans[line][1] > start]).bound
        if collect([test]).read.isdisjoint(bound):
            return test
    return cst.parse_expression(f"len({name}) > 0")


def _appended_copy(made: cst.Expr, last: str) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
    """`ys_last = y; ys.append(ys_last)`."""
    call = made.value
    assert isinstance(call, cst.Call)
    held = builders.assigned((last,), call.args[0].value).body[0]
    return cst.FlattenSentinel([held, made.with_changes(value=call.with_changes(args=[cst.Arg(cst.Name(last))]))])


def _uses(name: str, target: cst.Name, loop: cst.For | cst.While, count: int, body: Body) -> _Uses | None:
    """The uses of a list that finally becomes an array; None if there is any other use."""
    puts: list[cst.Expr] = []
    arrays: list[cst.Call] = []
    last: list[cst.Subscript] = []
    for node in body.source.among(body.owner, cst.Name):
        above = body.source.parents[node]
        if node.value != name or node is target or (isinstance(above, cst.Attribute) and above.attr is node):
            continue
        inside = body.source.inside(node, loop)
        enclosing = None if above is None else body.source.parents[above]
        match above:
            case cst.Attribute(attr=cst.Name(value="append")) if (
                inside
                and isinstance(enclosing, cst.Call)
                and enclosing.func is above
                and len(enclosing.args) == 1
                and isinstance(put := body.source.parents[enclosing], cst.Expr)
            ):
                puts.append(put)
            case cst.Arg() if (
                not inside and isinstance(enclosing, cst.Call) and body.calls(enclosing) in MAKERS and len(enclosing.args) == 1
            ):
                arrays.append(enclosing)
            case cst.Subscript() if above.value is node and (_is_last(above) or (inside and _counts(above, loop, count, body))):
                last.append(above)
            case _:
                return None
    if len(puts) != 1 or not arrays or not isinstance(arrays[0].func, cst.Attribute):
        return None
    lines = builders.lines(loop.body)
    position = next((k for k, line in enumerate(lines) if line is body.source.parents[puts[0]]), None)
    if position is None or any(breaks(loop.body)):
        return None  # not all iterations append
    if any(body.source.inside(each, after) and not _is_last(each) for each in last for after in lines[position + 1 :]):
        return None  # the iteration has already appended
    return _Uses(puts[0], arrays, last)


def _is_last(node: cst.Subscript) -> bool:
    match node.slice:
        case [
            cst.SubscriptElement(
                slice=cst.Index(value=cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value="1")))
            )
        ]:
            return True
    return False


def _counts(node: cst.Subscript, loop: cst.For | cst.While, count: int, body: Body) -> bool:
    """Whether an index selects the last element: `ys[i]` in the iterations of `range(n)`, `ys[i - 1]` in those of `range(1,
    n)`."""
    space = body.scopes.iteration_space(loop) if isinstance(loop, cst.For) else None
    if space is None or not space.is_range or not space.index or space.step is not None or space.first is None:
        return False
    offset = count - 1 - space.first
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=name)))]:
            return name == space.index and offset == 0
        case [
            cst.SubscriptElement(
                slice=cst.Index(
                    value=cst.BinaryOperation(
                        left=cst.Name(value=name), operator=cst.Add() | cst.Subtract() as operator, right=cst.Integer(value=text)
                    )
                )
            )
        ]:
            return name == space.index and offset == (int(text) if isinstance(operator, cst.Add) else -int(text))
    return False


__all__ = ["desugar"]
