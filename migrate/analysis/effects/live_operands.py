"""Values that an expression evaluates before one of its parts, and still needs after it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.facts.values import NOTHING, Value
from ..state.interpreter_state import Run


def waiting(run: Run, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, Value]]:
    """The operands and arguments that are live across `node`: `x` in `x + f()`, `g(x, f())`, `x[f()]` and `x += f()`."""
    below, at = node, run.source.parents.get(node)
    while at is not None and not isinstance(at, (cst.BaseCompoundStatement, cst.SimpleStatementLine, cst.Lambda)):
        if not isinstance(at, (cst.IfExp, cst.BooleanOperation, cst.Assign, cst.AnnAssign)):
            for child in at.children:
                if child is below:
                    break
                yield from _values(run, child)
        below, at = at, run.source.parents.get(at)


def _values(run: Run, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, Value]]:
    """The value of an expression, or of the expressions in an argument or an element of a display."""
    found = run.values.get(node)
    if found is not None:
        yield node, found
    if isinstance(node, cst.Attribute):  # a bound method keeps its array live
        yield from _values(run, node.value)
    elif found is None and not isinstance(node, cst.BaseExpression):
        for child in node.children:
            yield from _values(run, child)


def memory(value: Value) -> frozenset[str]:
    """The memory of an array, and of the arrays in a list or a tuple."""
    return value.memory | NOTHING.union(*map(memory, value.elements or ()))
