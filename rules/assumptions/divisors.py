"""A divisor of integers is not 0.

`1 // 0` and `1 % 0` of integer arrays are 0 in NumPy, with a warning. JAX gives -1 and 1, without one.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..dtypes.value_ranges import value_range
from .jax_operands import may_be_integer, quoted, runs_in_jax

kind = ConditionKind("divisor", "test the divisor where it may be 0 (`np.where(n == 0, 1, n)`), or annotate float arrays")
FUNCTIONS = ("numpy.floor_divide", "numpy.mod", "numpy.remainder", "numpy.divmod", "numpy.fmod", "builtins.divmod")


@kind.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, (cst.FloorDivide, cst.Modulo)):
        yield from _divided(node, node.left, node.right, ctx)


@kind.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, (cst.FloorDivideAssign, cst.ModuloAssign)):
        yield from _divided(node, node.target, node.value, ctx)


@kind.on(cst.Call)
def function(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    if ctx.qualname(node.func) in FUNCTIONS and len(node.args) >= 2 and not ctx.host.on_host(node):
        yield from _divided(node, node.args[0].value, node.args[1].value, ctx)


def _divided(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    if runs_in_jax(ctx, left, right) and may_be_integer(left, ctx) and may_be_integer(right, ctx) and not _not_zero(right, ctx):
        yield Assumption(node, f"the divisor {quoted(right)} is not 0")


def _not_zero(node: cst.BaseExpression, ctx: Context) -> bool:
    found = value_range(node, ctx)
    return (found is not None and (found.low > 0 or found.high < 0)) or ctx.integers.is_positive(node)
