"""What a condition compares."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

SINGLETONS = ("True", "False", "None")
OF_NUMBERS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
OPPOSITE_ORDERS: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.LessThan,
    cst.GreaterThan: cst.LessThanEqual,
    cst.LessThanEqual: cst.GreaterThan,
}  # valid without NaN


def conjuncts(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The parts of `a and b and c`."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case _:
            yield test


def compared_numbers(test: cst.BaseExpression) -> Iterator[cst.Name]:
    """The variables whose order a condition asks for as a whole, so that they are numbers: an array has an order for each element. Those
    that may not be reached, behind `and` and `or`, are among them."""
    match test:
        case cst.BooleanOperation(left=left, right=right):
            yield from compared_numbers(left)
            yield from compared_numbers(right)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from compared_numbers(inner)
        case cst.Comparison(left=left, comparisons=comparisons):
            sides = [left, *(each.comparator for each in comparisons)]
            if all(isinstance(each.operator, OF_NUMBERS) for each in comparisons):
                yield from (side for side in sides if isinstance(side, cst.Name))


def chain(test: cst.BooleanOperation) -> list[cst.BaseExpression]:
    """The operands of `a and b and c`, or of `a or b or c`, from left to right."""
    found: list[cst.BaseExpression] = []
    at: cst.BaseExpression = test
    while isinstance(at, cst.BooleanOperation) and type(at.operator) is type(test.operator):
        found.append(at.right)
        at = at.left
    return [at, *reversed(found)]


def tests_flag(test: cst.BaseExpression) -> bool:
    """Whether a condition only tests a variable as `flag`, `not flag`, `x is not None` and `mode == "a"` do: it has no effect, and may
    be tested earlier than it stands."""
    match test:
        case cst.Name() | cst.UnaryOperation(operator=cst.Not(), expression=cst.Name()):
            return True
        case cst.Comparison(left=cst.Name(), comparisons=[cst.ComparisonTarget(operator=operator, comparator=other)]):
            constant = isinstance(other, cst.SimpleString) or (isinstance(other, cst.Name) and other.value in SINGLETONS)
            return constant and isinstance(operator, (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual))
    return False
