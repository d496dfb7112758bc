"""How many iterations a loop has, as far as its text tells: exactly, or about, where it halves or doubles what it tests."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

import libcst as cst

from ...rules.syntax.tree import remembered, walk
from ..analysis.loops import literal_items
from ..syntax.names import uses
from ..syntax.scopes import Scopes
from ..syntax.source import Source
from ..syntax.updates import not_in_place

HALVINGS = 16.0  # iterations of a loop that halves an index: the logarithm of tens of thousands
SCALE = 2
SCALING = (cst.Multiply, cst.Divide, cst.FloorDivide, cst.LeftShift, cst.RightShift)
NUMBERS: Mapping[type, Callable[[float, float], float]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.Divide: operator.truediv,
    cst.FloorDivide: operator.floordiv,
}


def iterations(source: Source, scopes: Scopes, loop: cst.CSTNode) -> float | None:
    """The trip count of a loop; None where it depends on a variable of the function or on an array."""
    if isinstance(loop, cst.While):
        return HALVINGS if _halves(loop) else None
    if not isinstance(loop, cst.For):
        return None
    known = literal_items.items(loop.iter, scopes)
    if known is not None:
        return known
    if isinstance(loop.iter, cst.Call) and scopes.qualname(loop.iter.func) == "builtins.range":
        bounds = [bound for a in loop.iter.args if (bound := _number(source, scopes, a.value)) is not None]
        if 0 < len(bounds) == len(loop.iter.args):
            first, last, step = (0.0, *bounds, 1.0) if len(bounds) == 1 else (*bounds, 1.0)[:3]
            return max(0.0, (last - first) / step) if step else 0.0
    return None


def _number(source: Source, scopes: Scopes, node: cst.BaseExpression, depth: int = 20) -> float | None:
    """The value of an expression of constants, if it is a number."""
    match node:
        case cst.Integer() | cst.Float():
            return float(node.evaluated_value)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            value = _number(source, scopes, inner, depth)
            return None if value is None else -value
        case cst.Call(func=func, args=[cst.Arg(value=inner, keyword=None, star="")]):
            value = _number(source, scopes, inner, depth) if scopes.qualname(func) == "builtins.int" else None
            return None if value is None else float(math.trunc(value))
        case cst.BinaryOperation(left=left, operator=made, right=right) if type(made) in NUMBERS:
            one, other = _number(source, scopes, left, depth), _number(source, scopes, right, depth)
            divides = isinstance(made, (cst.Divide, cst.FloorDivide))
            return None if one is None or other is None or (divides and not other) else NUMBERS[type(made)](one, other)
        case cst.Name() if depth:
            bindings = scopes.bindings(node)
            line = source.parents[bindings[0]] if len(bindings) == 1 else None
            if isinstance(line, cst.AssignTarget):
                line = source.parents[line]
            return _number(source, scopes, line.value, depth - 1) if isinstance(line, cst.Assign) else None
    return None


@remembered
def _halves(loop: cst.While) -> bool:
    """Whether iterations halve or double a number that the loop tests, or replace it by a remainder.

    `i = (i - 1) // 2`; `j = 2 * i + 1; i = j`; `mid = (lo + hi) / 2; lo = mid`; `a, b = b, a % b`.
    """
    tested = uses(loop.test)[0]
    assigned = [pair for node, _parent in walk(loop.body) for pair in _assigned(node)]
    scaled = {name for name, value in assigned if _is_scaled(value, tested)}
    scaled |= {name for name, value in assigned if name in tested and _is_linear(value) and uses(value)[0] & scaled}
    return not tested.isdisjoint(scaled)


def _assigned(node: cst.CSTNode) -> list[tuple[str, cst.BaseExpression]]:
    """The variables that a statement assigns numbers to, with what they get."""
    match node:
        case cst.AugAssign(target=cst.Name(value=name)):
            return [(name, not_in_place(node).value)]
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return [(name, value)]
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=to))], value=cst.Tuple(elements=values)):
            return [(t.value.value, v.value) for t, v in zip(to, values, strict=False) if isinstance(t.value, cst.Name)]
    return []


def _is_scaled(node: cst.BaseExpression, tested: frozenset[str]) -> bool:
    """Whether an expression is a tested variable, or a sum with one, times or divided by 2 or more, perhaps with an offset."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract(), right=cst.Integer()):
            return _is_scaled(left, tested)
        case cst.BinaryOperation(left=cst.Name(), operator=cst.Modulo(), right=cst.Name(value=by)):
            return by in tested
        case cst.BinaryOperation(left=left, operator=made, right=right) if isinstance(made, SCALING):
            factor, other = (left, right) if isinstance(left, (cst.Integer, cst.Float)) else (right, left)
            scale = float(factor.evaluated_value) if isinstance(factor, (cst.Integer, cst.Float)) else 1.0
            if isinstance(made, (cst.LeftShift, cst.RightShift)):
                scale = 2**scale
            return (scale >= SCALE or 0 < scale <= 1 / SCALE) and _is_linear(other) and not tested.isdisjoint(uses(other)[0])
    return False


def _is_linear(node: cst.BaseExpression) -> bool:
    """Whether an expression adds variables and constants."""
    match node:
        case cst.Name() | cst.Integer() | cst.Float():
            return True
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract(), right=right):
            return _is_linear(left) and _is_linear(right)
    return False
