"""The turns of `for i in range(...)`, counted from zero or from the start of the range."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from . import builders
from .tree import walk


@dataclass(frozen=True, slots=True)
class CountedTurns:
    """A counter goes from `low` to `high`, without it; `index` is the loop's variable by the counter, None where it is the
    counter; `last`: the variable after the last turn."""

    low: cst.BaseExpression
    high: cst.BaseExpression
    index: cst.BaseExpression | None
    last: cst.BaseExpression


def range_of(iterable: cst.BaseExpression) -> cst.Call:
    """The call of `range` in `range(...)` or `reversed(range(...))`."""
    assert isinstance(iterable, cst.Call)
    inner = iterable.args[0].value if iterable.args else None
    if isinstance(iterable.func, cst.Name) and iterable.func.value == "reversed" and isinstance(inner, cst.Call):
        return inner
    return iterable


def step_of(iterable: cst.BaseExpression) -> int | None:
    """The step of a range, where it is a number that is written there."""
    match [a.value for a in range_of(iterable).args]:
        case [_] | [_, _]:
            return 1
        case [_, _, cst.Integer() as step]:
            return step.evaluated_value or None
        case [_, _, cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as step)]:
            return -step.evaluated_value or None
    return None


def unit(iterable: cst.BaseExpression) -> bool:
    """Whether the loop's variable is the counter itself."""
    return step_of(iterable) == 1 and range_of(iterable) is iterable


def turns(iterable: cst.BaseExpression, counter: cst.Name) -> CountedTurns:
    """The turns of a (rewritten) range whose step is known."""
    made = range_of(iterable)
    step = step_of(iterable)
    assert step is not None
    start: cst.BaseExpression = cst.Integer("0")
    stop = builders.bare(made.args[0].value)
    if len(made.args) > 1:
        start, stop = stop, builders.bare(made.args[1].value)
    if made is not iterable:
        first = plus(stop, -1) if step == 1 else _moved(start, step, plus(_count(start, stop, step), -1))
        return CountedTurns(cst.Integer("0"), _count(start, stop, step), _moved(first, -step, counter), start)
    if step == 1:
        return CountedTurns(start, stop, None, plus(stop, -1))
    count = _count(start, stop, step)
    index = _moved(start, step, counter)
    return CountedTurns(cst.Integer("0"), count, index, _moved(start, step, plus(count, -1)))


def _count(start: cst.BaseExpression, stop: cst.BaseExpression, step: int) -> cst.BaseExpression:
    """The number of turns; below zero where there are none."""
    size = abs(step)
    span = minus(stop, start) if step > 0 else minus(start, stop)
    return span if size == 1 else _divided(plus(span, size - 1), size)


def _moved(start: cst.BaseExpression, step: int, turns: cst.BaseExpression) -> cst.BaseExpression:
    """`start + step * turns`."""
    many = turns
    if abs(step) != 1:
        many = cst.BinaryOperation(cst.Integer(str(abs(step))), cst.Multiply(), _factor(turns))
    if step > 0 and is_zero(start):
        return many
    return cst.BinaryOperation(
        _term(start), cst.Add() if step > 0 else cst.Subtract(), _factor(many) if step < 0 and many is turns else many
    )


def _divided(node: cst.BaseExpression, by: int) -> cst.BaseExpression:
    return cst.BinaryOperation(_factor(node), cst.FloorDivide(), cst.Integer(str(by)))


def number(node: cst.BaseExpression) -> int | None:
    match node:
        case cst.Integer():
            return node.evaluated_value
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as inner):
            return -inner.evaluated_value
    return None


def is_zero(node: cst.BaseExpression) -> bool:
    return number(node) == 0


def plus(node: cst.BaseExpression, more: int) -> cst.BaseExpression:
    """`node + more`, with the numbers at its end added up."""
    if (known := number(node)) is not None:
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
    if (known := number(right)) is not None:
        return plus(left, -known)
    return cst.BinaryOperation(_term(left), cst.Subtract(), _factor(right))


def length(low: cst.BaseExpression, high: cst.BaseExpression) -> cst.BaseExpression:
    """How many turns there are from `low` to `high`, for `lax.scan`, which takes no negative number."""
    count = high if is_zero(low) else minus(high, low)
    parts = [node for node, _parent in walk(count) if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation))]
    if not any(isinstance(part.operator, (cst.Subtract, cst.Minus)) for part in parts):
        return count
    return builders.call(cst.Name("max"), count, cst.Integer("0"))


def added(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    """`left + right`."""
    return right if is_zero(left) else cst.BinaryOperation(_term(left), cst.Add(), _factor(right))


def cancelled(node: cst.BaseExpression) -> cst.BaseExpression:
    """A sum of integers without what it both adds and subtracts: `n` of `(n - w + 1) + w - 1`."""
    terms = _summands(node)
    left: list[tuple[bool, cst.BaseExpression]] = []
    for positive, term in terms:
        opposite = next((t for t in left if t[0] is not positive and number(term) is None and t[1].deep_equals(term)), None)
        if opposite is not None:
            left.remove(opposite)
        else:
            left.append((positive, term))
    if len(left) == len(terms):
        return node
    constant = sum((number(t) or 0) * (1 if positive else -1) for positive, t in left)
    kept = [t for t in left if number(t[1]) is None]
    kept.sort(key=lambda t: not t[0])
    if not kept:
        return builders.integer(constant)
    made = kept[0][1] if kept[0][0] else cst.UnaryOperation(cst.Minus(), _factor(kept[0][1]))
    for positive, term in kept[1:]:
        made = cst.BinaryOperation(_term(made), cst.Add() if positive else cst.Subtract(), _factor(term))
    return plus(made, constant)


def _summands(node: cst.BaseExpression) -> list[tuple[bool, cst.BaseExpression]]:
    """The terms of a sum, and whether they are added."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.Add, cst.Subtract)):
        same = isinstance(node.operator, cst.Add)
        return [*_summands(node.left), *((positive is same, term) for positive, term in _summands(node.right))]
    return [(True, node)]


def _term(node: cst.BaseExpression) -> cst.BaseExpression:
    """What may stand left of a plus."""
    if isinstance(node, cst.BinaryOperation) and isinstance(
        node.operator,
        (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply, cst.Power),
    ):
        return node
    return _factor(node)


def _factor(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if isinstance(node, cst.Integer) else builders.operand(node)


__all__ = ["CountedTurns", "added", "cancelled", "is_zero", "minus", "number", "plus", "range_of", "step_of", "turns", "unit"]
