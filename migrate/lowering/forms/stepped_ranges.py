"""`for s in range(a, b, hop)` with a `hop` that is not a literal: a variable counts the iterations, and the value is computed
from it.

The trip count `-((a - b) // hop)` is Python's for steps of both signs; a negative count means no iterations.
"""

from __future__ import annotations

import libcst as cst

from ....rules.syntax import builders, loop_ranges
from ....rules.syntax.tree import walk
from ...syntax.names import bound_by
from .form import Body, DesugaredStatement

PLAIN = (
    cst.Name,
    cst.Integer,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Attribute,
    cst.Subscript,
    cst.SubscriptElement,
    cst.Index,
)
SIZES = ("builtins.len", "builtins.min", "builtins.max", "builtins.int")


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.For(target=cst.Name(value=name), iter=cst.Call(args=[first, stop, step]) as through) if (
            space := body.scopes.iteration_space(statement)
        ).is_range and space.stride is None:
            pass
        case _:
            return None
    bound = bound_by(statement.body)
    named = {n.value for a in through.args for n, _above in walk(a.value) if isinstance(n, cst.Name)}
    if name in body.captured or name in bound or not named.isdisjoint({name, *bound}):
        return None
    if any(a.keyword is not None or a.star or not _is_number(a.value, body) for a in through.args):
        return None
    count = body.fresh("k", f"{name}_turn")
    start, end, hop = (builders.bare(a.value) for a in (first, stop, step))

    def counted(made: cst.For) -> cst.For:
        trip_count = cst.UnaryOperation(cst.Minus(), builders.operand(_binary(_difference(start, end), cst.FloorDivide(), hop)))
        moved = cst.BinaryOperation(cst.Name(count), cst.Multiply(), builders.operand(hop))
        at = moved if loop_ranges.is_zero(start) else _binary(start, cst.Add(), moved)
        lines = [builders.assigned((name,), at), *builders.lines(made.body)]
        inner = made.body.with_changes(body=lines) if isinstance(made.body, cst.IndentedBlock) else cst.IndentedBlock(lines)
        return made.with_changes(target=cst.Name(count), iter=builders.call(cst.Name("range"), trip_count), body=inner)

    return DesugaredStatement("a range whose step is a variable", {statement: counted})


def _difference(start: cst.BaseExpression, end: cst.BaseExpression) -> cst.BaseExpression:
    if loop_ranges.is_zero(start):
        return cst.UnaryOperation(cst.Minus(), builders.operand(end))
    return builders.enclosed(_binary(start, cst.Subtract(), builders.operand(end)))


def _binary(left: cst.BaseExpression, operator: cst.BaseBinaryOp, right: cst.BaseExpression) -> cst.BinaryOperation:
    """A binary operation, with the first operand in parentheses if it needs them."""
    bare = isinstance(left, cst.UnaryOperation) or builders.tighter(left, operator)
    first = left if bare else builders.operand(left)
    return cst.BinaryOperation(first, operator, right if isinstance(operator, cst.Add) else builders.operand(right))


def _is_number(node: cst.BaseExpression, body: Body) -> bool:
    """Whether an expression consists of variables, numbers and sizes only, so that it may be duplicated."""
    calls = body.source.among(node, cst.Call)
    functions = [n for call in calls for n in (call, *call.args, call.func)]
    known = all(body.calls(call) in SIZES and not any(a.keyword or a.star for a in call.args) for call in calls)
    return known and all(
        n in functions or isinstance(n, PLAIN) or not isinstance(n, cst.BaseExpression) for n, _above in walk(node)
    )
