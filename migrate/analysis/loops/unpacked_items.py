"""Iteration over an array inside of an expression, such as `list(x)` and `[*x, 1.0]`: jit traces one operation or more for each item."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import LITERAL, UNKNOWN, length_of
from ..state.interpreter_state import Run
from . import literal_items

ITERATORS = ("builtins.map", "builtins.enumerate", "builtins.reversed", "builtins.iter", "builtins.sorted", "builtins.filter")


def unpacked(run: Run, node: cst.CSTNode, iterable: cst.BaseExpression) -> None:
    """Note that jit would unroll the iteration, unless the items are those of a list, or few: an index has one for each dimension."""
    if not isinstance(run.source.parents.get(node), cst.Index) and _may_be_long(run, iterable):
        run.loops.unrolled[node] = "each item of an array becomes a value of Python"


def _may_be_long(run: Run, iterable: cst.BaseExpression) -> bool:
    if isinstance(iterable, cst.Call):
        function = run.scopes.qualname(iterable.func)
        if function == "builtins.zip":
            return bool(iterable.args) and all(not a.star and _may_be_long(run, a.value) for a in iterable.args)
        if function in ITERATORS:
            given = iterable.args[1:] if function in ("builtins.map", "builtins.filter") else iterable.args[:1]
            return bool(given) and all(not a.star and _may_be_long(run, a.value) for a in given)
    value = run.values.get(iterable, UNKNOWN)
    if value.kind is not Kind.ARRAY:
        return False
    known = value.shape.startswith(LITERAL) and length_of(value.shape).isdigit()
    return not known or int(length_of(value.shape)) > literal_items.MOST
