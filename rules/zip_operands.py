"""How many turns a loop has that goes through several arrays together."""

from __future__ import annotations

import libcst as cst

from . import functional
from .context import Context


def count(node: cst.For | cst.Call, first: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """The number of turns; `first`: an (original) array that a loop goes through alone."""
    found = ctx.zipped(node)
    if found is not None and found.cuts is None:
        return cst.Name(ctx.row_count(node))
    shortest = first if found is None else found.shortest[0]
    return functional.call(cst.Name("len"), functional.bare(ctx.rewritten(shortest)))
