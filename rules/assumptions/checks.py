"""Computed floats that are tested for equality differ by more than a rounding error, or not at all.

XLA computes `a / b / c` as `a / (b * c)`, fuses products with sums, and adds in another order: a sum that equals a number in NumPy
may be next to it in JAX.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category
from ..core.findings import Kind
from .jax_operands import candidates, quoted, runs_in_jax

kind = ConditionKind("equality", "compare with a tolerance: `np.isclose(a, b)`, `abs(a - b) < 1e-9`")
DEPTH = 5  # of variables that are bound to others
FUNCTIONS = ("numpy.equal", "numpy.not_equal", "numpy.array_equal", "numpy.isin", "numpy.unique")
EXACT = frozenset(  # functions that return their arguments, or numbers without rounding errors
    "max min amax amin maximum minimum clip where abs absolute fabs floor ceil trunc rint round sign real imag conj int float astype "
    "copy array asarray zeros ones full zeros_like ones_like full_like reshape ravel flatten squeeze transpose item take roll flip sort "
    "unique concatenate stack".split()
)


@kind.on(cst.Comparison)
def comparison(node: cst.Comparison, ctx: Context) -> Iterator[Assumption]:
    left = node.left
    for part in node.comparisons:
        if isinstance(part.operator, (cst.Equal, cst.NotEqual)):
            yield from _tested(node, [left, part.comparator], ctx)
        left = part.comparator


@kind.on(cst.Call)
def function(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    if ctx.qualname(node.func) in FUNCTIONS and not ctx.host.on_host(node):
        yield from _tested(node, [a.value for a in node.args if a.keyword is None and not a.star], ctx)


def _tested(node: cst.CSTNode, operands: list[cst.BaseExpression], ctx: Context) -> Iterator[Assumption]:
    if not operands or not runs_in_jax(ctx, *operands):
        return
    computed = [operand for operand in operands if _is_computed(operand, ctx)]
    if computed:
        yield Assumption(node, f"no rounding error decides the test of {quoted(computed[0])}")


def _is_computed(node: cst.BaseExpression, ctx: Context, depth: int = DEPTH) -> bool:
    """Whether it may be a float with a rounding error."""
    if not any(category(dtype) >= 2 for dtype in candidates(node, ctx)) or ctx.kind(node) is Kind.STRING:
        return False
    match node:
        case cst.Name():
            if ctx.value(node).holds or (ctx.is_static(node) and not ctx.value(node).device):
                return False
            bound = ctx.flow.bound_to(node) if depth else ()
            return not bound or any(_is_computed(value, ctx, depth - 1) for value in bound)
        case cst.UnaryOperation(expression=inner) | cst.Subscript(value=inner):
            return _is_computed(inner, ctx, depth)
        case cst.Attribute(value=base):
            return ctx.kind(base) is Kind.ARRAY and _is_computed(base, ctx, depth)
        case cst.IfExp(body=body, orelse=orelse):
            return _is_computed(body, ctx, depth) or _is_computed(orelse, ctx, depth)
        case cst.Call(func=func, args=args):
            name = (ctx.qualname(func) or "").rpartition(".")[2]
            given = [a.value for a in args]
            if isinstance(func, cst.Attribute) and not ctx.qualname(func):
                name, given = func.attr.value, [func.value, *given]
            return name not in EXACT or any(_is_computed(one, ctx, depth) for one in given)
    return isinstance(node, cst.BinaryOperation)
