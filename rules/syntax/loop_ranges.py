"""The iterations of `for i in range(...)`, counted from zero or from the start of the range."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ..facts.iteration_space import IterationSpace, integer, iteration_space
from . import builders
from .tree import walk


@dataclass(frozen=True, slots=True)
class CountedIterations:
    """A counter goes from `low` up to, but not including, `high`.

    `index`: the loop variable in terms of the counter, None where it is the counter.
    `last`: the loop variable after the last iteration.
    """

    low: cst.BaseExpression
    high: cst.BaseExpression
    index: cst.BaseExpression | None
    last: cst.BaseExpression


def range_in(iterable: cst.BaseExpression) -> IterationSpace:
    """The range in a (rewritten) `range(...)` or `reversed(range(...))`, whatever the file calls it."""
    space = iteration_space(None, iterable, lambda name: "builtins.reversed" if _is_reversed(name) else "builtins.range")
    assert space.range is not None
    return space.range


def _is_reversed(function: cst.CSTNode) -> bool:
    return isinstance(function, cst.Name) and function.value == "reversed"


def counted_iterations(iterable: cst.BaseExpression, counter: cst.Name) -> CountedIterations:
    """The iterations of a (rewritten) range whose step is known."""
    made = range_in(iterable)
    assert made.stop is not None and made.stride is not None
    step = made.stride
    start = cst.Integer("0") if made.start is None else builders.bare(made.start)
    stop = builders.bare(made.stop)
    if made.iterable is not iterable:
        first = plus(stop, -1) if step == 1 else _moved(start, step, plus(_count(start, stop, step), -1))
        return CountedIterations(cst.Integer("0"), _count(start, stop, step), _moved(first, -step, counter), start)
    if step == 1:
        return CountedIterations(start, stop, None, plus(stop, -1))
    count = _count(start, stop, step)
    index = _moved(start, step, counter)
    return CountedIterations(cst.Integer("0"), count, index, _moved(start, step, plus(count, -1)))


def _count(start: cst.BaseExpression, stop: cst.BaseExpression, step: int) -> cst.BaseExpression:
    """The trip count; negative where there are no iterations."""
    size = abs(step)
    span = minus(stop, start) if step > 0 else minus(start, stop)
    return span if size == 1 else _divided(plus(span, size - 1), size)


def _moved(start: cst.BaseExpression, step: int, counted_iterations: cst.BaseExpression) -> cst.BaseExpression:
    """`start + step * iterations`."""
    many = counted_iterations
    if abs(step) != 1:
        many = cst.BinaryOperation(cst.Integer(str(abs(step))), cst.Multiply(), _factor(counted_iterations))
    if step > 0 and is_zero(start):
        return many
    return cst.BinaryOperation(
        _term(start),
        cst.Add() if step > 0 else cst.Subtract(),
        _factor(many) if step < 0 and many is counted_iterations else many,
    )


def _divided(node: cst.BaseExpression, by: int) -> cst.BaseExpression:
    return cst.BinaryOperation(_factor(node), cst.FloorDivide(), cst.Integer(str(by)))


def is_zero(node: cst.BaseExpression) -> bool:
    return integer(node) == 0


def plus(node: cst.BaseExpression, more: int) -> cst.BaseExpression:
    """`node + more`, with the literals at its end added up."""
    if (known := integer(node)) is not None:
        return builders.integer(known + more)
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract() as operator, right=cst.Integer() as right) if (
            not node.lpar
        ):
            held = right.evaluated_value if isinstance(operator, cst.Add) else -right.evaluated_value
            return plus(left, held + more)
    if not more:
        return node
    return cst.BinaryOperation(_term(node), cst.Add() if more > 0 else cst.Subtract(), cst.Integer(str(abs(more))))


def minus(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    if (known := integer(right)) is not None:
        return plus(left, -known)
    return cst.BinaryOperation(_term(left), cst.Subtract(), _factor(right))


def length(low: cst.BaseExpression, high: cst.BaseExpression) -> cst.BaseExpression:
    """The trip count from `low` to `high`, for `lax.scan`, which accepts no negative number."""
    count = high if is_zero(low) else minus(high, low)
    parts = [node for node, _parent in walk(count) if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation))]
    if not any(isinstance(part.operator, (cst.Subtract, cst.Minus)) for part in parts):
        return count
    return builders.call(cst.Name("max"), count, cst.Integer("0"))


def added(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    """`left + right`."""
    return right if is_zero(left) else cst.BinaryOperation(_term(left), cst.Add(), _factor(right))


def cancelled(node: cst.BaseExpression) -> cst.BaseExpression:
    """A sum of integers without operands that it both adds and subtracts: `n` of `(n - w + 1) + w - 1`."""
    terms = _summands(node)
    left: list[tuple[bool, cst.BaseExpression]] = []
    for positive, term in terms:
        opposite = next((t for t in left if t[0] is not positive and integer(term) is None and t[1].deep_equals(term)), None)
        if opposite is not None:
            left.remove(opposite)
        else:
            left.append((positive, term))
    if len(left) == len(terms):
        return node
    constant = sum((integer(t) or 0) * (1 if positive else -1) for positive, t in left)
    kept = [t for t in left if integer(t[1]) is None]
    kept.sort(key=lambda t: not t[0])
    if not kept:
        return builders.integer(constant)
    made = kept[0][1] if kept[0][0] else cst.UnaryOperation(cst.Minus(), _factor(kept[0][1]))
    for positive, term in kept[1:]:
        made = cst.BinaryOperation(_term(made), cst.Add() if positive else cst.Subtract(), _factor(term))
    return plus(made, constant)


def _summands(node: cst.BaseExpression) -> list[tuple[bool, cst.BaseExpression]]:
    """The operands of a sum, and whether they are added."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.Add, cst.Subtract)):
        same = isinstance(node.operator, cst.Add)
        return [*_summands(node.left), *((positive is same, term) for positive, term in _summands(node.right))]
    return [(True, node)]


def _term(node: cst.BaseExpression) -> cst.BaseExpression:
    """The left operand of a sum, in parentheses where needed."""
    if isinstance(node, cst.BinaryOperation) and isinstance(
        node.operator,
        (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply, cst.Power),
    ):
        return node
    return _factor(node)


def _factor(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if isinstance(node, cst.Integer) else builders.operand(node)


__all__ = ["CountedIterations", "added", "cancelled", "counted_iterations", "integer", "is_zero", "minus", "plus", "range_in"]
