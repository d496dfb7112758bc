"""Calls that return a key that nothing reads: their results without it."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..facts.function_plan import FunctionPlan


def leaves(node: cst.Call, plan: FunctionPlan, ctx: Context) -> bool:
    """Whether a call returns a key that nothing reads, in a result that is used."""
    unused = ctx.plan.refused != "" or not ctx.random.seeds(node)
    return unused and plan.random.gives != "" and plan.results > 0 and not isinstance(ctx.parent(node), cst.Expr)


def unpacked(node: cst.Call, plan: FunctionPlan, ctx: Context) -> cst.Tuple | None:
    """The target into which the results of a call are unpacked one by one, and which can take one more; None otherwise."""
    match ctx.parent(node):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements) as target)]):
            if plan.results == len(elements) and all(isinstance(e, cst.Element) for e in elements):
                return target
    return None


def without_key(made: cst.BaseExpression, plan: FunctionPlan) -> cst.BaseExpression:
    """`f(x)[0]`, or `f(x)[:-1]` for several results."""
    part = cst.parse_expression("x[0]" if plan.results == 1 else "x[:-1]")
    return cst.ensure_type(part, cst.Subscript).with_changes(value=made)
