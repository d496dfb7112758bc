"""Loops that are simple maps: every turn computes one element from the same row of its inputs, by a function of the project."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ...rules.facts import UNKNOWN
from ...rules.model import Kind
from .paths import path_of
from .state import Run


@dataclass(frozen=True, slots=True)
class Map:
    """`call` is what each turn computes; `mapped`: the arrays whose rows it takes, by position of the argument, None for the
    arguments that stay the same. `made`: the statement that makes the array `out`, for a loop."""

    call: cst.Call
    mapped: tuple[cst.BaseExpression | None, ...]
    out: str = ""
    made: cst.SimpleStatementLine | None = None


def loop(run: Run, node: cst.For) -> Map | None:
    """`out = np.empty(n)` and `for i in range(n): out[i] = f(x[i], c)`, where n is the length of x."""
    if type(node.target) is not cst.Name or node.orelse is not None or len(node.body.body) != 1:
        return None
    index = node.target.value
    match node.body.body[0]:
        case cst.SimpleStatementLine(
            body=[
                cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Subscript(value=cst.Name(value=out), slice=[place]))],
                    value=cst.Call() as call,
                )
            ]
        ) if _is_index(place, index):
            pass
        case _:
            return None
    after = run.live.after.get(node)
    made = _statement_before(run, node)
    if after is None or index in after or made is None or run.depth:
        return None
    length = _range_length(run, node.iter)
    mapped = _arguments(run, call, index)
    if length is None or mapped is None or out in _names(call):
        return None
    rows = {code for m in mapped if m is not None and (code := path_of(m)) is not None}
    if not _is_length_of(length, rows) or not _makes(run, made, out, length):
        return None
    result = run.values.get(call, UNKNOWN)
    if result.kind is not Kind.SCALAR:
        return None
    return Map(call, mapped, out, made)


def comprehension(run: Run, node: cst.ListComp) -> Map | None:
    """`np.array([f(x, c) for x in xs])`."""
    clause = node.for_in
    if type(clause.target) is not cst.Name or clause.ifs or clause.inner_for_in is not None or not isinstance(node.elt, cst.Call):
        return None
    argument = run.source.parents.get(node)
    around = run.source.parents.get(argument) if argument is not None else None
    if (
        type(around) is not cst.Call
        or run.scopes.qualname(around.func) not in ("numpy.array", "numpy.asarray")
        or len(around.args) != 1
    ):
        return None
    items = run.values.get(clause.iter, UNKNOWN)
    if items.kind is not Kind.ARRAY or path_of(clause.iter) is None:
        return None
    mapped: list[cst.BaseExpression | None] = []
    for arg in node.elt.args:
        if arg.star or arg.keyword is not None:
            return None
        if type(arg.value) is cst.Name and arg.value.value == clause.target.value:
            mapped.append(clause.iter)
        elif clause.target.value in _names(arg.value) or not _constant(arg.value):
            return None
        else:
            mapped.append(None)
    if not any(m is not None for m in mapped) or run.values.get(node.elt, UNKNOWN).kind is not Kind.SCALAR:
        return None
    return Map(node.elt, tuple(mapped))


def _is_index(part: cst.SubscriptElement, index: str) -> bool:
    return type(part.slice) is cst.Index and type(part.slice.value) is cst.Name and part.slice.value.value == index


def _names(node: cst.CSTNode) -> set[str]:
    from .expressions import read_names

    return read_names(node)


def _constant(node: cst.BaseExpression) -> bool:
    """Whether computing it once is the same as computing it every turn."""
    return path_of(node) is not None or isinstance(node, (cst.Integer, cst.Float))


def _statement_before(run: Run, node: cst.For) -> cst.SimpleStatementLine | None:
    parent = run.source.parents.get(node)
    body = list(getattr(parent, "body", ()))
    at = body.index(node) if node in body else 0
    before = body[at - 1] if at else None
    return before if isinstance(before, cst.SimpleStatementLine) and len(before.body) == 1 else None


def _range_length(run: Run, iterable: cst.BaseExpression) -> cst.BaseExpression | None:
    match iterable:
        case cst.Call(func=cst.Name(value="range"), args=[cst.Arg(value=length)]) if (
            run.scopes.qualname(iterable.func) == "builtins.range"
        ):
            return length
    return None


def _arguments(run: Run, call: cst.Call, index: str) -> tuple[cst.BaseExpression | None, ...] | None:
    mapped: list[cst.BaseExpression | None] = []
    for arg in call.args:
        if arg.star or arg.keyword is not None:
            return None
        match arg.value:
            case cst.Subscript(value=rows, slice=[part]) if _is_index(part, index) and path_of(rows) is not None:
                if run.values.get(rows, UNKNOWN).kind is not Kind.ARRAY:
                    return None
                mapped.append(rows)
            case other if index in _names(other) or not _constant(other):
                return None
            case _:
                mapped.append(None)
    return tuple(mapped) if any(m is not None for m in mapped) and call in run.calls else None


def _is_length_of(length: cst.BaseExpression, rows: set[str]) -> bool:
    """`x.shape[0]` or `len(x)`, of the only array that is mapped."""
    match length:
        case cst.Subscript(
            value=cst.Attribute(value=base, attr=cst.Name(value="shape")),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))],
        ):
            return rows == {path_of(base)}
        case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=base)]):
            return rows == {path_of(base)}
    return False


def _makes(run: Run, statement: cst.SimpleStatementLine, out: str, length: cst.BaseExpression) -> bool:
    """`out = np.empty(length)` or zeros: every element of it is stored by the loop."""
    match statement.body[0]:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Name(value=name))],
            value=cst.Call(func=func, args=[cst.Arg(value=size), *_]) as made,
        ):
            same = size.deep_equals(length)
            return (
                name == out
                and same
                and run.scopes.qualname(func) in ("numpy.empty", "numpy.zeros")
                and run.values.get(made, UNKNOWN).dtype != ""
            )
    return False
