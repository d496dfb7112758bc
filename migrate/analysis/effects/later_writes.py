"""Whether an array that a call returns may be written to afterwards, by other names than the result's.

A function that changes an argument and returns it returns another array in JAX, which does not see what is written into the argument.
"""

from __future__ import annotations

import libcst as cst

from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run

LOOPS = (cst.For, cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def shared_result(run: Run, call: cst.CSTNode) -> bool:
    """Whether the result of a call shares memory with an array that the unit may write to later, other than one created by the call."""
    made = run.effects.tokens.get(call, "")
    shared = [t for t in run.values.get(call, UNKNOWN).memory if t.partition(".")[0] != made]
    return any(
        token in run.effects.touched or any(_matters(run, call, node, token) for node in run.effects.written.get(token, ()))
        for token in shared
    )


def _matters(run: Run, call: cst.CSTNode, node: cst.CSTNode, token: str) -> bool:
    """Whether the result of a call may have to show what a statement or another call writes. Memory that the unit has not allocated
    is there when it runs again."""
    if node is call or (token.startswith("new:") and _is_before(run, node, call)):
        return False
    found = run.effects.updates.get(node, [])
    returned = node in run.call_graph.calls and bool(found)  # as a new array, for all the names of the old one
    return not returned or any(update.problem for update in found)


def _is_before(run: Run, node: cst.CSTNode, call: cst.CSTNode) -> bool:
    """Whether a node runs before a call, and never after it."""
    source = run.source
    if node not in source.spans or call not in source.spans or source.spans[node][0] >= source.spans[call][0]:
        return False
    return not any(isinstance(outer, LOOPS) and source.inside(node, outer) for outer in source.above(call))
