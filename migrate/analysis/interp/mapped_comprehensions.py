"""Comprehensions that are simple maps: they apply a function of the project to every row of an array."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.comprehensions import MapLoop
from ....rules.facts.values import UNKNOWN
from ..state.access_paths import path_of
from ..state.interpreter_state import Run


def comprehension(run: Run, node: cst.ListComp) -> MapLoop | None:
    """The map that a comprehension is, `np.array([f(x, c) for x in xs])`; None if it is not one."""
    clause = node.for_in
    if type(clause.target) is not cst.Name or clause.ifs or clause.inner_for_in is not None or not isinstance(node.elt, cst.Call):
        return None
    argument = run.source.parents.get(node)
    enclosing = run.source.parents.get(argument) if argument is not None else None
    if (
        type(enclosing) is not cst.Call
        or run.scopes.qualname(enclosing.func) not in ("numpy.array", "numpy.asarray")
        or len(enclosing.args) != 1
    ):
        return None
    items = run.values.get(clause.iter, UNKNOWN)
    if items.kind is not Kind.ARRAY or path_of(clause.iter) is None:
        return None
    mapped: list[cst.BaseExpression | None] = []
    for arg in node.elt.args:
        if arg.star or arg.keyword is not None:
            return None
        if type(arg.value) is cst.Name and arg.value.value == clause.target.value:
            mapped.append(clause.iter)
        elif clause.target.value in _names(arg.value) or not _constant(arg.value):
            return None
        else:
            mapped.append(None)
    if not any(m is not None for m in mapped) or run.values.get(node.elt, UNKNOWN).kind is not Kind.SCALAR:
        return None
    return MapLoop(node.elt, tuple(mapped))


def _names(node: cst.CSTNode) -> frozenset[str]:
    from .subscripts import read_names

    return read_names(node)


def _constant(node: cst.BaseExpression) -> bool:
    """Whether an expression is loop-invariant."""
    return path_of(node) is not None or isinstance(node, (cst.Integer, cst.Float))
