"""What the analysis of JAX code knows about the numbers in an array."""

from __future__ import annotations

import ast
from typing import NamedTuple

INTS, COUNT, NEGATIVE = "int", "count", "negative"  # integers; none of them negative; none of them positive
ROUNDED = "rounded"  # floats that were computed and bound to a name
INTEGERS = frozenset({INTS, COUNT, NEGATIVE, "uint8", "uint16"})
ROUNDING = frozenset("sum mean std var prod dot vdot matmul norm exp log sqrt sin cos tan tanh cumsum average trapezoid".split())
FLOATS = frozenset({"float", "complex"})


class Arange(NamedTuple):
    """An array of `arange`, with the arguments of `range`."""

    start: int
    stop: int | None = None
    step: int | None = None

    def numbers(self) -> range:
        return range(*(number for number in self if number is not None))


class Mean(NamedTuple):
    """The mean of an expression, or of its square. `rest`: the other arguments. `squared`: the square of the mean."""

    subject: str
    rest: tuple[str, ...] = ()
    power: int = 1
    squared: bool = False


def rounds(node: ast.expr) -> bool:
    """Whether an expression computes a float, and so rounds."""
    if isinstance(node, ast.Call):
        return (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in ROUNDING
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow | ast.MatMult)
