"""Whether real numbers are certainly neither negative nor -0.0: squares, absolute values, and what is computed from these alone."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..core.findings import Kind

FUNCTIONS = frozenset(["builtins.abs", *(f"numpy.{name}" for name in "abs absolute fabs square exp hypot linalg.norm".split())])
KEPT = frozenset(f"numpy.{name}" for name in "sum mean sqrt max amax cumsum reshape transpose ravel copy".split())
METHODS = frozenset("sum mean max cumsum reshape ravel copy flatten transpose".split())


def is_nonnegative(node: cst.BaseExpression, ctx: Context, seen: frozenset[cst.CSTNode] = frozenset()) -> bool:
    """Whether the elements of an expression certainly are neither negative nor -0.0, or are NaN, if they are real.

    `seen`: the definitions that are being asked for, in loops, where the answer holds if it does for the first iteration.
    """
    match node:
        case cst.Integer() | cst.Float():
            return True
        case cst.BinaryOperation(operator=cst.Power(), right=cst.Integer() as power):
            return power.evaluated_value % 2 == 0 or is_nonnegative(node.left, ctx, seen)
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right) if left.deep_equals(right):
            return isinstance(left, (cst.Name, cst.Attribute, cst.Subscript))
        case cst.BinaryOperation(operator=cst.Add() | cst.Multiply() | cst.Divide(), left=left, right=right):
            return is_nonnegative(left, ctx, seen) and is_nonnegative(right, ctx, seen)
        case cst.Subscript(value=array, slice=[cst.SubscriptElement(slice=cst.Index(value=mask))]) if selects_positive(
            mask, array
        ):
            return True
        case cst.Subscript(value=array):
            return ctx.kind(array) is Kind.ARRAY and is_nonnegative(array, ctx, seen)
        case cst.Call(func=func, args=[_, cst.Arg(value=one), cst.Arg(value=other)]) if ctx.qualname(func) == "numpy.where":
            return is_nonnegative(one, ctx, seen) and is_nonnegative(other, ctx, seen)
        case cst.Call(func=func, args=[cst.Arg(value=first), *_]) if ctx.qualname(func) in FUNCTIONS | KEPT:
            return ctx.qualname(func) in FUNCTIONS or is_nonnegative(first, ctx, seen)
        case cst.Call(func=cst.Attribute(value=array, attr=cst.Name(value=method))) if ctx.kind(array) is Kind.ARRAY:
            return method in METHODS and is_nonnegative(array, ctx, seen)
        case cst.Name():
            values = ctx.flow.bound_to(node)
            known = bool(values) and not ctx.effects.may_change(node)
            return known and all(v in seen or is_nonnegative(v, ctx, seen | {v}) for v in values)
    return False


def selects_positive(mask: cst.BaseExpression, array: cst.BaseExpression) -> bool:
    """Whether a mask is `array > 0`, or a comparison with another number that is not negative."""
    match mask:
        case cst.Comparison(
            left=left,
            comparisons=[cst.ComparisonTarget(operator=cst.GreaterThan(), comparator=cst.Integer() | cst.Float())],
        ):
            return left.deep_equals(array)
    return False
