"""The trip count of a loop that iterates over several arrays together."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..facts.iteration_space import IterationSpace
from ..syntax import builders, loop_ranges


def count(node: cst.For | cst.Call, first: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """The trip count. `first`: the (original) array of a loop that iterates over a single one."""
    found = ctx.loops.zipped(node)
    if found is not None and found.truncations is None:
        return cst.Name(ctx.loops.row_count(node))
    shortest = first if found is None else found.shortest[0]
    return builders.call(cst.Name("len"), builders.bare(ctx.rewritten(shortest)))


def start(space: IterationSpace, ctx: Context) -> cst.BaseExpression | None:
    """The start of `enumerate`, None where that is 0, or there is no `enumerate`."""
    if space.function != "enumerate" or space.start is None:
        return None
    number = ctx.rewritten(space.start)
    return None if loop_ranges.is_zero(number) else number


def first(space: IterationSpace, ctx: Context) -> int:
    """That start, where it is a literal."""
    given = start(space, ctx)
    return 0 if given is None else loop_ranges.integer(given) or 0
