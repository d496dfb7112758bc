"""Tests with a static and a traced part: `limit is not None and norm > limit`, `verbose or x.max() > 1`.

Python decides the static part, and JAX the rest: the branch becomes two nested ones, so that nothing is traced for a case that
does not occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..syntax import builders
from ..syntax.comparisons import chain, tests_flag
from . import select


class Parts(NamedTuple):
    """The (original) operands of a chain of `and` or of `or`: the static ones, and the traced ones. `moved`: some of the static ones
    follow a traced one.

    The properties, which are made of rewritten operands, are for edits only.
    """

    ctx: Context
    operator: cst.And | cst.Or
    known: Sequence[cst.BaseExpression]
    traced: Sequence[cst.BaseExpression]
    moved: bool = False

    @property
    def first(self) -> cst.BaseExpression:
        """The static part of the test."""
        return self._joined(map(self.ctx.rewritten, self.known))

    @property
    def truth(self) -> cst.BaseExpression:
        """The whole test as a bool, of Python or of JAX."""
        return self._joined(
            [*(select.python_truth(part, self.ctx.rewritten(part), self.ctx) for part in self.known), self._right]
        )

    def _joined(self, parts: Iterable[cst.BaseExpression]) -> cst.BaseExpression:
        return reduce(lambda a, b: cst.BooleanOperation(a, self.operator, b), parts)

    @property
    def rest(self) -> cst.BaseExpression:
        """The traced part of the test."""
        made = [self.ctx.rewritten(part) for part in self.traced]
        if len(made) == 1:
            return builders.bare(made[0])
        operator: cst.BaseBinaryOp = cst.BitAnd() if isinstance(self.operator, cst.And) else cst.BitOr()
        sides = [select.bitwise_operand(part, operator) for part in made]
        return reduce(lambda a, b: cst.BinaryOperation(a, operator, b), sides)

    @property
    def whole(self) -> cst.BaseExpression:
        """`first and rest`."""
        return cst.BooleanOperation(self.first, self.operator, self._right)

    @property
    def _right(self) -> cst.BaseExpression:
        """The traced part as an operand of `and` or `or`."""
        rest = self.rest
        return builders.operand(rest) if isinstance(rest, (cst.BooleanOperation, cst.IfExp)) else rest


def parts(test: cst.BaseExpression, ctx: Context) -> Parts | None:
    """The static part of an original test, and the traced rest; None if either is empty."""
    if not isinstance(test, cst.BooleanOperation) or not ctx.builtins.logical(test):
        return None
    operands = chain(test)
    count = next((k for k, operand in enumerate(operands) if not ctx.is_static(operand)), len(operands))
    flags = [operand for operand in operands[count:] if ctx.is_static(operand) and tests_flag(operand)]
    known = [*operands[:count], *flags]
    if not 0 < len(known) < len(operands):
        return None
    assert isinstance(test.operator, (cst.And, cst.Or))
    return Parts(ctx, test.operator, known, [operand for operand in operands if operand not in known], bool(flags))


def may_be_known(test: cst.BaseExpression, ctx: Context) -> bool:
    """Whether the rewritten test may be a Python bool, for some static values."""
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return may_be_known(inner, ctx)
        case cst.BooleanOperation(left=left, right=right):
            return parts(test, ctx) is not None or (may_be_known(left, ctx) and may_be_known(right, ctx))
    return not ctx.host.is_device(test)


def within(node: cst.BooleanOperation, ctx: Context) -> bool:
    """Whether a chain is the left operand of a longer one."""
    above = ctx.parent(node)
    return isinstance(above, cst.BooleanOperation) and above.left is node and type(above.operator) is type(node.operator)


def nested(
    found: Parts, selected: Sequence[cst.BaseStatement], body: Sequence[cst.BaseStatement], other: Sequence[cst.BaseStatement]
) -> cst.If:
    """An `if` on the static part. `selected`: the select on the rest; `body` and `other`: the arms of the original branch."""
    if isinstance(found.operator, cst.And):
        yes, no = selected, other
    else:
        yes, no = body, selected
    last = cst.Else(cst.IndentedBlock([s.deep_clone() for s in opened(no)])) if no else None
    return cst.If(found.first, cst.IndentedBlock([s.deep_clone() for s in opened(yes)]), last)


def opened(block: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """A block as the body of a function or a branch, without an empty line above its first statement."""
    if not block:
        return []
    kept = [x for x in leading(block[0]) if x.comment is not None]
    return [block[0].with_changes(leading_lines=kept), *block[1:]]


def leading(statement: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    """The lines above a statement."""
    return statement.leading_lines if isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement)) else ()
