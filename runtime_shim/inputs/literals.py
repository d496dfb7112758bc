"""The numbers that both versions of a function mention: where a condition changes its mind, and the lengths that matter."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable

MOST = 24
LONGEST = 40  # a constant above it is no length that is tried
BASIC = (0.0, 1.0, -1.0)


def literals(sources: Iterable[ast.AST]) -> tuple[float, ...]:
    """The numbers in these functions, those of comparisons and limits first; each once."""
    near: dict[float, None] = {}
    others: dict[float, None] = {}
    for source in sources:
        for node in ast.walk(source):
            if isinstance(node, ast.Compare) or (
                isinstance(node, ast.Call) and _name(node) in ("clip", "minimum", "maximum", "min", "max")
            ):
                near |= dict.fromkeys(_numbers(node))
        others |= dict.fromkeys(_numbers(source))
    return tuple(near | others)[:MOST]


def boundary_values(constants: Iterable[float]) -> list[float]:
    """The constants with their neighbours: the next floats, and one more and one less."""
    found: dict[float, None] = {}
    for value in constants:
        for near in (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf), value + 1, value - 1, -value):
            found[near] = None
    return list(found)


def lengths(constants: Iterable[float]) -> list[int]:
    """Lengths to try: 0, 1, 2, an odd and an even one, and one more than every constant."""
    more = [int(value) + 1 for value in constants if value == int(value) and 2 < value <= LONGEST]
    return list(dict.fromkeys([1, 2, 0, 3, *more, 6]))


def _numbers(source: ast.AST) -> Iterable[float]:
    for node in ast.walk(source):
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                yield -float(value)
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=int() | float() as value) if abs(value) < 1e15 and math.isfinite(value):
                yield float(value)


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
