"""A shape that depends on values, which keeps `jit` away.

JAX compiles for arrays of known shapes. How many elements a mask selects, which of them are not 0, how many are unique, only the
values tell: the function is converted, and runs without `jit`, every step by itself. The message says what is done with them that
a mask on the whole array cannot do. What helps:

- where numbers are made of them, a mask: `np.sum(np.where(mask, x, 0))`, `np.mean(x, where=mask)`, `np.sum(mask)` for how many;
- where they are changed, the whole array: `x = np.where(mask, f(x), x)` for `x[mask] = f(x[mask])`, for `x[np.where(mask)] = 0`, too;
- the first position where something holds: `np.argmax(mask)`, and `np.any(mask)` for whether there is one;
- where their number is known, `jnp.nonzero(mask, size=n)`, `jnp.unique(x, size=n)` after the conversion;
- else a function of its own for what needs them, called outside of what is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..core.context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ420", Safety.MANUAL, optional=True)


@rule.on(cst.Subscript, cst.Call, cst.Assign, cst.AugAssign)
def check(node: cst.Subscript | cst.Call | cst.Assign | cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    why = ctx.kept_shape(node)
    if why and ctx.definition is not None and not ctx.plan.traceable and not ctx.plan.refused:
        yield Finding(node, f"this keeps `jit` away: {why}")
