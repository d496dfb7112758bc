"""The syntax of masks over the positions of an axis: `n < j`, `(n[:, None] >= i) & (n < j)`."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

import libcst as cst

from . import functional
from .context import Context
from .spans import Bounds, Mask


def condition(mask: Mask, ctx: Context) -> cst.BaseExpression:
    """Which elements count, as a boolean array that broadcasts against the value."""
    if mask.chosen is not None:
        test = ctx.rewritten(mask.chosen)
        return along(functional.operand(test), mask.behind) if mask.behind else test
    parts = [test for back, bounds in mask.axes for test in _tests(bounds, back, ctx)]
    if len(parts) == 1:
        return parts[0]
    return reduce(lambda a, b: cst.BinaryOperation(a, cst.BitAnd(), b), [functional.operand(p) for p in parts])


def _tests(bounds: Bounds, back: int, ctx: Context) -> list[cst.BaseExpression]:
    found: list[cst.BaseExpression] = []
    for bound, low in ((bounds.lower, True), (bounds.upper, False)):
        if bound is None:
            continue
        value, more = _less_one(ctx.rewritten(bound)) if not bounds.wraps else (_wrapped(bound, bounds, ctx), False)
        operator: cst.BaseCompOp = (
            (cst.GreaterThan() if more else cst.GreaterThanEqual()) if low else (cst.LessThanEqual() if more else cst.LessThan())
        )
        found.append(cst.Comparison(positions(bounds, back, ctx), [cst.ComparisonTarget(operator, value)]))
    if not found:  # every position counts
        along = positions(bounds, back, ctx)
        found.append(cst.Comparison(along, [cst.ComparisonTarget(cst.GreaterThanEqual(), cst.Integer("0"))]))
    return found


def _wrapped(bound: cst.BaseExpression, bounds: Bounds, ctx: Context) -> cst.BaseExpression:
    """A bound that counts from the end where it is negative."""
    size = cst.parse_expression(f"{bounds.array}.shape[{bounds.axis}]")
    negative = cst.Comparison(ctx.rewritten(bound), [cst.ComparisonTarget(cst.LessThan(), cst.Integer("0"))])
    return where(negative, cst.BinaryOperation(ctx.rewritten(bound), cst.Add(), size), ctx.rewritten(bound), ctx)


def _less_one(bound: cst.BaseExpression) -> tuple[cst.BaseExpression, bool]:
    """`i` of `i + 1`: n < i + 1 is n <= i."""
    match bound:
        case cst.BinaryOperation(operator=cst.Add(), right=cst.Integer(value="1"), left=left):
            return left, True
    return bound, False


def positions(bounds: Bounds, back: int, ctx: Context) -> cst.BaseExpression:
    """The positions along an axis that stands `back` axes before the last."""
    name = cst.Name(ctx.positions(bounds))
    return along(name, back) if back else name


def along(vector: cst.BaseExpression, behind: int) -> cst.BaseExpression:
    """`vector[:, None]`: along an axis with others behind it."""
    every = cst.SubscriptElement(cst.Slice(None, None))
    return cst.Subscript(vector, functional.clean([every, *[cst.SubscriptElement(cst.Index(cst.Name("None")))] * behind]))


def filled(mask: Mask, value: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """`jnp.where(condition, value, fill)`."""
    if mask.fill.startswith("["):
        other: cst.BaseExpression = cst.Subscript(
            functional.operand(value), [cst.SubscriptElement(cst.Index(cst.parse_expression(mask.fill[1:-1])))]
        )
    elif mask.fill.startswith("nan"):
        other = functional.call(functional.dotted(ctx.name_of(f"jax.numpy.{mask.fill}")[0]), value)
    elif mask.fill.endswith("inf"):
        other = cst.parse_expression(mask.fill.replace("inf", ctx.name_of("jax.numpy.inf")[0]))
    else:
        other = cst.parse_expression(mask.fill)
    return where(condition(mask, ctx), value, other, ctx)


def where(test: cst.BaseExpression, value: cst.BaseExpression, other: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    return functional.call(functional.dotted(ctx.name_of("jax.numpy.where")[0]), test, value, other)


def all_slices(parts: functional.Parts) -> bool:
    """Whether a subscript selects whole axes only: x[:], x[:, :]."""
    return all(isinstance(p.slice, cst.Slice) and p.slice.lower is p.slice.upper is p.slice.step is None for p in parts)


def masked(parts: Collection[cst.CSTNode], node: cst.CSTNode, ctx: Context) -> bool:
    """Whether only some elements of one of these parts of an expression count, where slices vary or masks select."""
    at: cst.CSTNode | None = node
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Module)):
        ragged = ctx.ragged(at)
        if ragged is not None and any(
            part in where for part in parts for where in (ragged.reductions, ragged.masks, ragged.products)
        ):
            return True
        at = ctx.parent(at)
    return False
