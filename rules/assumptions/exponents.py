"""An exponent of integers is from 0 to 63, and a base of floats is not -inf where the exponent may be 0.5.

NumPy raises ValueError for integers to a negative power, and Python gives a fraction; JAX gives another integer, also above 63. NumPy computes
`x ** 0.5` as a square root, which is NaN for -inf; in JAX it is inf.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category
from ..core.findings import Kind
from ..dtypes.value_ranges import value_range
from .jax_operands import candidates, may_be_integer, quoted, runs_in_jax
from .two_operands import on_operands

kind = ConditionKind("exponent", "make the base a float (`x.astype(float) ** n`), or write `np.sqrt(x)` for `x ** 0.5`")
LARGEST = 63  # JAX multiplies six times at most
OPERATORS = (cst.Power, cst.PowerAssign)
FUNCTIONS = ("numpy.power", "numpy.pow", "builtins.pow")


@on_operands(kind, OPERATORS, FUNCTIONS)
def raised(node: cst.CSTNode, base: cst.BaseExpression, exponent: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    if not runs_in_jax(ctx, base, exponent):
        return
    found = value_range(exponent, ctx)
    integers = {category(dtype) for dtype in candidates(base, ctx)} == {1}
    if _is_negative(exponent) and integers:
        yield Assumption(node, f"{quoted(base)} is not empty, so that NumPy raises an error, too")
    elif may_be_integer(base, ctx) and may_be_integer(exponent, ctx) and not _is_small(exponent, ctx):
        yield Assumption(node, f"the exponent {quoted(exponent)} is from 0 to {LARGEST}")
    if any(category(dtype) >= 2 for dtype in candidates(base, ctx)) and any(
        category(dtype) >= 2 for dtype in candidates(exponent, ctx)
    ):
        if not isinstance(exponent, (cst.Integer, cst.Float)) or (found is not None and found.low == 0.5):
            where = "" if isinstance(exponent, cst.Float) else f" where {quoted(exponent)} is 0.5"
            yield Assumption(node, f"{quoted(base)} is not -inf{where}")


def _is_small(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an exponent is from 0 to 63, or a number that JAX knows, which raises if it is negative.

    Where the base may be an integer of Python, a negative literal becomes a float: see `integer_power`.
    """
    if _is_negative(node):
        return True
    if ctx.is_static(node) and not ctx.value(node).device and ctx.kind(node) is Kind.SCALAR:
        return not isinstance(node, cst.UnaryOperation)
    found = value_range(node, ctx)
    return found is not None and found.low >= 0 and found.high <= LARGEST


def _is_negative(node: cst.BaseExpression) -> bool:
    """Whether it is a negative literal."""
    return (
        isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus) and isinstance(node.expression, cst.Integer)
    )
