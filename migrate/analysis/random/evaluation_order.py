"""The order in which Python evaluates the parts of a statement."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .key_plan import COMPREHENSIONS

DEFERRED = (cst.Lambda, cst.FunctionDef, cst.ClassDef)


def evaluated(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and what is below it, each part before what uses its value."""
    match node:
        case cst.Assign(targets=targets, value=value):
            parts: list[cst.CSTNode] = [value, *targets]
        case cst.AnnAssign(target=target, value=value):
            parts = [*([] if value is None else [value]), target]
        case cst.IfExp(test=test, body=body, orelse=orelse):
            parts = [test, body, orelse]
        case cst.ListComp(elt=element, for_in=clause) | cst.SetComp(elt=element, for_in=clause):
            parts = [clause, element]
        case cst.GeneratorExp(elt=element, for_in=clause):
            parts = [clause, element]
        case _:
            parts = list(node.children)
    for part in parts:
        yield from evaluated(part)
    yield node


def conditional_parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The parts of an expression that are evaluated at times, or several times."""
    match node:
        case cst.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case cst.BooleanOperation(right=right):
            return [right]
        case cst.Comparison(comparisons=[_, *others]):
            return [*others]
    if isinstance(node, COMPREHENSIONS):
        return [part for part in node.children if part is not node.for_in] + _inner(node.for_in)
    return [*node.children] if isinstance(node, DEFERRED) else []


def _inner(clause: cst.CompFor) -> list[cst.CSTNode]:
    """The parts of a clause that are evaluated in each iteration."""
    return [part for part in (*clause.ifs, clause.inner_for_in) if part is not None]
