"""Loops whose iterations draw arrays of random numbers one after the other.

JAX takes several times as long as NumPy for the numbers of one iteration. Where all iterations run at once, it draws them together.
"""

from __future__ import annotations

import libcst as cst

from ..analysis.state.interpreter_state import Run
from .call_order import LOOPS, enclosing

FEW = 16  # numbers, which cost no more than the call that draws them


def draws_in_sequence(run: Run, node: cst.CSTNode) -> bool:
    """Whether a call draws an array in a loop that contains no other, and whose iterations need what earlier ones computed."""
    if node not in run.random.sites or not isinstance(node, cst.Call) or any(_is_small(node, argument) for argument in node.args):
        return False
    loop = next((at for at in enclosing(run, node) if type(at) in LOOPS), None)
    if not isinstance(loop, (cst.For, cst.While)) or any(inner is not loop for inner in run.source.among(loop, *LOOPS)):
        return False
    known = run.loops.compiled.get(loop)
    return known is not None and any(
        _is_read(run, name) for name in run.source.among(loop.body, cst.Name) if name.value in known.carry
    )


def _is_read(run: Run, name: cst.Name) -> bool:
    """Whether a variable is read, rather than stored into, or increased by something."""
    node: cst.CSTNode = name
    above = run.source.parents[node]
    if isinstance(above, cst.Subscript) and above.value is node:
        node, above = above, run.source.parents[above]
    return not (isinstance(above, (cst.AssignTarget, cst.AugAssign)) and above.target is node)


def _is_small(call: cst.Call, argument: cst.Arg) -> bool:
    """Whether an argument is a small number of draws."""
    literal = isinstance(argument.value, cst.Integer) and argument.value.evaluated_value <= FEW
    return literal and (argument is call.args[-1] if argument.keyword is None else argument.keyword.value == "size")
