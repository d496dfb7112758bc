"""`best = None` before a loop that searches: a flag records whether something was found, and `best` is a number in the loop."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Edit, Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from .form import Body, DesugaredStatement


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Name(value="None"))]
        ) if name not in body.captured:
            loop = body.loop_after(statement, name)
        case _:
            return None
    if loop is None:
        return None
    bound: list[cst.Assign] = []
    asked: list[cst.Comparison] = []
    for node in body.source.among(loop, cst.Name):
        if node.value != name:
            continue
        match body.source.parents[node]:
            case cst.AssignTarget() as target if _takes_number(made := body.source.parents[target], body):
                assert isinstance(made, cst.Assign)
                bound.append(made)
            case cst.Comparison() as comparison if _asks_for_none(comparison) and comparison.left is node:
                asked.append(comparison)
            case _ if not _is_guarded(node, name, body):
                return None
    start = _start(bound, body)
    if start is None:
        return None
    flag = body.fresh(f"{name}_found")

    def started(made: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        number = builders.assigned((name,), start)
        return cst.FlattenSentinel(
            [builders.assigned((flag,), cst.Name("False")).with_changes(leading_lines=made.leading_lines), number]
        )

    def ended(made: cst.For | cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        nothing = cst.If(_not(flag), cst.IndentedBlock([builders.assigned((name,), cst.Name("None"))]))
        return cst.FlattenSentinel([made, nothing])

    def found(made: cst.Assign) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
        return cst.FlattenSentinel([made, builders.assigned((flag,), cst.Name("True")).body[0]])

    def told(made: cst.Comparison) -> cst.BaseExpression:
        inside = isinstance(made.comparisons[0].operator, cst.IsNot)
        return (cst.Name(flag) if inside else _not(flag)).with_changes(lpar=made.lpar, rpar=made.rpar)

    edits: dict[cst.CSTNode, Edit] = {statement: started, loop: ended}
    edits.update(dict.fromkeys(bound, found))
    edits.update(dict.fromkeys(asked, told))
    return DesugaredStatement(f"the `None` that `{name}` starts with", edits)


def _not(flag: str) -> cst.UnaryOperation:
    return cst.UnaryOperation(cst.Not(), cst.Name(flag))


def _takes_number(made: cst.CSTNode | None, body: Body) -> bool:
    """Whether an assignment binds only one variable, and binds it to a scalar."""
    return isinstance(made, cst.Assign) and len(made.targets) == 1 and body.values.get(made.value, UNKNOWN).kind is Kind.SCALAR


def _start(bound: Sequence[cst.Assign], body: Body) -> cst.Integer | cst.Float | None:
    """A placeholder of the dtype that the variable gets; None if the dtype is unknown."""
    known = {category(body.values.get(made.value, UNKNOWN).dtype) for made in bound}
    return cst.Integer("0") if known == {1} else cst.Float("0.0") if known == {2} else None


def _asks_for_none(node: cst.Comparison) -> bool:
    match node.comparisons:
        case [cst.ComparisonTarget(operator=cst.Is() | cst.IsNot(), comparator=cst.Name(value="None"))]:
            return True
    return False


def _is_guarded(node: cst.Name, name: str, body: Body) -> bool:
    """Whether a comparison of the variable is guarded by a test that it is not None: `best is None or d < best`."""
    comparison = body.source.parents[node]
    if isinstance(comparison, cst.ComparisonTarget):
        comparison = body.source.parents[comparison]
    above = body.source.parents[comparison] if isinstance(comparison, cst.Comparison) else None
    match above:
        case cst.BooleanOperation(left=cst.Comparison(left=cst.Name(value=asked)) as left, operator=operator, right=right):
            kind = cst.Is if isinstance(operator, cst.Or) else cst.IsNot
            return (
                asked == name and right is comparison and _asks_for_none(left) and isinstance(left.comparisons[0].operator, kind)
            )
    return False


__all__ = ["desugar"]
