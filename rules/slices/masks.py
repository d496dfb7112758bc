"""The syntax of masks over the indices of an axis: `n < j`, `(n[:, None] >= i) & (n < j)`."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

import libcst as cst

from ..context import Context
from ..facts.dynamic_slices import FIRST, Bounds, Mask
from ..syntax import builders

# The statements whose expressions may read slices.
EVALUATED = (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Expr, cst.Return, cst.Assert, cst.Raise, cst.If, cst.While)


def evaluated(node: cst.CSTNode) -> cst.CSTNode:
    """The part of such a statement that is evaluated by itself: the test of a branch or loop."""
    return node.test if isinstance(node, (cst.If, cst.While)) else node


def condition(mask: Mask, ctx: Context) -> cst.BaseExpression:
    """Which elements are selected, as a boolean array that broadcasts with the value."""
    if mask.selection is not None:
        test = ctx.rewritten(mask.selection)
        return along(builders.operand(test), mask.behind) if mask.behind else test
    parts = [test for back, bounds in mask.axes for test in _tests(bounds, back, ctx)]
    if len(parts) == 1:
        return parts[0]
    return reduce(lambda a, b: cst.BinaryOperation(a, cst.BitAnd(), b), [builders.operand(p) for p in parts])


def _tests(bounds: Bounds, back: int, ctx: Context) -> list[cst.BaseExpression]:
    found: list[cst.BaseExpression] = []
    for bound, low in ((bounds.lower, True), (bounds.upper, False)):
        if bound is None:
            continue
        value, more = _less_one(ctx.rewritten(bound)) if not bounds.wraps else (_wrapped(bound, bounds, low, ctx), False)
        operator: cst.BaseCompOp = (
            (cst.GreaterThan() if more else cst.GreaterThanEqual()) if low else (cst.LessThanEqual() if more else cst.LessThan())
        )
        left = positions(bounds, back, ctx)
        if low and ctx.program.precision == "float32" and (factors := _times_step(bounds)) is not None:
            left = cst.BinaryOperation(builders.operand(left), cst.FloorDivide(), builders.operand(ctx.rewritten(factors[1])))
            value, operator = ctx.rewritten(factors[0]), cst.GreaterThanEqual()
        found.append(cst.Comparison(left, [cst.ComparisonTarget(operator, value)]))
    if bounds.step is not None:
        found.append(_stepped(bounds, bounds.step, back, ctx))
    if not found:  # every index is selected
        along = positions(bounds, back, ctx)
        found.append(cst.Comparison(along, [cst.ComparisonTarget(cst.GreaterThanEqual(), cst.Integer("0"))]))
    return found


def _wrapped(bound: cst.BaseExpression, bounds: Bounds, low: bool, ctx: Context) -> cst.BaseExpression:
    """A bound that counts from the end where it is negative, clamped to the axis where a step counts from it."""
    size = cst.parse_expression(f"{bounds.array}.shape[{bounds.axis}]")
    given = _summand(ctx.rewritten(bound))
    negative = cst.Comparison(given, [cst.ComparisonTarget(cst.LessThan(), cst.Integer("0"))])
    from_end: cst.BaseExpression = cst.BinaryOperation(given, cst.Add(), size)
    if low and bounds.step is not None:
        from_end = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.maximum")[0]), from_end, cst.Integer("0"))
    return where(negative, from_end, ctx.rewritten(bound), ctx)


def _summand(node: cst.BaseExpression) -> cst.BaseExpression:
    """In parentheses, where `node + size` would mean something else without."""
    match node:
        case cst.BinaryOperation(operator=cst.Add() | cst.Subtract()) | cst.UnaryOperation(operator=cst.Minus()):
            return node
    return node if builders.tighter(node, cst.Add()) else builders.operand(node)


def _stepped(bounds: Bounds, step: cst.BaseExpression, back: int, ctx: Context) -> cst.BaseExpression:
    """Every step-th index: `(n - start) % step == 0`, or `n % step == 0` where the start is a multiple of the step."""
    distance = positions(bounds, back, ctx)
    if bounds.lower is not None and not (_multiple(bounds.lower, step) and not bounds.wraps):
        start = _wrapped(bounds.lower, bounds, True, ctx) if bounds.wraps else ctx.rewritten(bounds.lower)
        distance = cst.BinaryOperation(distance, cst.Subtract(), _factor(start))
    rest = cst.BinaryOperation(builders.operand(distance), cst.Modulo(), _factor(ctx.rewritten(step)))
    return cst.Comparison(rest, [cst.ComparisonTarget(cst.Equal(), cst.Integer("0"))])


def _factor(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if isinstance(node, cst.Integer) else builders.operand(node)


def _times_step(bounds: Bounds) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """The factors of a start `i * step`: `n // step >= i` is `n >= i * step` without a product that may overflow 32 bits."""
    match bounds.lower:
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right) if bounds.step is not None and not bounds.wraps:
            return (left, right) if right.deep_equals(bounds.step) and not isinstance(left, cst.Integer) else None
    return None


def _multiple(node: cst.BaseExpression, of: cst.BaseExpression) -> bool:
    """Whether an integer is written as a multiple of another one: `2 * k`, `k * k`."""
    match node:
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right):
            return _multiple(left, of) or _multiple(right, of)
        case cst.BinaryOperation(operator=cst.Power(), left=base, right=cst.Integer(value=exponent)):
            return exponent != "0" and _multiple(base, of)
    return node.deep_equals(of)


def _less_one(bound: cst.BaseExpression) -> tuple[cst.BaseExpression, bool]:
    """`i` of `i + 1`: n < i + 1 is n <= i."""
    match bound:
        case cst.BinaryOperation(operator=cst.Add(), right=cst.Integer(value="1"), left=left):
            return left, True
    return bound, False


def positions(bounds: Bounds, back: int, ctx: Context) -> cst.BaseExpression:
    """The indices along an axis that is `back` axes before the last."""
    name = cst.Name(ctx.slices.positions(bounds))
    return along(name, back) if back else name


def along(vector: cst.BaseExpression, behind: int) -> cst.BaseExpression:
    """`vector[:, None]`: along an axis that others follow."""
    every = cst.SubscriptElement(cst.Slice(None, None))
    return cst.Subscript(vector, builders.clean([every, *[cst.SubscriptElement(cst.Index(cst.Name("None")))] * behind]))


def filled(mask: Mask, value: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """`jnp.where(condition, value, fill)`."""
    if mask.fill == FIRST:
        lower = mask.axes[0][1].lower
        first = cst.Integer("0") if lower is None else builders.bare(ctx.rewritten(lower))
        other: cst.BaseExpression = cst.Subscript(builders.operand(value), [cst.SubscriptElement(cst.Index(first))])
    elif mask.fill.startswith("="):
        other = cst.parse_expression(mask.fill[1:])
    elif mask.fill.startswith("nan"):
        other = builders.call(builders.dotted(ctx.names.name_of(f"jax.numpy.{mask.fill}")[0]), value)
    elif mask.fill.endswith("inf"):
        other = cst.parse_expression(mask.fill.replace("inf", ctx.names.name_of("jax.numpy.inf")[0]))
    else:
        other = cst.parse_expression(mask.fill)
    return where(condition(mask, ctx), value, other, ctx)


def where(test: cst.BaseExpression, value: cst.BaseExpression, other: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.where")[0]), test, value, other)


def all_slices(parts: builders.Parts) -> bool:
    """Whether a subscript selects whole axes only: x[:], x[:, :]."""
    return all(isinstance(p.slice, cst.Slice) and p.slice.lower is p.slice.upper is p.slice.step is None for p in parts)


def masked(parts: Collection[cst.CSTNode], node: cst.CSTNode, ctx: Context) -> bool:
    """Whether only some elements of one of these parts of an expression are selected, by dynamic slices or masks."""
    at: cst.CSTNode | None = node
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Module)):
        ragged = ctx.slices.ragged(at)
        if ragged is not None and any(
            part in where for part in parts for where in (ragged.reductions, ragged.masks, ragged.products)
        ):
            return True
        at = ctx.parent(at)
    return False
