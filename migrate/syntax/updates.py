"""Statements that compute a variable from its own value: `t += dt`, and `t = t + dt`."""

from __future__ import annotations

import libcst as cst

from ...rules.syntax import builders


def updated(line: cst.CSTNode) -> tuple[str, type[cst.BaseBinaryOp], cst.BaseExpression] | None:
    """The variable that a line updates, the operator and the right operand; None if it does anything else."""
    match line:
        case cst.SimpleStatementLine(body=[cst.AugAssign(target=cst.Name(value=name), operator=operator, value=by)]):
            return name, builders.BINARY[type(operator)], by
        case cst.SimpleStatementLine(
            body=[
                cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Name(value=name))],
                    value=cst.BinaryOperation(left=cst.Name(value=same), operator=operator, right=by),
                )
            ]
        ) if name == same:
            return name, type(operator), by
    return None


def not_in_place(update: cst.AugAssign) -> cst.Assign:
    """`t = t + dt` for `t += dt`, which would change an array in place."""
    operator = builders.BINARY[type(update.operator)]()
    value = cst.BinaryOperation(cst.ensure_type(update.target, cst.Name), operator, builders.operand(update.value))
    return cst.Assign([cst.AssignTarget(update.target)], value)
