"""The body of a function as statements of another one: a variable takes what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from ...rules.syntax import builders
from ..syntax.source import walk


class NotStructured(Exception):
    """A function that may return from the middle of its body."""


def without_returns(
    body: Sequence[cst.BaseStatement], name: Callable[[], str]
) -> tuple[list[cst.BaseStatement], cst.BaseExpression | None]:
    """The statements, and the expression for the result; `name` makes the variable for several results. None if it returns
    nothing.

    Raises:
        NotStructured: a loop returns, or what follows a branch would have to stand in both.
    """
    if not any(_returns(statement) for statement in body):
        return list(body), None
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine) and not any(_returns(s) for s in body[:-1]):
        final = last.body[-1]
        if isinstance(final, cst.Return):
            ahead = [last.with_changes(body=last.body[:-1])] if len(last.body) > 1 else []
            return [*body[:-1], *ahead], final.value
    values = [n.value for s in body for n, _p in walk(s) if isinstance(n, cst.Return)]
    if all(value is None for value in values):
        return _tail(body, None), None
    if any(value is None for value in values) or falls(body):
        raise NotStructured
    made = name()
    return _tail(body, made), cst.Name(made)


def falls(body: Sequence[cst.BaseStatement]) -> bool:
    """Whether the end of a block may be reached."""
    for statement in body:
        match statement:
            case cst.SimpleStatementLine(body=parts) if any(isinstance(p, cst.Return) for p in parts):
                return False
            case cst.If(body=then, orelse=orelse) if orelse is not None:
                if not falls(builders.lines(then)) and not falls(_else(orelse)):
                    return False
    return True


def _tail(body: Sequence[cst.BaseStatement], name: str | None) -> list[cst.BaseStatement]:
    found: list[cst.BaseStatement] = []
    for position, statement in enumerate(body):
        rest = list(body[position + 1 :])
        if not _returns(statement):
            found.append(statement)
            continue
        match statement:
            case cst.SimpleStatementLine(body=parts):
                final = parts[-1]
                if not isinstance(final, cst.Return):
                    raise NotStructured
                ends: list[cst.BaseSmallStatement] = list(parts[:-1])
                if name is not None and final.value is not None:
                    ends += builders.assigned((name,), final.value).body
                made = [statement.with_changes(body=[p]) for p in ends]
                return [*found, *made]
            case cst.If(body=then, orelse=orelse):
                first, other = builders.lines(then), [] if orelse is None else _else(orelse)
                if falls(first) and falls(other) and rest:
                    raise NotStructured
                first = _tail([*first, *rest] if falls(first) else first, name)
                other = _tail([*other, *rest] if falls(other) else other, name)
                return [*found, *_branch(statement, first, other)]
            case _:
                raise NotStructured
    return found


def _branch(statement: cst.If, first: Sequence[cst.BaseStatement], other: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    if not first and not other:
        return []
    if not first:
        test = cst.UnaryOperation(cst.Not(), builders.operand(builders.bare(statement.test)))
        return [statement.with_changes(test=test, body=cst.IndentedBlock(other), orelse=None)]
    orelse = cst.Else(cst.IndentedBlock(other)) if other else None
    return [statement.with_changes(body=cst.IndentedBlock(first), orelse=orelse)]


def _else(orelse: cst.If | cst.Else) -> list[cst.BaseStatement]:
    return [orelse] if isinstance(orelse, cst.If) else builders.lines(orelse.body)


def _returns(statement: cst.BaseStatement) -> bool:
    return any(isinstance(n, cst.Return) for n, _parent in walk(statement))
