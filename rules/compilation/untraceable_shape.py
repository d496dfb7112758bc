"""A shape that depends on values, so that `jit` cannot compile the function.

JAX compiles for fixed shapes. How many elements a mask selects, which are nonzero, or how many are unique depends on values.
The function is converted, and runs without `jit`: its operations are dispatched one by one. The message says which use prevents
a mask on the whole array. What helps:

- for reductions, a mask: `np.sum(np.where(mask, x, 0))`, `np.mean(x, where=mask)`, or `np.sum(mask)` for the count;
- for updates, the whole array: `x = np.where(mask, f(x), x)` for `x[mask] = f(x[mask])`, and likewise for `x[np.where(mask)] =
  0`;
- for the first position where a condition holds, `np.argmax(mask)`, and `np.any(mask)` for whether there is one;
- where the count is known, `jnp.nonzero(mask, size=n)` or `jnp.unique(x, size=n)` after the conversion;
- otherwise, a separate function for this part, called outside of compiled code.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ420", Safety.MANUAL, optional=True)


@rule.on(cst.Subscript, cst.Call, cst.Assign, cst.AugAssign)
def check(node: cst.Subscript | cst.Call | cst.Assign | cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    why = ctx.compilation.untraceable_shape(node)
    if why and ctx.unit.definition is not None and not ctx.plan.traceable and not ctx.plan.refused:
        yield Finding(node, f"this prevents `jit`: {why}")
