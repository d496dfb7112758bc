"""`for i in range(n): ...; if i % 100 == 0: print(loss)`: an outer loop stays Python and prints; an inner one runs the iterations up to the
next time, and may be compiled.

    start = 0
    while start < n:
        stop = min(start + -start % 100 + 1, n)
        for i in range(start, stop):
            ...
        i = stop - 1
        if i % 100 == 0:
            print(loss)
        start = stop
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Edit, Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax import builders
from ....rules.syntax.comparisons import conjuncts
from ....rules.syntax.source_text import code
from ...analysis.branches.branch_arms import jumps
from ...syntax.names import bound_by, collect, uses
from .form import Body, DesugaredStatement, with_comments
from .growing_lists import with_arrays
from .list_growth import fills_lists
from .list_items import NUMBERS, category_of
from .number_updates import number_updates


class _Period(NamedTuple):
    """A condition that holds for the indices with `(index + shift) % period == 0`. `literal`: the period is a number in the text."""

    period: cst.BaseExpression
    shift: int
    literal: bool


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.For(target=cst.Name(value=index), body=cst.IndentedBlock(body=lines), orelse=None, asynchronous=None):
            pass
        case _:
            return None
    space = body.scopes.iteration_space(statement)
    periodic = _periodic(lines, index, statement, body)
    if (
        periodic is None
        or not space.is_range
        or space.step is not None
        or space.stop is None
        or index in bound_by(statement.body)
    ):
        return None
    line, period = periodic
    place = next(k for k, each in enumerate(lines) if each is line)
    if jumps(statement.body) or not _may_run_last(line, lines[place + 1 :], body):
        return None
    if any(fills_lists(each, body) for each in lines if each is not line):
        return with_arrays(statement, body, apart=line)
    start, stop = body.fresh("start", f"{index}_start"), body.fresh("stop", f"{index}_stop")
    first, last = (space.bounds[0] if len(space.bounds) > 1 else cst.Integer("0")), space.stop
    known = all(_is_constant(bound, statement) and _is_integer(bound, body) for bound in (first, last))
    end = last if known else cst.Name(body.fresh("end", f"{index}_end"))
    through = "" if known else body.fresh("iterations", f"{index}_iterations")
    first_values = _placeholders(line, statement, body)
    counts = index in uses(line)[0] | body.live.after[statement]
    step = period.period if period.literal else cst.Name(body.fresh("period", f"{index}_period"))

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        before = [builders.assigned((start,), first.deep_clone())]
        if isinstance(end, cst.Name) and through:  # the bounds as integers of Python, which the index is, too
            before = [builders.assigned((through,), made.iter)]
            before += [
                builders.assigned((n,), builders.dotted(f"{through}.{of}")) for n, of in ((start, "start"), (end.value, "stop"))
            ]
        if isinstance(step, cst.Name) and not period.literal:
            size = builders.call(cst.Name("abs"), period.period.deep_clone())
            before.append(builders.assigned((step.value,), builders.call(cst.Name("max"), size, cst.Integer("1"))))
        inner = made.with_changes(
            iter=builders.call(cst.Name("range"), cst.Name(start), cst.Name(stop)),
            body=made.body.with_changes(body=[each for k, each in enumerate(builders.lines(made.body)) if k != place]),
            leading_lines=(),
        )
        reported = builders.lines(made.body)[place]
        starts = [builders.assigned((name,), value) for name, value in first_values.items()]
        at = builders.assigned((index,), cst.BinaryOperation(cst.Name(stop), cst.Subtract(), cst.Integer("1")))
        until = builders.assigned((stop,), _next(start, step, period.shift, end))
        body_of_outer = [until, *starts, inner, *([at] if counts else []), reported]
        outer = cst.While(
            cst.Comparison(cst.Name(start), [cst.ComparisonTarget(cst.LessThan(), end.deep_clone())]),
            cst.IndentedBlock([*body_of_outer, builders.assigned((start,), cst.Name(stop))]),
        )
        return with_comments([*before, outer], made)

    edits: dict[cst.CSTNode, Edit] = {statement: edit, **number_updates(statement, body)}
    return DesugaredStatement("statements that run now and then", edits, apart=True)


def _next(start: str, period: cst.BaseExpression, shift: int, end: cst.BaseExpression) -> cst.BaseExpression:
    """The index behind the next one, from a start on, for which the condition holds, and at most the end."""
    left: cst.BaseExpression = cst.UnaryOperation(cst.Minus(), cst.Name(start))
    if shift:
        moved = cst.BinaryOperation(cst.Name(start), cst.Add() if shift > 0 else cst.Subtract(), cst.Integer(str(abs(shift))))
        left = cst.UnaryOperation(cst.Minus(), builders.operand(moved))
    ahead = cst.BinaryOperation(left, cst.Modulo(), period.deep_clone())
    until = cst.BinaryOperation(cst.BinaryOperation(cst.Name(start), cst.Add(), ahead), cst.Add(), cst.Integer("1"))
    return builders.call(cst.Name("min"), until, end.deep_clone())


def _periodic(lines: Sequence[cst.BaseStatement], index: str, loop: cst.For, body: Body) -> tuple[cst.If, _Period] | None:
    """The statement that contains all that jit cannot compile of a loop, if it runs now and then."""
    impure = [node for node in body.impure if body.source.inside(node, loop.body)]
    for line in lines:
        if isinstance(line, cst.If) and line.orelse is None and impure and all(body.source.inside(n, line) for n in impure):
            for part in conjuncts(line.test):
                if (found := _period(part, index, loop, body)) is not None:
                    return line, found
    return None


def _period(test: cst.BaseExpression, index: str, loop: cst.For, body: Body) -> _Period | None:
    """`i % 100 == 0`, `not i % 100`, `(i + 1) % every == 0`."""
    match test:
        case cst.Comparison(
            left=cst.BinaryOperation(left=shifted, operator=cst.Modulo(), right=period),
            comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=cst.Integer() as rest)],
        ):
            remainder = integer(rest)
        case cst.UnaryOperation(
            operator=cst.Not(), expression=cst.BinaryOperation(left=shifted, operator=cst.Modulo(), right=period)
        ):
            remainder = 0
        case _:
            return None
    shift = _shift(shifted, index)
    number = integer(period)
    if shift is None or remainder is None:
        return None
    if number is not None:
        return _Period(period, shift - remainder, True) if number > 0 and 0 <= remainder < number else None
    whole = remainder == 0 and _is_constant(period, loop) and _is_integer(period, body)
    return _Period(period, shift, False) if whole else None


def _shift(node: cst.BaseExpression, index: str) -> int | None:
    match node:
        case cst.Name(value=name) if name == index:
            return 0
        case cst.BinaryOperation(
            left=cst.Name(value=name), operator=cst.Add() | cst.Subtract() as operator, right=cst.Integer() as by
        ):
            number = integer(by)
            return None if name != index or number is None else number if isinstance(operator, cst.Add) else -number
    return None


def _placeholders(line: cst.If, loop: cst.For, body: Body) -> dict[str, cst.BaseExpression]:
    """Numbers that variables hold before the first iteration, which binds them: a loop that is compiled has to return something."""
    needed = (uses(line)[0] | body.live.after[loop]) & bound_by(loop.body) - body.live.before[loop]
    found: dict[str, cst.BaseExpression] = {}
    for node in body.source.among(loop.body, cst.Name):
        if node.value in needed - found.keys() and (value := _value(node, loop, body)) is not None:
            number = category_of(node, value, loop, body)
            if number is not None:
                found[node.value] = cst.parse_expression(NUMBERS[number])
    return found


def _value(node: cst.Name, loop: cst.For, body: Body) -> Value | None:
    """What is known of a variable: of one that another form made, what is known of the expression that the loop binds to it."""
    if node in body.values:
        return body.values[node]
    bound = [body.source.parents[n] for n in body.source.among(loop.body, cst.AssignTarget) if code(n.target) == node.value]
    return body.values.get(bound[0].value) if len(bound) == 1 and isinstance(bound[0], cst.Assign) else None


def _is_constant(node: cst.BaseExpression, loop: cst.For) -> bool:
    """Whether an expression is a number, or a variable that the loop does not bind."""
    return isinstance(node, cst.Integer) or (isinstance(node, cst.Name) and node.value not in bound_by(loop))


def _is_integer(node: cst.BaseExpression, body: Body) -> bool:
    return isinstance(node, cst.Integer) or body.values.get(node, UNKNOWN).dtype == "int"


def _may_run_last(line: cst.If, after: Sequence[cst.BaseStatement], body: Body) -> bool:
    """Whether a statement may run at the end of an iteration: the lines after it change nothing that it reads, and read nothing that it
    binds."""
    read, bound = uses(line)
    names = collect(after)
    if not (read | bound).isdisjoint(names.bound) or not bound.isdisjoint(names.read):
        return False
    stored: list[cst.BaseExpression] = [n.target for each in after for n in body.source.among(each, cst.AssignTarget)]
    stored += [node.target for each in after for node in body.source.among(each, cst.AugAssign)]
    stored += [node.value for each in after for node in body.source.among(each, cst.Expr)]
    targets = [target for target in stored if not isinstance(target, cst.Name)]
    numbers = (body.values.get(node, UNKNOWN).kind for node in body.source.among(line, cst.Name) if node.value in read)
    return not targets or all(kind in (Kind.SCALAR, Kind.FUNCTION, Kind.MODULE) for kind in numbers)


__all__ = ["desugar"]
