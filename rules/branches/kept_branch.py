"""An `if` on a value that JAX computes, which keeps `jit` away.

Python must know the test, and knows it only when the values are there: the function is converted, and runs without `jit`. The
message says why the branch is not compiled. What helps:

- one side binds a variable that the other does not: give it a value before the branch;
- the sides have other shapes or dtypes, such as a number and an array, an int and a float array: make both alike, as by
  `np.zeros_like(x)` for `0`, `0.0` for `0`;
- it returns on some ways only, or from within a loop: let every way end with `return`, or bind a variable and return at the end;
- it raises: check the arguments in a function of its own, outside of what is compiled;
- one side draws random numbers, changes a list or an object, prints: draw or collect on both sides, and choose afterwards;
- it is not known whether numbers are compared: annotate the parameter (`x: float`, `x: np.ndarray`).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..core.context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ405", Safety.MANUAL, optional=True)


@rule.on(cst.If, cst.IfExp)
def check(node: cst.If | cst.IfExp, ctx: Context) -> Iterator[Finding]:
    why = ctx.kept_branch(node)
    if why and ctx.definition is not None and not ctx.plan.traceable and not ctx.plan.refused:
        yield Finding(node.test, f"a branch on a value that JAX computes, which keeps `jit` away: {why}")
