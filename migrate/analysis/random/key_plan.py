"""Syntax that the planning of keys needs: blocks, targets, and clauses of comprehensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

Statement = cst.BaseStatement | cst.BaseSmallStatement
COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def statements_of(body: cst.BaseSuite | Sequence[Statement]) -> Sequence[Statement] | None:
    """The statements of a block; None if it is on the line of its header."""
    if isinstance(body, cst.IndentedBlock):
        return body.body
    return None if isinstance(body, cst.BaseSuite) else body


def bound_names(target: cst.BaseExpression) -> set[str]:
    """The names that a target binds."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return {name for e in target.elements for name in bound_names(e.value)}
    return {target.value} if isinstance(target, cst.Name) else set()


def clauses_of(clause: cst.CompFor | None) -> Iterator[cst.CompFor]:
    while clause is not None:
        yield clause
        clause = clause.inner_for_in


def suites(statement: cst.CSTNode) -> Iterator[tuple[cst.BaseSuite, bool]]:
    """The blocks of a compound statement, and whether a block is a loop's."""
    match statement:
        case cst.For() | cst.While():
            yield statement.body, True
        case cst.If() | cst.With() | cst.Try() | cst.TryStar() | cst.Else() | cst.Finally():
            yield statement.body, False
        case cst.ExceptHandler() | cst.ExceptStarHandler() | cst.MatchCase() | cst.ClassDef():
            yield statement.body, False
    others: Iterable[cst.CSTNode | None] = ()
    match statement:
        case cst.If() | cst.For() | cst.While():
            others = (statement.orelse,)
        case cst.Try() | cst.TryStar():
            others = (*statement.handlers, statement.orelse, statement.finalbody)
        case cst.Match():
            others = statement.cases
    for other in others:
        if other is not None:
            yield from suites(other)
