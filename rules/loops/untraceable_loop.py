"""A loop over data that cannot be compiled, so that `jit` cannot compile the function either.

The function is converted, but its operations are dispatched one by one, which is slow. The message says why. What helps:

- the loop returns, and is not followed directly by the final `return`, or returns different things: bind a variable, `break`,
  and return after the loop;
- it raises: check the arguments outside of the compiled function;
- it grows a dict, an array, or a list that is used as a list: allocate the array first (`np.empty(n)`), and store into it. A
  list that is made an array afterwards may grow by one element in each iteration, and so may an array that starts empty;
- a variable has no value before the loop, and an iteration may read it first: give it one, of its final shape and dtype;
- a variable changes its dtype or its rank: start with the final one (`0.0` for `0`, `np.zeros(n)` for `0`);
- it iterates over something other than a range or an array: iterate over an array, or annotate the parameter (`xs:
  np.ndarray`);
- it updates an attribute: use a local variable, and assign the attribute after the loop;
- its step is not a literal: write the number out;
- Python needs a value that the loop computes (a size, an axis, text): pass sizes as arguments, or use a mask.

Loops in methods, nested functions and scripts move into functions of their own where possible (NJ418). A short loop of a script does
not: move it into a function that takes what it needs as arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule
from ..facts.loop_plan import PythonLoop

rule = Rule(__name__, "NJ402", Safety.MANUAL, optional=True)


@rule.on(cst.For, cst.While)
def check(node: cst.For | cst.While, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case PythonLoop(code=rule.code, reason=why) if ctx.unit.definition is not None and not (
            ctx.plan.traceable or ctx.plan.refused
        ):
            yield Finding(node, f"a Python loop, which prevents `jit`: {why}")
