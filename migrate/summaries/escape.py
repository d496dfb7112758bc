"""Attributes of objects of unknown class whose arrays a unit may retain longer than the read."""

from __future__ import annotations

from typing import Any

import libcst as cst

from ...rules import numpy_table
from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ...rules.numpy_table.entry import Memory
from ...rules.syntax.tree import EXPRESSIONS
from ..analysis.state.interpreter_state import Run

READING = frozenset(
    "builtins." + name
    for name in "abs all any bool complex float int isinstance len print repr round str sum type hasattr".split()
)
CONSUMING = frozenset(
    {
        cst.Assert,
        cst.AssignTarget,  # the attribute itself is bound, or an element of it
        cst.AugAssign,
        cst.BinaryOperation,
        cst.Comparison,
        cst.ComparisonTarget,
        cst.Del,
        cst.Expr,
        cst.FormattedStringExpression,
        cst.If,
        cst.Index,
        cst.Slice,
        cst.UnaryOperation,
        cst.While,
    }
)


def escaping_attributes(run: Run, nodes: list[cst.CSTNode]) -> frozenset[str]:
    """Such attributes, as "attr:?.x"."""
    attributes: list[Any] = [node for node in nodes if type(node) is cst.Attribute]
    return frozenset(
        f"attr:?.{node.attr.value}"
        for node in attributes
        if (owner := run.values.get(node.value, UNKNOWN)).kind in (Kind.UNKNOWN, Kind.OBJECT)
        and owner.name not in run.facts.classes
        and _outlives(run, node)
    )


def _outlives(run: Run, node: cst.CSTNode) -> bool:
    """Whether the array of an expression, or a view of it, may be bound, returned or passed on."""
    parents = run.source.parents
    at, above = node, parents.get(node)
    while above is not None:
        kind = type(above)
        if kind in CONSUMING:
            return False
        if isinstance(above, cst.IfExp) and above.test is at:
            return False
        if isinstance(above, cst.Call):
            if above.func is at:
                return node is not at  # `o.method()` is no attribute read; the result of `o.x.method` was checked
            dotted = run.scopes.qualname(above.func) or ""
            entry = numpy_table.function(dotted) if dotted.startswith("numpy.") else None
            return not (dotted in READING or dotted.startswith("math.") or (entry is not None and entry.memory is Memory.NEW))
        if isinstance(above, cst.Attribute):
            entry = numpy_table.method(above.attr.value)
            if entry is not None and entry.memory is Memory.NEW:
                return False
        if isinstance(above, cst.Assign) and all(_item_of_array(run, t.target) for t in above.targets):
            return False  # the value is copied into the array
        if kind not in EXPRESSIONS and isinstance(above, cst.BaseStatement | cst.BaseSmallStatement):
            return True
        at, above = above, parents.get(above)
    return True


def _item_of_array(run: Run, target: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Subscript) and run.values.get(target.value, UNKNOWN).kind is Kind.ARRAY
