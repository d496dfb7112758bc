"""A function of arrays that jit does not compile, for a reason that is none of its loops, branches or shapes.

It is converted and runs, every step by itself, which is slow. The message says what keeps `jit` away. What helps:

- Python needs a value: where it is not known whether numbers are compared (`a[i] == b[j]` may be letters), annotate the
  parameters (`a: np.ndarray`, `x: float`); give sizes as arguments of their own;
- it calls something that jit cannot trace: mend that one first, or compute its result outside and hand it in;
- it calls itself: write a loop, or put what it computes into a function of its own, which jit compiles;
- it prints, binds attributes or variables of the module, draws on the host: do that in a function around it;
- it reads a variable of the module that changes, or an object: hand in what it needs as arguments;
- it takes `*args`: name the arguments;
- it returns a value of Python's: return arrays, and make text and numbers of them outside.

For methods, which jit does not compile, nothing is said: loops of theirs move into functions (NJ418).
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..core.context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ504", Safety.MANUAL, optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.definition and (why := ctx.eager):
        yield Finding(node.name, f"`{node.name.value}` runs without `jit`: {why}")
