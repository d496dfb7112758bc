"""Nested functions that only read their arguments: they neither change nor retain them."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.syntax.out_arguments import outputs
from ....rules.syntax.tree import is_callee
from ..state.interpreter_state import Run

READING = frozenset(
    "abs all any bool complex enumerate float int isinstance len list max min print range repr round sorted str sum tuple type zip".split()
)
LOUD = (
    cst.AugAssign,
    cst.ClassDef,
    cst.Del,
    cst.FunctionDef,
    cst.Global,
    cst.Lambda,
    cst.Nonlocal,
    cst.Await,
    cst.Yield,
    cst.With,
)


def is_pure(run: Run, call: cst.Call) -> bool:
    """Whether a call is of a nested function that only reads its arguments, and whose name is bound to nothing else."""
    if not isinstance(call.func, cst.Name) or run.unit.owner is None or not run.unit.in_function:
        return False
    name = call.func.value
    defined = [f for f in run.source.among(run.unit.owner, cst.FunctionDef) if f.name.value == name and f is not run.unit.owner]
    if len(defined) != 1 or defined[0].decorators or name in run.params:
        return False
    for node in run.source.among(run.unit.owner, cst.Name):
        called = is_callee(node, run.source.parents.get(node))
        if node.value == name and node is not defined[0].name and not called:
            return False
    return all(_looks(run, node) for node in run.source.below(defined[0].body))


def _looks(run: Run, node: cst.CSTNode) -> bool:
    if type(node) in LOUD:
        return False
    if isinstance(node, cst.AssignTarget):
        return isinstance(node.target, cst.Name)
    if not isinstance(node, cst.Call):
        return True
    dotted = run.scopes.qualname(node.func) or ""
    if dotted.startswith("builtins."):
        return dotted[9:] in READING
    if dotted.startswith("math."):
        return True
    entry = numpy_table.function(dotted) if dotted.startswith("numpy.") else None
    if isinstance(node.func, cst.Attribute) and not dotted:
        entry = numpy_table.method(node.func.attr.value)
    if entry is None or entry.writes:
        return False
    return len(node.args) <= 2 and not any(a.star for a in node.args) and not outputs(node, entry)
