"""Expressions that indicate numbers: arithmetic, fractions, simple indices."""

from __future__ import annotations

import libcst as cst


def is_number(node: cst.BaseExpression) -> bool:
    return type(node) in (cst.Integer, cst.Float) or (type(node) is cst.UnaryOperation and is_number(node.expression))


def fractional(node: cst.BaseExpression) -> bool:
    """Whether an expression is a float literal: what it multiplies cannot be a list."""
    if type(node) is cst.UnaryOperation:
        return fractional(node.expression)
    return type(node) is cst.Float


def is_product(node: cst.BaseExpression) -> bool:
    """Whether an expression is `a @ b`: an array, or an element of one."""
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply)


def is_arithmetic(node: cst.BaseExpression) -> bool:
    """Whether an expression is a subtraction, division or scaling, which lists do not support."""
    match node:
        case cst.BinaryOperation(operator=cst.Subtract() | cst.Divide() | cst.Power() | cst.MatrixMultiply()):
            return True
        case cst.BinaryOperation(left=left, right=right):
            return fractional(left) or fractional(right) or is_arithmetic(left) or is_arithmetic(right)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return is_arithmetic(inner)
    return False


def is_plain(part: cst.BaseSlice) -> bool:
    """Whether an index looks like a number: a variable, a literal, arithmetic."""
    return isinstance(part, cst.Index) and isinstance(
        part.value, (cst.Name, cst.Integer, cst.BinaryOperation, cst.UnaryOperation)
    )


def array_index(part: cst.BaseSlice) -> bool:
    match part:
        case cst.Slice() | cst.Index(value=cst.Ellipsis()) | cst.Index(value=cst.Name(value="None")):
            return True
        case cst.Index(value=cst.Attribute(attr=cst.Name(value="newaxis"))):
            return True
    return False
