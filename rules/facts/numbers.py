"""What the analysis of JAX code knows about the numbers in an array."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import NamedTuple

from .traced_values import NUMBER, Traced

INTS, COUNT, NEGATIVE = "int", "count", "negative"  # integers; none of them negative; none of them positive
ROUNDED = "rounded"  # floats that were computed and bound to a name
OWN = (
    "own differences"  # the differences between the rows of an array and those of itself, or their squares: zero on the diagonal
)
INTEGERS = frozenset({INTS, COUNT, NEGATIVE, "uint8", "uint16"})
ROUNDING = frozenset("sum mean std var prod dot vdot matmul norm exp log sqrt sin cos tan tanh cumsum average trapezoid".split())
FLOATS = frozenset({"float", "complex"})


class Arange(NamedTuple):
    """An array of `arange`, with the arguments of `range`, or of the powers of its elements."""

    start: int
    stop: int | None = None
    step: int | None = None
    power: int = 1

    def numbers(self) -> range:
        return range(*(number for number in self[:3] if number is not None))

    def raised(self, power: int) -> Arange:
        return self._replace(power=self.power * power)

    def exceeds(self, largest: int) -> bool:
        """Whether the sum of the elements is larger than a number."""
        numbers = self.numbers()
        if self.power == 1 and numbers:
            return abs(len(numbers) * (numbers[0] + numbers[-1])) // 2 > largest
        total = 0
        for number in numbers if self.power % 2 == 0 else ():  # the powers have one sign, so that the sum only grows
            total += number**self.power
            if total > largest:
                return True
        return False


class Joined(NamedTuple):
    """An array of other arrays, of which these are some: larger than each of them."""

    identities: tuple[Hashable, ...]


class Mean(NamedTuple):
    """The mean of an expression, or of its square. `rest`: the other arguments. `squared`: the square of the mean. `total`: a sum,
    of which a quotient makes a mean."""

    subject: str
    rest: tuple[str, ...] = ()
    power: int = 1
    squared: bool = False
    total: bool = False


def category(value: Traced) -> str:
    """Whether an array or a number is of integers, of truth values, or inexact; "" if that is not known."""
    dtype = value.dtype
    if value.kind == NUMBER:
        dtype = type(value.constant).__name__ if value.constant is not None else value.name
    if dtype.startswith(("int", "uint")):
        return "int"
    return "bool" if dtype == "bool" else "inexact" if dtype.startswith(("float", "bfloat", "complex", "inexact")) else ""


def rounds(node: ast.expr) -> bool:
    """Whether an expression computes a float, and so rounds."""
    if isinstance(node, ast.Call):
        return (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in ROUNDING
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow | ast.MatMult)


def to_itself(node: ast.AST) -> bool:
    """Whether an expression is the differences between the rows of an array and those of itself: `x[:, None] - x[None]`."""
    match node:
        case ast.BinOp(ast.Subscript(value=one, slice=left), ast.Sub(), ast.Subscript(value=other, slice=right)):
            return (
                ast.dump(one) == ast.dump(other) and ast.dump(left) != ast.dump(right) and _adds_axes(left) and _adds_axes(right)
            )
    return False


def _adds_axes(index: ast.expr) -> bool:
    """Whether an index takes all elements, and adds an axis."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    new = [each for each in parts if is_new_axis(each)]
    rest = [each for each in parts if each not in new]
    return bool(new) and all(
        (isinstance(each, ast.Constant) and each.value is ...)
        or (isinstance(each, ast.Slice) and each.lower is each.upper is each.step is None)
        for each in rest
    )


def is_new_axis(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Attribute) and node.attr == "newaxis")
