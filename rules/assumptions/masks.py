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
from .two_operands import on_operands

kind = ConditionKind("mask", "select instead: `np.where(mask, x, 0)`")
OPERATORS = (cst.Multiply, cst.MultiplyAssign)
FUNCTIONS = ("numpy.multiply",)
CASTS = ("asarray", "array", "float64", "float32", "float")
DEPTH = 5  # of variables that are bound to others


@on_operands(kind, OPERATORS, FUNCTIONS)
def multiplied(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
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
