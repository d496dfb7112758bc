"""The statements of a `while` on which alone its trip count depends: the slice of the loop for its test."""

from __future__ import annotations

import libcst as cst

from ...rules.syntax.comparisons import compared_numbers
from ...rules.syntax.tree import children, remembered, walk
from .names import bound_by, uses

ARITHMETIC = (cst.Name, cst.Integer, cst.Float, cst.BinaryOperation, cst.UnaryOperation)
TESTS = (cst.Comparison, cst.ComparisonTarget, cst.BooleanOperation)
NUMBERS = frozenset("abs float int max min".split())  # functions of numbers


@remembered
def trip_count_slice(loop: cst.While) -> tuple[cst.SimpleStatementLine, ...]:
    """The lines of the body of a loop that bind what its test reads: plain arithmetic of numbers in variables, once in each iteration
    that reaches the end of the body. Empty where other statements bind that, too, or where nothing does."""
    if not _is_arithmetic(loop.test, tests=True) or not isinstance(loop.body, cst.IndentedBlock):
        return ()
    lines = loop.body.body
    found: list[cst.BaseStatement] = []
    names = set(uses(loop.test)[0])
    while more := [line for line in lines if line not in found and not names.isdisjoint(bound_by(line))]:
        found += more
        for line in more:
            names |= uses(line)[0]
    steps = tuple(line for line in lines if isinstance(line, cst.SimpleStatementLine) and line in found)
    return steps if len(steps) == len(found) and all(map(_is_step, steps)) else ()


def numbers_of(loop: cst.While) -> frozenset[str]:
    """The variables that are numbers because the test of a loop compares them, or because such ones are computed from them."""
    found = {name.value for name in compared_numbers(loop.test)}
    for line in trip_count_slice(loop):
        for node, above in walk(line):
            if isinstance(node, cst.Name) and not isinstance(above, (cst.Attribute, cst.Call)):
                found.add(node.value)
    return frozenset(found)


def _is_arithmetic(node: cst.BaseExpression, tests: bool = False) -> bool:
    """Whether an expression is arithmetic of numbers in variables and of constants of modules. `tests`: or compares such."""
    match node:
        case cst.Attribute(value=cst.Name()):
            return True
        case cst.Call(func=cst.Name(value=name), args=args):
            return name in NUMBERS and all(arg.keyword is None and not arg.star and _is_arithmetic(arg.value) for arg in args)
    return isinstance(node, (*ARITHMETIC, *(TESTS if tests else ()))) and all(
        _is_arithmetic(child, tests) if isinstance(child, cst.BaseExpression) else isinstance(child, cst.ComparisonTarget)
        for child in children(node)
    )


def _is_step(line: cst.BaseStatement) -> bool:
    """Whether a line does nothing but bind a variable to a number."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value)]):
            return _is_arithmetic(value)
        case cst.SimpleStatementLine(body=[cst.AugAssign(target=cst.Name(), value=value)]):
            return _is_arithmetic(value)
    return False
