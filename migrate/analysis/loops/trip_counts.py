"""Which loops have so few iterations that jit may unroll them."""

from __future__ import annotations

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ....rules.syntax.tree import is_negated, remembered, walk
from ...syntax.names import targets_of, uses
from ...syntax.updates import updated
from ..state.index_expressions import is_sign
from ..state.interpreter_state import Run

SCALING = (cst.Multiply, cst.FloorDivide, cst.Divide, cst.LeftShift, cst.RightShift)


def few_iterations(run: Run, node: cst.For | cst.While) -> bool:
    """Whether the trip count of a loop is at most logarithmic in its numbers, so that jit may unroll it.

    A `for` whose body raises an integer to its index, `2**i` or `1 << i`: a rate to the power of the index, `decay**i`, says nothing
    of the trip count; neither does the power of an array, or a power of a quotient like `1 / (n - i)`. A `while` that multiplies or divides what it tests by an
    integer in each iteration.
    """
    if isinstance(node, cst.While):
        return any(not _is_fraction(run, factor) for factor in _scaled_by(node))
    if type(node.target) is not cst.Name:
        return False
    return any(
        run.values.get(base, UNKNOWN).kind is Kind.SCALAR and not _is_fraction(run, base) for base in _raised_to_index(node)
    )


@remembered
def _raised_to_index(node: cst.For) -> tuple[cst.BaseExpression, ...]:
    """The bases that the body of a loop raises to a power of its index."""
    index = names[0] if len(names := sorted(targets_of(node))) == 1 else ""
    return tuple(
        power.left
        for power, _parent in walk(node.body)
        if type(power) is cst.BinaryOperation
        and type(power.operator) in (cst.Power, cst.LeftShift)
        and not is_sign(power.left)
        and not is_negated(power.right)
        and type(power.right) is not cst.Call
        and any(type(n) is cst.Name and n.value == index for n, _p in walk(power.right))
        and not any(type(n) is cst.BinaryOperation and type(n.operator) is cst.Divide for n, _p in walk(power.right))
    )


def _is_fraction(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a number is certainly no integer."""
    dtype = run.values.get(node, UNKNOWN).dtype
    return dtype != "" and category(dtype) > 1


@remembered
def _scaled_by(node: cst.While) -> tuple[cst.BaseExpression, ...]:
    """The factors by which each iteration multiplies or divides a variable of the test, at the top level of the body."""
    tested, found = uses(node.test)[0], list[cst.BaseExpression]()
    for line in builders.lines(node.body):
        update = updated(line)
        if update is not None and update[0] in tested and issubclass(update[1], SCALING):
            found.append(update[2])
    return tuple(found)
