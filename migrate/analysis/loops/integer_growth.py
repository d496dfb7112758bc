"""Integers of Python that grow exponentially from one iteration to the next: compiled code has 64 bits for them.

`r *= i`, `r += r`, and `a, b = b, a + b` double a variable every few iterations, and Python's integers have any size. `r += i` and
`r += s; s += 1` grow slowly: no loop runs long enough. In terms of the graph of which variable is computed from which: a variable
grows exponentially if it lies on a cycle and one of the variables of its strongly connected component is a product with a member of
the component, or is a sum in which members occur twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, UNKNOWN
from ...syntax.names import collect
from ..state.interpreter_state import Run

PRODUCTS = (cst.Multiply, cst.LeftShift, cst.Power)
BINARY: dict[type[cst.CSTNode], cst.BaseBinaryOp] = {
    cst.AddAssign: cst.Add(),
    cst.SubtractAssign: cst.Subtract(),
    cst.MultiplyAssign: cst.Multiply(),
    cst.LeftShiftAssign: cst.LeftShift(),
    cst.PowerAssign: cst.Power(),
    cst.FloorDivideAssign: cst.FloorDivide(),
    cst.RightShiftAssign: cst.RightShift(),
    cst.ModuloAssign: cst.Modulo(),
}
QUOTIENTS = (cst.FloorDivide, cst.RightShift, cst.Modulo)
ORDERED = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


class Growth(NamedTuple):
    """The variables of a loop that may grow exponentially. `unchecked`: nothing makes them smaller again."""

    unchecked: frozenset[str] = NOTHING
    checked: frozenset[str] = NOTHING


class _Update(NamedTuple):
    """A new value of a variable: the statement, how often each variable occurs in it, and whether it may be a quotient."""

    node: cst.CSTNode
    occurrences: Counter[str]
    shrinks: bool


def growth(run: Run, loop: cst.For | cst.While) -> Growth:
    """The integers of Python in a loop that may grow exponentially.

    One that the loop compares with something, as in `while step < n: step *= 2`, ends it in time. One that shrinks where it does not
    grow (`k // 2 if k % 2 == 0 else 3 * k + 1`) is `checked`.
    """
    updates: dict[str, list[_Update]] = {}
    for name, update in _updates(run, loop):
        updates.setdefault(name, []).append(update)
    reached = {name: _reached(name, updates) for name in updates}
    compared = collect([c for c in run.source.among(loop, cst.Comparison) if _is_ordered(c)]).read
    found: dict[str, bool] = {}
    for name, several in updates.items():
        component = {other for other in reached[name] if name in reached.get(other, ())}
        if name in component and component.isdisjoint(compared):
            growing = [one for one in several if sum(n for other, n in one.occurrences.items() if other in component) > 1]
            if growing:
                found[name] = all(one.shrinks or _is_alternative(run, one, several) for one in growing)
    return Growth(frozenset(n for n in found if not found[n]), frozenset(n for n in found if found[n]))


def _is_alternative(run: Run, grown: _Update, several: list[_Update]) -> bool:
    """Whether a variable gets smaller where it does not grow: in the other arm of an `if`."""
    arms = run.source.other_arms(grown.node)
    return any(run.source.inside(one.node, arm) for one in several if one.shrinks for arm in arms)


def _updates(run: Run, loop: cst.For | cst.While) -> Iterator[tuple[str, _Update]]:
    """The integers that the body of a loop binds."""
    for node in run.source.among(loop.body, cst.Assign, cst.AugAssign):
        match node:
            case cst.AugAssign(target=cst.Name(value=name) as target, operator=operator, value=value) if type(operator) in BINARY:
                if _is_integer(run, target):
                    whole = cst.BinaryOperation(target, BINARY[type(operator)], value)
                    yield name, _Update(node, _occurrences(run, whole), _may_shrink(whole))
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=several))], value=cst.Tuple(elements=values)):
                if len(several) == len(values):
                    for one, other in zip(several, values, strict=True):
                        if isinstance(one.value, cst.Name) and _is_integer(run, other.value):
                            yield one.value.value, _Update(node, _occurrences(run, other.value), _may_shrink(other.value))
            case cst.Assign(targets=targets, value=value) if _is_integer(run, value):
                for bound in targets:
                    if isinstance(bound.target, cst.Name):
                        yield bound.target.value, _Update(node, _occurrences(run, value), _may_shrink(value))


def _may_shrink(node: cst.BaseExpression) -> bool:
    """Whether a value may be a quotient, or a remainder."""
    if isinstance(node, cst.IfExp):
        return _may_shrink(node.body) or _may_shrink(node.orelse)
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, QUOTIENTS)


def _occurrences(run: Run, node: cst.BaseExpression) -> Counter[str]:
    """How often each variable occurs in a sum; in a product, twice. What a remainder, a quotient or a call contains does not count."""
    match node:
        case cst.Name(value=name):
            return Counter([name])
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return _occurrences(run, inner)
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract(), right=right):
            return _combined(_occurrences(run, left), _occurrences(run, right), False)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if isinstance(operator, PRODUCTS):
            unit = isinstance(operator, cst.Multiply) and (_is_unit(left) or _is_unit(right))
            grows = not unit and all(_is_integer(run, side) for side in (left, right))
            return _combined(_occurrences(run, left), _occurrences(run, right), grows)
        case cst.IfExp(body=body, orelse=orelse):
            return _occurrences(run, body) | _occurrences(run, orelse)
    return Counter()


def _combined(left: Counter[str], right: Counter[str], product: bool) -> Counter[str]:
    both = left + right
    return Counter(dict.fromkeys(both, 2)) if product else both


def _is_integer(run: Run, node: cst.BaseExpression) -> bool:
    """Whether an expression is an integer of Python for certain."""
    if isinstance(node, cst.Integer):
        return True
    value = run.values.get(node, UNKNOWN)
    return value.kind is Kind.SCALAR and value.dtype == "int" and not value.device


def _is_unit(node: cst.BaseExpression) -> bool:
    """Whether a factor is 0, 1 or -1."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, (cst.Minus, cst.Plus)):
        return _is_unit(node.expression)
    return isinstance(node, cst.Integer) and node.evaluated_value <= 1


def _is_ordered(comparison: cst.Comparison) -> bool:
    return any(isinstance(part.operator, ORDERED) for part in comparison.comparisons)


def _reached(name: str, updates: Mapping[str, list[_Update]]) -> set[str]:
    """The variables from which the next value of a variable is computed, also through others."""
    found, work = set[str](), [name]
    while work:
        for other in set[str]().union(*(one.occurrences for one in updates.get(work.pop(), ()))) - found:
            found.add(other)
            work.append(other)
    return found
