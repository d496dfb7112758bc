"""What a variable is bound to before a loop: by the statement that binds it last in the block of the loop, or in a block around that, or by the
caller."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..dtypes.possible_dtypes import bound_names, parameters
from ..syntax.tree import assigned_values, mentions, walk

NUMBERS = ("builtins.int", "builtins.float", "builtins.complex")
PASSED = (cst.If, cst.Else, cst.For, cst.While)  # in which the value from before them arrives, at least once


def start_of(name: str, node: cst.For | cst.While, ctx: Context) -> cst.BaseExpression | None:
    """The value with which a loop may start; for a parameter its annotation, where that is one of `NUMBERS`, or a read of it. None where that
    is not known."""
    at: cst.CSTNode | None = node
    while at is not None:
        block = ctx.parent(at)
        before = list(getattr(block, "body", ()))
        before = before[: next((k for k, each in enumerate(before) if each is at), 0)]
        match next((statement for statement in reversed(before) if binds(statement, name)), None):
            case None if isinstance(ctx.parent(block) if block is not None else None, cst.FunctionDef):
                return _of_argument(name, node, ctx)
            case None:
                at = _statement_around(block, ctx)
            case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
                return next((start for bound, start in assigned_values(target, value) if bound == name), None)
            case _:
                return None
    return None


def _of_argument(name: str, node: cst.For | cst.While, ctx: Context) -> cst.BaseExpression | None:
    owner = ctx.unit.definition
    if not isinstance(owner, cst.FunctionDef) or name not in (given := parameters(owner)):
        return None
    every = (*owner.params.posonly_params, *owner.params.params, *owner.params.kwonly_params)
    annotation = next((each.annotation for each in every if each.name.value == name), None)
    if annotation is not None and ctx.qualname(annotation.annotation) in NUMBERS:
        return annotation.annotation
    if ctx.value(given[name]).dtype:
        return given[name]
    return next(
        (n for n, above in mentions(node, name) if isinstance(n, cst.Name) and not isinstance(above, cst.AssignTarget)), None
    )


def _statement_around(block: cst.CSTNode | None, ctx: Context) -> cst.CSTNode | None:
    """The statement to which a block belongs, whose own block may bind the variable."""
    above = ctx.parent(block) if isinstance(block, cst.IndentedBlock) else None
    while isinstance(above, cst.Else) or (isinstance(above, cst.If) and isinstance(ctx.parent(above), cst.If)):
        above = ctx.parent(above)
    return above if isinstance(above, PASSED) else None


def binds(statement: cst.CSTNode, name: str) -> bool:
    """Whether a statement, or one in it, binds a variable."""
    for node, _above in walk(statement):
        match node:
            case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                pass
            case cst.For(target=target) | cst.NamedExpr(target=target) | cst.AsName(name=target):
                pass
            case _:
                continue
        if name in bound_names(target):
            return True
    return False
