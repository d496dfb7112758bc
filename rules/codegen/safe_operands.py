"""Operations that may trap, made safe in the branch arm that is not selected.

`jnp.where(x > 0, jnp.sqrt(x), 0)` has the right value, but its derivative is NaN where `x` is 0: the derivative of the root is
infinite there, and is multiplied by 0. The operand of the root is therefore `jnp.where(x > 0, x, 1)`:
https://docs.jax.dev/en/latest/faq.html, "Gradients contain NaN where using where".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import libcst as cst

from ..context import Context
from ..core.trapping import SAFE_OPERANDS
from ..syntax import builders
from ..syntax.tree import walk

Block = list[Any]

ONE = frozenset("sqrt cbrt exp exp2 cosh reciprocal".split())  # the functions whose value for the safe operand is 1
MOST = 4  # the largest number of safe operands: with more, `lax.cond` reads better
QUOTIENTS = (cst.Divide, cst.FloorDivide, cst.Modulo)
QUOTIENTS_IN_PLACE = (cst.DivideAssign, cst.FloorDivideAssign, cst.ModuloAssign)


class SafeOperands(cst.CSTTransformer):
    """Replaces the operands of operations that may trap, and counts these. `taken`: the arm for a true test."""

    def __init__(self, ctx: Context, test: cst.BaseExpression, taken: bool, static: Collection[str]) -> None:
        super().__init__()
        self.ctx, self.test, self.taken, self.static = ctx, test, taken, static
        self.count = 0
        self.module = ctx.names.name_of("jax.numpy.x")[0].removesuffix(".x")

    def safe(self, argument: cst.BaseExpression, other: str) -> cst.BaseExpression:
        if isinstance(argument, (cst.Integer, cst.Float)) or self._known(argument):
            return argument
        self.count += 1
        if self._harmless(argument):
            return argument
        sides = [builders.bare(argument), cst.Integer(other)]
        where = builders.dotted(self.ctx.names.name_of("jax.numpy.where")[0])
        return builders.call(where, self.test.deep_clone(), *(sides if self.taken else reversed(sides)))

    def _harmless(self, node: cst.BaseExpression) -> bool:
        """Whether it is a call that returns 1 where its own operand is replaced."""
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)), args=[cst.Arg(value=cst.Call(args=[first, *_]))]):
                return name in ONE and first.value.deep_equals(self.test)
        return False

    def _known(self, node: cst.BaseExpression) -> bool:
        return self.ctx.flow.uses((node,))[0] <= set(self.static)

    def leave_BinaryOperation(self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation) -> cst.BaseExpression:
        if isinstance(updated_node.operator, QUOTIENTS):
            return updated_node.with_changes(right=self.safe(updated_node.right, "1"))
        if isinstance(updated_node.operator, cst.Power) and not isinstance(updated_node.right, cst.Integer):
            return updated_node.with_changes(left=self.safe(updated_node.left, "1"))
        return updated_node

    def leave_AugAssign(self, original_node: cst.AugAssign, updated_node: cst.AugAssign) -> cst.AugAssign:
        if isinstance(updated_node.operator, QUOTIENTS_IN_PLACE):
            return updated_node.with_changes(value=self.safe(updated_node.value, "1"))
        return updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        name = self._function(updated_node.func)
        if (found := SAFE_OPERANDS.get(name)) is None:
            return updated_node
        position, other = found
        args = list(updated_node.args)
        if position >= len(args) or any(a.star or a.keyword for a in args[: position + 1]):
            return updated_node
        args[position] = args[position].with_changes(value=self.safe(args[position].value, other))
        return updated_node.with_changes(args=args)

    def _function(self, func: cst.BaseExpression) -> str:
        """The JAX function that is called, `sqrt` or `linalg.norm`; "" for anything else."""
        text = cst.Module([]).code_for_node(func)
        return text.removeprefix(f"{self.module}.") if text.startswith(f"{self.module}.") else ""


def known_names(node: cst.CSTNode, ctx: Context) -> frozenset[str]:
    """The names in some code whose values are static wherever it reads them."""
    read = [part for part, _parent in walk(node) if type(part) is cst.Name]
    return frozenset(n.value for n in read) - {n.value for n in read if not ctx.is_static(n)}


def with_safe_operands(
    ctx: Context, test: cst.BaseExpression, yes: Block, no: Block, required: int
) -> tuple[Block, Block] | None:
    """Both arms with safe operands; None where that does not cover all of the `required` operations."""
    static = known_names(ctx.unit.definition, ctx) if ctx.unit.definition is not None else ()
    sides = SafeOperands(ctx, test, True, static), SafeOperands(ctx, test, False, static)
    made = [[s.visit(guard) for s in block] for guard, block in zip(sides, (yes, no), strict=True)]
    return (made[0], made[1]) if required <= sides[0].count + sides[1].count <= MOST else None
