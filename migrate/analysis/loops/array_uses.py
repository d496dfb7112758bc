"""Whether code computes with a variable as with an array: it reduces it, indexes it, or asks for its length."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.numpy_table.entry import Entry
from ..state.interpreter_state import Run

OVER_AXES = ("reduce", "dot", "matmul", "inner", "flat", "along")  # ranks of results, as in the table
ALSO = frozenset({"builtins.len", "numpy.linalg.norm", "numpy.vdot", "numpy.outer", "numpy.trapezoid"})


def is_used_as_array(run: Run, name: str) -> bool:
    """Whether the unit reduces a variable, or what it computes from it element by element, along an axis, or indexes it."""
    if run.unit.owner is None:
        return False
    return any(_used(run, node) for node in run.source.among(run.unit.owner, cst.Name) if node.value == name)


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
