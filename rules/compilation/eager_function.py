"""A function of arrays that `jit` cannot compile, for a reason other than its loops, branches or shapes.

It is converted, but its operations are dispatched one by one, which is slow. The message says what prevents `jit`. What helps:

- Python needs a value: if np2jax cannot tell whether numbers are compared (`a[i] == b[j]` may compare letters), annotate the
  parameters (`a: np.ndarray`, `x: float`); pass sizes as separate arguments;
- it calls something that `jit` cannot trace: convert that first, or compute its result outside and pass it in;
- it calls itself: use a loop, or move the computation into a function of its own, which `jit` compiles;
- it prints, assigns attributes or module variables, or draws on the host: do that in the calling function;
- it reads a module variable that changes, or an object: pass what it needs as arguments;
- it takes `*args`: name the arguments;
- it returns a Python value: return arrays, and make text and numbers of them outside.

Methods are not reported, since `jit` does not compile them: their loops move into functions (NJ418).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ504", Safety.MANUAL, optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.unit.definition and (why := ctx.compilation.eager):
        yield Finding(node.name, f"`{node.name.value}` runs without `jit`: {why}")
