"""An `if` on a value computed by JAX, so that `jit` cannot compile the function.

Python must know the outcome of the test, which exists only at run time. The function is converted, and runs without `jit`. The
message says why the branch cannot be compiled. What helps:

- only one arm binds a variable: give it a value before the branch;
- the arms differ in shape or dtype, such as a number and an array, or an int and a float array: make both the same, for
  instance `np.zeros_like(x)` for `0`, or `0.0` for `0`;
- it returns on some paths only, or from inside a loop: end every path with `return`, or bind a variable and return at the end;
- it raises: check the arguments outside of the compiled function;
- one arm draws random numbers, updates a list or an object, or prints: do this in both arms, and select afterwards;
- np2jax cannot tell whether numbers are compared: annotate the parameter (`x: float`, `x: np.ndarray`).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ405", Safety.MANUAL, optional=True)


@rule.on(cst.If, cst.IfExp)
def check(node: cst.If | cst.IfExp, ctx: Context) -> Iterator[Finding]:
    why = ctx.compilation.untraceable_branch(node)
    if why and ctx.unit.definition is not None and not ctx.plan.traceable and not ctx.plan.refused:
        yield Finding(node.test, f"a branch on a value computed by JAX, which prevents `jit`: {why}")
