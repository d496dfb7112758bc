"""Loops over a parameter that may be an array as well as a list of arrays, such as the weights of a network."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..core.findings import Kind
from ..syntax.tree import walk


def are_items(loop: cst.For, ctx: Context) -> bool:
    """Whether a loop may iterate over the arrays in a list."""
    space = ctx.loops.iteration_space(loop)
    inner = space.parts[0] if space.function == "reversed" else space
    if inner.parts or inner.function or not _may_be_list(inner.iterable, ctx):
        return False
    names = {n.value for n, _parent in walk(loop.target) if isinstance(n, cst.Name)}
    return any(isinstance(n, cst.Name) and n.value in names and _is_array(n, ctx) for n, _parent in walk(loop.body))


def indexed(loop: cst.For, bound: frozenset[str], ctx: Context) -> list[str]:
    """The variables from which a loop may take arrays in a list. `bound`: what the loop binds."""
    found: dict[str, None] = {}
    for node, parent in walk(loop.body):
        match node:
            case cst.Subscript(value=cst.Name(value=name) as base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if name not in bound and _may_be_list(base, ctx) and _reads(index, bound):
                    if _is_array(node, ctx) or _is_used_as_array(parent):
                        found[name] = None
    return list(found)


def _is_used_as_array(parent: cst.CSTNode | None) -> bool:
    """Whether an operand of `@`, or what has an attribute such as `.T`."""
    match parent:
        case cst.BinaryOperation(operator=cst.MatrixMultiply()) | cst.Attribute():
            return True
    return False


def _reads(index: cst.BaseExpression, bound: frozenset[str]) -> bool:
    return any(isinstance(n, cst.Name) and n.value in bound for n, _parent in walk(index))


def _may_be_list(node: cst.BaseExpression, ctx: Context) -> bool:
    value = ctx.value(node)
    return isinstance(node, cst.Name) and value.kind is Kind.UNKNOWN and bool(value.deps) and not value.number


def _is_array(node: cst.BaseExpression, ctx: Context) -> bool:
    value = ctx.value(node)
    return value.kind is Kind.ARRAY and not value.number
