"""Whether code is written for all turns of a loop: what one turn would choose is then chosen for each, and both sides are computed."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..facts.loop_plan import vectorized


def at_once(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether what a loop around a node does is computed for all of its turns at once."""
    at = ctx.parent(node)
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        if isinstance(at, cst.For) and any(not found.dear for found in vectorized(ctx.loops.loop_plan(at))):
            return True
        at = ctx.parent(at)
    return False
