"""How many turns a loop has that goes through several arrays together."""

from __future__ import annotations

import libcst as cst

from ..core.context import Context
from ..syntax import builders, loop_ranges


def count(node: cst.For | cst.Call, first: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """The number of turns; `first`: an (original) array that a loop goes through alone."""
    found = ctx.zipped(node)
    if found is not None and found.cuts is None:
        return cst.Name(ctx.row_count(node))
    shortest = first if found is None else found.shortest[0]
    return builders.call(cst.Name("len"), builders.bare(ctx.rewritten(shortest)))


def start(iterable: cst.BaseExpression, ctx: Context) -> cst.BaseExpression | None:
    """The number with which an (original) `enumerate` starts to count, None where that is 0, or nothing is enumerated."""
    match iterable:
        case cst.Call(func=func, args=[_first, given]) if ctx.qualname(func) == "builtins.enumerate":
            number = ctx.rewritten(given.value)
            return None if loop_ranges.is_zero(number) else number
    return None


def first(iterable: cst.BaseExpression, ctx: Context) -> int:
    """That number, where it is written there."""
    given = start(iterable, ctx)
    return 0 if given is None else loop_ranges.number(given) or 0
