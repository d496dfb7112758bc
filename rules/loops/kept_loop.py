"""A loop over data that stays a loop of Python, and keeps `jit` away.

The function is converted and runs, every step by itself, which is slow. The message says why the loop is not compiled. What helps:

- it leaves by `return`, and does not stand right before the `return` at the end of the function, or returns one thing here and
  another there: bind a variable, `break`, and return after the loop;
- it raises: check the arguments in a function of its own, outside of what is compiled;
- a dict, or a list that is used as one, or an array grows in it: make the array first (`np.empty(n)`), and store into it; a list
  that an array is made of afterwards may grow by one item in each turn, and so may an array that starts without any;
- a variable has no value before the loop: give it one, of the shape and dtype that it gets;
- a variable changes its dtype or its number of dimensions: start with what it becomes (`0.0` for `0`, `np.zeros(n)` for `0`);
- it goes through something that is no range and no array: loop over an array, or annotate the parameter (`xs: np.ndarray`);
- it changes an attribute: work on a variable, and bind the attribute after the loop;
- its step is not written as a number: write it out;
- Python needs what a turn computes (a size, an axis, text): give sizes as arguments, compute with a mask.

Loops of methods and of nested functions move into functions of their own (NJ418) where that can be done. Those of modules stay:
move the loop into a function, which takes what it needs as arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..core.context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule
from ..facts.loop_plan import Kept

rule = Rule(__name__, "NJ402", Safety.MANUAL, optional=True)


@rule.on(cst.For, cst.While)
def check(node: cst.For | cst.While, ctx: Context) -> Iterator[Finding]:
    match ctx.loop_plan(node):
        case Kept(code=rule.code, reason=why) if ctx.definition is not None and not (ctx.plan.traceable or ctx.plan.refused):
            yield Finding(node, f"a loop that stays Python's, and keeps `jit` away: {why}")
