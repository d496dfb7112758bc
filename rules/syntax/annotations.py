"""Where a type occurs: in an annotation, or in a type test of a value."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from .tree import EXPRESSIONS

ENCLOSING = EXPRESSIONS | {cst.SubscriptElement, cst.Index, cst.Element, cst.Arg}


def in_annotation(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether a node is part of an annotation."""
    at: cst.CSTNode | None = node
    while type(at) in ENCLOSING:
        assert at is not None
        at = ctx.parent(at)
    return isinstance(at, cst.Annotation)


def asked_for(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether a value is tested for being of a type: `isinstance(x, np.floating)`, `type(x) is np.float64`."""
    at, parent = node, ctx.parent(node)
    while isinstance(parent, (cst.Element, cst.Tuple, cst.BinaryOperation)):
        at, parent = parent, ctx.parent(parent)
    if isinstance(parent, cst.Arg):
        call = ctx.parent(parent)
        return isinstance(call, cst.Call) and ctx.qualname(call.func) == "builtins.isinstance" and call.args[-1] is parent
    comparison = ctx.parent(parent) if isinstance(parent, cst.ComparisonTarget) else parent
    if not isinstance(comparison, cst.Comparison) or len(comparison.comparisons) != 1:
        return False
    target = comparison.comparisons[0]
    if isinstance(target.operator, (cst.Is, cst.IsNot)):
        return True
    other = comparison.left if target.comparator is at else target.comparator
    return isinstance(other, cst.Call) and ctx.qualname(other.func) == "builtins.type"
