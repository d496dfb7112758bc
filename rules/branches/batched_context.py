"""Whether code computes all iterations of a loop in parallel: branches then become selects, and both arms are computed."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..facts.loop_plan import vectorized


def in_parallel(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether a loop that encloses a node computes all of its iterations in parallel."""
    at = ctx.parent(node)
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        if isinstance(at, cst.For) and any(not found.expensive for found in vectorized(ctx.loops.loop_plan(at))):
            return True
        at = ctx.parent(at)
    return False
