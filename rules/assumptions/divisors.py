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
from .two_operands import on_operands

kind = ConditionKind("divisor", "test the divisor where it may be 0 (`np.where(n == 0, 1, n)`), or annotate float arrays")
OPERATORS = (cst.FloorDivide, cst.Modulo, cst.FloorDivideAssign, cst.ModuloAssign)
FUNCTIONS = ("numpy.floor_divide", "numpy.mod", "numpy.remainder", "numpy.divmod", "numpy.fmod", "builtins.divmod")


@on_operands(kind, OPERATORS, FUNCTIONS)
def divided(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    if runs_in_jax(ctx, left, right) and may_be_integer(left, ctx) and may_be_integer(right, ctx) and not _not_zero(right, ctx):
        yield Assumption(node, f"the divisor {quoted(right)} is not 0")


def _not_zero(node: cst.BaseExpression, ctx: Context) -> bool:
    found = value_range(node, ctx)
    return (found is not None and (found.low > 0 or found.high < 0)) or ctx.integers.is_positive(node)
