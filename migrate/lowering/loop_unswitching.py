"""Loop unswitching: a loop-invariant test in a nest is moved before it, if the iterations can run in parallel without it.

`for j in range(n): if k > 0: s[i] += f(j)` becomes `if k > 0: for j in range(n): s[i] += f(j)`. The test compares only scalars,
so that it does not matter whether it is evaluated when the loop has no iterations.
"""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Edit, Kind
from ...rules.facts.values import UNKNOWN
from ...rules.syntax import builders
from ..analysis.loops.loop_analysis import bound_in
from ..analysis.parallel.parallel_loops import nest_of, only_loop
from ..context.unit_context import UnitContext
from ..syntax.source import walk

OPERATORS = (cst.Add, cst.Subtract, cst.Multiply)  # on numbers, they never raise


def hoisted(node: cst.For, context: UnitContext) -> Edit | None:
    """The edit that moves a test before its nest of loops; None if there is no such test, or the iterations run in parallel with
    it."""
    nest = nest_of(context.analysed.run, node)
    guard = _guard(nest[-1])
    if guard is None or not all(_plain(loop, context) for loop in nest):
        return None
    bound = bound_in(context.analysed.run, node) | {loop.target.value for loop in nest if isinstance(loop.target, cst.Name)}
    if not _numbers(guard.test, context) or builders.names(guard.test) & bound or context.loops.in_parallel(node) is not None:
        return None
    return lambda made: _written(made, len(nest))


def _guard(loop: cst.For) -> cst.If | None:
    match loop.body:
        case cst.IndentedBlock(body=[cst.If(orelse=None) as guard]):
            return guard
    return None


def _plain(loop: cst.For, context: UnitContext) -> bool:
    """Whether a loop iterates over a range whose bounds need not be evaluated without iterations, and its index is not read
    later."""
    found = context.analysed.run.loops.compiled.get(loop)
    if found is None or found.form != "range" or found.why or found.exits.guards or found.accumulated or found.index_after:
        return False
    space = context.loops.iteration_space(loop)
    calls = [n for bound in space.bounds for n, _parent in walk(bound) if isinstance(n, cst.Call)]
    return loop.orelse is None and space.is_range and all(context.qualname(call.func) == "builtins.len" for call in calls)


def _numbers(test: cst.BaseExpression, context: UnitContext) -> bool:
    """Whether a test compares scalars and cannot raise."""
    match test:
        case cst.Integer() | cst.Float():
            return True
        case cst.Name():
            value = context.analysed.run.values.get(test, UNKNOWN)  # Python takes its truth value: an array has one element then
            return value.kind is Kind.SCALAR or (value.number and value.kind is Kind.UNKNOWN)
        case cst.Comparison(left=left, comparisons=targets):
            ordered = not any(isinstance(t.operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)) for t in targets)
            return ordered and all(_numbers(each, context) for each in (left, *(t.comparator for t in targets)))
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            return isinstance(operator, OPERATORS) and _numbers(left, context) and _numbers(right, context)
        case cst.BooleanOperation(left=left, right=right):
            return _numbers(left, context) and _numbers(right, context)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus() | cst.Not(), expression=inner):  # `~` raises for a float
            return _numbers(inner, context)
    return False


def _written(made: cst.CSTNode, depth: int) -> cst.If:
    """The branch that encloses the loops; comments stay with their statements."""
    assert isinstance(made, cst.For)
    loops = [made]
    while len(loops) < depth and (loop := only_loop(loops[-1])) is not None:
        loops.append(loop)
    guard = _guard(loops[-1])
    assert guard is not None
    body: cst.BaseSuite = guard.body
    for loop in reversed(loops):
        body = cst.IndentedBlock([inner := loop.with_changes(body=body)])
    first = [line for line in inner.leading_lines if line.comment is None]
    comments = [line for line in inner.leading_lines if line.comment is not None]
    return guard.with_changes(
        body=cst.IndentedBlock([inner.with_changes(leading_lines=comments)]),
        leading_lines=[*first, *guard.leading_lines],
    )
