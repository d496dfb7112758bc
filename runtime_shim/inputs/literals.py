"""The numbers that both versions of a function mention: where a condition changes its mind, and the lengths that matter."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable

MOST = 24
LONGEST = 40  # a constant above it is no length that is tried, unless the code compares a length with it
MOST_ITEMS = 5000
MEASURES = frozenset(("len", "size", "shape"))
NEAR_ZERO = 1e-18
ASKING = frozenset("isnan isfinite isinf isposinf isneginf nan_to_num".split())
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


def asks_for_finite(sources: Iterable[ast.AST]) -> bool:
    """Whether these functions ask if something is NaN or infinite."""
    calls = (node for source in sources for node in ast.walk(source) if isinstance(node, ast.Call))
    return any(_name(call) in ASKING for call in calls)


def asks_for_rank(sources: Iterable[ast.AST]) -> frozenset[str]:
    """The variables for which these functions do something else if they have no dimensions: `x.sum() if x.ndim else x`."""
    tests = [node.test for source in sources for node in ast.walk(source) if isinstance(node, ast.If | ast.IfExp)]
    parts = (part for test in tests for part in ast.walk(test) if isinstance(part, ast.Attribute) and part.attr == "ndim")
    return frozenset(part.value.id for part in parts if isinstance(part.value, ast.Name))


def boundary_values(constants: Iterable[float]) -> list[float]:
    """The constants with their neighbours: the next floats, and one more and one less."""
    found: dict[float, None] = {}
    for value in constants:
        for near in (value, above(value), below(value), value + 1, value - 1, -value):
            found[near] = None
    return list(found)


def above(value: float) -> float:
    """The next float; for 0 one that stays normal when it is squared, since XLA flushes subnormal numbers to zero."""
    return math.nextafter(value, math.inf) if value else NEAR_ZERO


def below(value: float) -> float:
    """The float before it; see `above`."""
    return math.nextafter(value, -math.inf) if value else -NEAR_ZERO


def large_lengths(sources: Iterable[ast.AST]) -> tuple[float, ...]:
    """The numbers above `LONGEST` with which these functions compare lengths: `if len(x) > 1000`."""
    tests = [node for source in sources for node in ast.walk(source) if isinstance(node, ast.Compare)]
    measuring = [test for test in tests if MEASURES & {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(test)}]
    found = dict.fromkeys(value for test in measuring for value in _numbers(test))
    return tuple(value for value in found if LONGEST < value <= MOST_ITEMS)


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
