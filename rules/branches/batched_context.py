"""Whether code is written for all iterations of a loop: what one iteration would choose is then chosen for each, and both sides are computed."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..facts.loop_plan import vectorized


def in_parallel(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether what a loop around a node does is computed for all of its iterations in parallel."""
    at = ctx.parent(node)
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        if isinstance(at, cst.For) and any(not found.expensive for found in vectorized(ctx.loops.loop_plan(at))):
            return True
        at = ctx.parent(at)
    return False
