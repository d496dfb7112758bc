"""`continue`: the rest of the iteration moves into the other arm of the branch."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from .....rules.core.dtypes import category
from .....rules.facts.values import UNKNOWN
from .....rules.syntax import builders
from .....rules.syntax.comparisons import OPPOSITE_ORDERS
from ....analysis.branches.branch_arms import jumps
from ....syntax import liveness
from ..form import Body, DesugaredStatement

Lines = Sequence[cst.BaseStatement]
OPPOSITE: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
}


class _Unclear(Exception):
    """The rest of the iteration would have to be duplicated, or `continue` stands in another kind of block."""


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if (
        not isinstance(statement, (cst.For, cst.While))
        or statement.orelse is not None
        or cst.Continue not in jumps(statement.body)
    ):
        return None
    if jumps(statement.body) & {cst.Break, cst.Return}:
        return None  # it may end early in other ways
    try:
        lines = _without(builders.lines(statement.body), (), body)
    except _Unclear:
        return None
    after = statement.body.with_changes(body=lines or [cst.SimpleStatementLine([cst.Pass()])])
    return DesugaredStatement("`continue`", {statement: lambda made: made.with_changes(body=after)})


def _without(lines: Lines, rest: Lines, body: Body) -> list[cst.BaseStatement]:
    """The statements without `continue`, with `rest` appended where control reaches their end."""
    for position, line in enumerate(lines):
        before, after = list(lines[:position]), [*lines[position + 1 :], *rest]
        match line:
            case _ if cst.Continue not in jumps(line):
                continue
            case cst.SimpleStatementLine(body=[*parts, cst.Continue()]):
                return [*before, *([line.with_changes(body=parts)] if parts else [])]
            case cst.If():
                return [*before, *_branch(line, after, body)]
        raise _Unclear
    return [*lines, *rest]


def _branch(made: cst.If, after: Lines, body: Body) -> list[cst.BaseStatement]:
    """A branch with arms that end the iteration; `after` is what follows the arms that do not."""
    other: Lines = (
        [] if made.orelse is None else [made.orelse] if isinstance(made.orelse, cst.If) else builders.lines(made.orelse.body)
    )
    own = builders.lines(made.body)
    if after and all(liveness.falls_through(cst.IndentedBlock(arm)) for arm in (own, other)):
        raise _Unclear
    yes, no = (_without(arm, after if liveness.falls_through(cst.IndentedBlock(arm)) else (), body) for arm in (own, other))
    if not yes and not no:
        return []
    if not yes and (test := _opposite(made.test, body)) is not None:
        return [made.with_changes(test=test, body=cst.IndentedBlock(no), orelse=None)]
    chain = no[0] if len(no) == 1 and isinstance(no[0], cst.If) and not no[0].leading_lines else None
    orelse = chain or (cst.Else(cst.IndentedBlock(no)) if no else None)
    return [made.with_changes(body=cst.IndentedBlock(yes or [cst.SimpleStatementLine([cst.Pass()])]), orelse=orelse)]


def _opposite(test: cst.BaseExpression, body: Body) -> cst.BaseExpression | None:
    """The negation of a test, without a leading `not`; None if it needs one."""
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return inner
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right) as target]):
            numbers = all(category(body.values.get(arm, UNKNOWN).dtype) in (0, 1) for arm in (left, right))
            opposite = {**OPPOSITE, **(OPPOSITE_ORDERS if numbers else {})}.get(type(operator))
            if opposite is not None:
                return test.with_changes(comparisons=[target.with_changes(operator=opposite())])
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            one, two = _opposite(left, body), _opposite(right, body)
            if one is not None and two is not None:
                other = cst.Or() if isinstance(operator, cst.And) else cst.And()
                return cst.BooleanOperation(_bool_operand(one, other), other, _bool_operand(two, other))
    return None


def _bool_operand(arm: cst.BaseExpression, operator: cst.BaseBooleanOp) -> cst.BaseExpression:
    """An operand of `and` or `or`, in parentheses if it is an operation of the other kind."""
    same = not isinstance(arm, cst.BooleanOperation) or type(arm.operator) is type(operator)
    return arm if same or arm.lpar else arm.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


__all__ = ["desugar"]
