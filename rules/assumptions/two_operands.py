"""Operations of two operands: an operator, its augmented assignment, and the functions that do the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind

Check = Callable[[cst.CSTNode, cst.BaseExpression, cst.BaseExpression, Context], Iterator[Assumption]]


def on_operands(
    kind: ConditionKind, operators: tuple[type[cst.CSTNode], ...], functions: Collection[str]
) -> Callable[[Check], Check]:
    """Register a check that gets the operation and its operands. `operators`: with those of augmented assignments."""

    def register(check: Check) -> Check:
        @kind.on(cst.BinaryOperation)
        def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Assumption]:
            if isinstance(node.operator, operators):
                yield from check(node, node.left, node.right, ctx)

        @kind.on(cst.AugAssign)
        def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
            if isinstance(node.operator, operators):
                yield from check(node, node.target, node.value, ctx)

        @kind.on(cst.Call)
        def function(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
            if ctx.qualname(node.func) in functions and len(node.args) >= 2 and not ctx.host.on_host(node):
                yield from check(node, node.args[0].value, node.args[1].value, ctx)

        return check

    return register
