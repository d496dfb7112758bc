"""Parameters that are measured or shown, as `rate` is in `if rate > 0.5: raise ...`: static, they would make jit compile for each value.

A mode or an option has a few values, and a size has those of the data. A rate or a tolerance may have any.
"""

from __future__ import annotations

import libcst as cst

from ...rules.core.dtypes import category
from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN, Value
from ..analysis.state.interpreter_state import Run

ORDERED = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
INTEGERS = (0, 1)  # categories of dtypes


def measured_parameters(run: Run) -> frozenset[str]:
    """The parameters on whose measures the tests depend that Python decides, or the messages of exceptions, and nothing else that it
    needs."""
    otherwise: frozenset[str] = NOTHING
    found: frozenset[str] = NOTHING
    for need in run.constraints.needs.values():
        if any(isinstance(above, cst.Raise) for above in run.source.above(need.node)):
            found |= _fraction(need.value)
        elif _is_tested(run, need.node):
            found |= _measured(run, need.node)
        else:
            otherwise |= need.value.deps
    return found - otherwise


def _is_tested(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is the test of a statement, or a part of one."""
    above = run.source.parents.get(node)
    while isinstance(above, (cst.BooleanOperation, cst.UnaryOperation)):
        node, above = above, run.source.parents.get(above)
    return isinstance(above, (cst.If, cst.IfExp, cst.While, cst.Assert)) and above.test is node


def _measured(run: Run, test: cst.CSTNode) -> frozenset[str]:
    """What the operands depend on that a test compares by order, and that may be fractions."""
    found: frozenset[str] = NOTHING
    for comparison in (n for n in run.source.below(test) if type(n) is cst.Comparison):
        if not all(isinstance(part.operator, ORDERED) for part in comparison.comparisons):
            continue
        operands = (comparison.left, *(part.comparator for part in comparison.comparisons))
        found = found.union(*(_fraction(run.values.get(operand, UNKNOWN)) for operand in operands))
    return found


def _fraction(value: Value) -> frozenset[str]:
    """What a value depends on that may be a fraction."""
    return value.deps if value.kind in (Kind.SCALAR, Kind.UNKNOWN) and category(value.dtype) not in INTEGERS else NOTHING
