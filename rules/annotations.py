"""Where an expression stands in an annotation."""

from __future__ import annotations

import libcst as cst

from .context import Context


def in_annotation(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether a node is part of an annotation."""
    at: cst.CSTNode | None = node
    while isinstance(at, (cst.BaseExpression, cst.SubscriptElement, cst.Index, cst.Element, cst.Arg)):
        at = ctx.parent(at)
    return isinstance(at, cst.Annotation)
