"""The values of the arms of a `lax.cond` in one dtype."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from ..context import Context
from ..facts.branches import Branch, Cast
from ..syntax import builders


def floated(
    ctx: Context, node: cst.BaseExpression, floats: Collection[Cast], name: str, first: bool, path: tuple[int, ...] = ()
) -> cst.BaseExpression:
    """The value of an arm for a variable, or for the result (""), with integers as floats where the other arm has floats."""
    if (first, name, path) in floats:
        return _as_float(ctx, node)
    if isinstance(node, cst.Tuple) and any(n == name and f == first for f, n, _path in floats):
        parts = [floated(ctx, e.value, floats, name, first, (*path, at)) for at, e in enumerate(node.elements)]
        return node.with_changes(elements=[e.with_changes(value=v) for e, v in zip(node.elements, parts, strict=True)])
    return node


def unified(ctx: Context, node: cst.BaseExpression, found: Branch, first: bool, name: str) -> cst.BaseExpression:
    """The value of an arm for a variable, with the dtype that `lax.cond` asks for: see `Branch`."""
    node = floated(ctx, node, found.floats, name, first)
    for dtype in (dtype for arm, bound, dtype in found.promoted if arm is first and bound == name):
        asarray, result_type = (builders.dotted(ctx.names.name_of(f"jax.numpy.{n}")[0]) for n in ("asarray", "result_type"))
        operands = [*sorted(dtype.arrays), *(["float"] if dtype.inexact else [])]
        promoted = builders.call(result_type, *map(cst.Name, operands)) if dtype.arrays else cst.Name("float")
        node = builders.call(asarray, node, promoted)
    return node


def _as_float(ctx: Context, node: cst.BaseExpression) -> cst.BaseExpression:
    match node:
        case cst.Integer():
            return cst.Float(f"{node.evaluated_value}.0", lpar=node.lpar, rpar=node.rpar)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=cst.Integer() as inner):
            return node.with_changes(expression=_as_float(ctx, inner))
        case cst.Call(func=cst.Name("len")) | cst.Subscript(value=cst.Attribute(attr=cst.Name("shape"))):
            return builders.call(cst.Name("float"), node)  # static
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), node, cst.Name("float"))
