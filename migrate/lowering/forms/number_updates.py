"""`total = 0.0` and `total += step` in a loop: `total = total + step`, which changes no array in place, whatever `step` is."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules.core.findings import Edit, Kind
from ....rules.facts.values import UNKNOWN
from ...syntax.updates import not_in_place
from .form import Body

OPERANDS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget, cst.FormattedStringExpression)
NUMBERS = (cst.Integer, cst.Float)


def number_updates(loop: cst.For, body: Body) -> Mapping[cst.CSTNode, Edit]:
    """The edits of updates of numbers, and of variables that start as numbers before a loop and may be arrays after an iteration. Nothing
    else holds these: the loop only computes with them."""
    starts = {name for line in body.before(loop) if (name := _number_started(line))}
    targets = {node: node.target for node in body.source.among(loop.body, cst.AugAssign) if isinstance(node.target, cst.Name)}
    kinds = {target.value: body.values.get(target, UNKNOWN).kind for target in targets.values()}
    numbers = {name for name, kind in kinds.items() if kind is Kind.SCALAR}
    mentions = [node for node in body.source.among(loop.body, cst.Name) if kinds.get(node.value) is Kind.UNKNOWN]
    held = {node.value for node in mentions if not isinstance(body.source.parents[node], (*OPERANDS, cst.AugAssign))}
    numbers |= {node.value for node in mentions if node.value in starts} - held - body.captured
    return {node: not_in_place for node, target in targets.items() if target.value in numbers}


def _number_started(line: cst.CSTNode) -> str:
    """The variable that a line binds to a literal number, "" for other lines."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]):
            return name if isinstance(value, NUMBERS) else ""
    return ""
