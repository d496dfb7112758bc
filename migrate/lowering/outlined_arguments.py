"""Variables that may become arguments of a function that jit compiles, made of statements."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ..analysis.state.interpreter_state import Run
from ..summaries.units import Module

PASSED = (Kind.ARRAY, Kind.SCALAR, Kind.TUPLE, Kind.STRING, Kind.NONE)
OPERANDS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget, cst.Subscript)


def may_be_argument(module: Module, run: Run, node: cst.Name) -> bool:
    """Whether a variable may be an argument of a jitted function: an array, a number, or text, which is static. A list becomes an array
    where it is passed (NJ225), if NumPy makes one of it there."""
    value, parent = run.values[node], module.source.parents[node]
    if value.listed or node.value in run.unit.sequences or node.value in run.unit.listed:
        return False
    if value.kind is not Kind.UNKNOWN:
        return value.kind in PASSED
    if isinstance(parent, cst.Arg):
        call = module.source.parents[parent]
        of_numpy = isinstance(call, cst.Call) and (module.scopes.qualname(call.func) or "").startswith("numpy.")
        return of_numpy or takes_arrays(run, call, value.holds)
    return isinstance(parent, OPERANDS)


def takes_arrays(run: Run, call: cst.CSTNode | None, parameter: str) -> bool:
    """Whether a function of the project takes for an array what the unit gets for a parameter of unknown kind."""
    known = run.call_graph.calls.get(call) if call is not None else None
    if known is None or not parameter or (fact := run.function(known.callee)) is None:
        return False
    given = {name for name, value in known.args if value.holds == parameter}
    return bool(given) and given <= fact.arrays | fact.converts


__all__ = ["may_be_argument"]
