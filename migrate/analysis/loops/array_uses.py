"""Whether code uses a variable as an array, which it reduces or indexes, or as a number, on which a branch depends or which becomes an element
of an array."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.facts.values import UNKNOWN
from ....rules.numpy_table.entry import Entry
from ..state.interpreter_state import Run

COMPUTED = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget, cst.BooleanOperation)
OVER_AXES = ("reduce", "dot", "matmul", "inner", "flat", "along")  # ranks of results, as in the table
ALSO = frozenset({"builtins.len", "numpy.linalg.norm", "numpy.vdot", "numpy.outer", "numpy.trapezoid"})


def is_used_as_array(run: Run, name: str) -> bool:
    """Whether the unit reduces a variable, or what it computes from it element by element, along an axis, or indexes it."""
    if run.unit.owner is None:
        return False
    return any(_used(run, node) for node in run.source.among(run.unit.owner, cst.Name) if node.value == name)


def is_used_as_number(run: Run, name: str) -> bool:
    """Whether a branch of the unit depends on a variable, or it stores the variable, or what it computes from it, as one element."""
    if run.unit.owner is None:
        return False
    return any(_is_number(run, node) for node in run.source.among(run.unit.owner, cst.Name) if node.value == name)


def _is_number(run: Run, node: cst.CSTNode) -> bool:
    at, above = node, run.source.parents.get(node)
    while isinstance(above, COMPUTED):
        at, above = above, run.source.parents.get(above)
    match above:
        case cst.If(test=test) | cst.While(test=test) | cst.IfExp(test=test):
            return test is at
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=array, slice=indices))], value=value) if value is at:
            scalars = [run.values.get(i.slice.value, UNKNOWN).rank == 0 for i in indices if isinstance(i.slice, cst.Index)]
            return run.values.get(array, UNKNOWN).rank == len(scalars) == len(indices) and all(scalars)
    return False


def _used(run: Run, node: cst.CSTNode) -> bool:
    at, above = node, run.source.parents.get(node)
    while True:
        match above:
            case cst.BinaryOperation(operator=cst.MatrixMultiply()):
                return True
            case cst.BinaryOperation() | cst.UnaryOperation():
                pass
            case cst.Subscript(value=value):
                return value is at
            case cst.Attribute(value=value, attr=cst.Name(value=method)) if value is at:
                call = run.source.parents.get(above)
                entry = numpy_table.method(method)
                return isinstance(call, cst.Call) and call.func is above and entry is not None and _is_over_axes(entry)
            case cst.Arg():
                call = run.source.parents.get(above)
                called = run.scopes.qualname(call.func) or "" if isinstance(call, cst.Call) else ""
                entry = numpy_table.function(called)
                if called in ALSO or (entry is not None and _is_over_axes(entry)):
                    return True
                if entry is None or not entry.ufunc:
                    return False
                above = call
            case _:
                return False
        assert above is not None
        at, above = above, run.source.parents.get(above)


def _is_over_axes(entry: Entry) -> bool:
    return entry.rank.partition(":")[0] in OVER_AXES
