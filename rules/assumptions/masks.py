"""What is multiplied by a mask has no NaN and no infinity.

XLA computes `x * mask` as a choice between x and 0. In NumPy, NaN times False is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category
from ..facts.values import BITS
from .jax_operands import candidates, quoted, runs_in_jax

kind = ConditionKind("mask", "select instead: `np.where(mask, x, 0)`")
FUNCTIONS = ("numpy.multiply",)
CASTS = ("asarray", "array", "float64", "float32", "float")
DEPTH = 5  # of variables that are bound to others


@kind.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, cst.Multiply):
        yield from _multiplied(node, node.left, node.right, ctx)


@kind.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, cst.MultiplyAssign):
        yield from _multiplied(node, node.target, node.value, ctx)


@kind.on(cst.Call)
def function(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    if ctx.qualname(node.func) in FUNCTIONS and len(node.args) >= 2 and not ctx.host.on_host(node):
        yield from _multiplied(node, node.args[0].value, node.args[1].value, ctx)


def _multiplied(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    if not runs_in_jax(ctx, left, right):
        return
    for mask, other in ((left, right), (right, left)):
        if (
            is_mask(mask, ctx)
            and not isinstance(other, cst.BaseNumber)
            and any(category(dtype) >= 2 for dtype in candidates(other, ctx))
        ):
            yield Assumption(node, f"{quoted(other)} has no NaN and no infinity where {quoted(mask)} is False")
            return


def is_mask(node: cst.BaseExpression, ctx: Context, depth: int = DEPTH) -> bool:
    """Whether a factor holds bools, or numbers made of bools."""
    value = ctx.value(node)
    if category(value.dtype) == 0 or value.name == BITS:
        return True
    inner: tuple[cst.BaseExpression, ...] = ()
    match node:
        case cst.Name() if depth:
            return any(is_mask(bound, ctx, depth - 1) for bound in ctx.flow.bound_to(node))
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=base) | cst.Subscript(value=base):
            inner = (base,)
        case cst.BinaryOperation(operator=cst.Multiply() | cst.Subtract() | cst.Add(), left=left, right=right):
            inner = left, right  # also 1 - mask
        case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value="astype"))):
            inner = (base,)
        case cst.Call(func=func, args=[cst.Arg(value=first), *_]):
            inner = (first,) if (ctx.qualname(func) or "").rpartition(".")[2] in CASTS else ()
    return any(is_mask(one, ctx, depth) for one in inner)
