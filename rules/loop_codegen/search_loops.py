"""A loop that ends in the first iteration in which a test holds: whether there is one, and which; all tests are computed in
parallel."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ..codegen import select
from ..core.findings import Edit
from ..facts.parallel_loops import Reduction
from ..syntax import builders, loop_ranges
from .whole_array_parts import bound_to, line_of
from .whole_array_writer import WholeArrays


@dataclass(slots=True)
class Search:
    """Writes one such loop. `found`: whether there is such an iteration. `access_path`: the variable for its position, counted
    from 0."""

    arrays: WholeArrays
    reduction: Reduction
    found: cst.BaseExpression = field(default_factory=lambda: cst.Name("found"))
    access_path: str = ""

    def edits(self) -> dict[cst.CSTNode, Edit]:
        edits: dict[cst.CSTNode, Edit] = {self.reduction.whole: self._ended}
        returned = self.reduction.returned
        if returned is not None:
            assert returned.last is not None
            edits[returned.last] = self._result
        return edits

    def _ended(self, _made: cst.CSTNode) -> object:
        """What the `if` becomes: the position, and what the iteration there binds."""
        ctx, taken, returned = self.arrays.ctx, self.reduction.taken, self.reduction.returned
        assert self.reduction.test is not None
        test = builders.bare(ctx.rewritten(self.reduction.test))
        if not select.is_truth(self.reduction.test, ctx):
            test = cst.Comparison(builders.operand(test), [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])
        values = [value for _name, value in taken] if returned is None else [returned.inner[0].value]
        lines: list[cst.BaseSmallStatement] = []
        if any(value is not None and self._moves(value) for value in values):
            self.access_path = ctx.names.local("k", "place")
            hits = builders.call(self.arrays.name("jax.numpy.append"), test, cst.Name("True"))
            lines.append(bound_to(self.access_path, builders.call(self.arrays.name("jax.numpy.argmax"), hits)))
            low, high, _step = self.arrays.bounds(0)
            count = high if loop_ranges.is_zero(low) else loop_ranges.minus(high, low)
            self.found = cst.Comparison(cst.Name(self.access_path), [cst.ComparisonTarget(cst.LessThan(), count)])
        else:
            self.found = builders.call(self.arrays.name("jax.numpy.any"), test)
        if len(taken) > 1 or not (taken or lines):
            name = ctx.names.local("found", "any_turn")
            lines.append(bound_to(name, self.found))
            self.found = cst.Name(name)
        starts = {name: cst.Name("False" if name == self.reduction.flag else name) for name, _value in taken}
        lines += [bound_to(name, self._predicated(value, starts[name])) for name, value in taken]
        return cst.FlattenSentinel([line_of(line) for line in lines])

    def _result(self, made: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
        """What the function returns, in the loop or after it."""
        last, returned = made.body[-1], self.reduction.returned
        assert isinstance(last, cst.Return) and last.value is not None and returned is not None
        value = returned.inner[0].value
        assert value is not None
        return made.with_changes(body=[*made.body[:-1], cst.Return(builders.bare(self._predicated(value, last.value)))])

    def _predicated(self, value: cst.BaseExpression, other: cst.BaseExpression) -> cst.BaseExpression:
        """The value in that iteration where there is one, else `other`."""
        match value, other:
            case cst.Name(value="True"), cst.Name(value="False"):
                return self.found
            case cst.Name(value="False"), cst.Name(value="True"):
                return cst.UnaryOperation(cst.BitInvert(), builders.operand(self.found))
        return select.where(self.arrays.ctx, self.found, self._at(value) if self._moves(value) else value, other)

    def _moves(self, value: cst.BaseExpression) -> bool:
        """Whether a value varies from one iteration to the next."""
        moving = {*self.arrays.found.indices, *dict(self.arrays.found.rows)}
        return not moving.isdisjoint(builders.names(value))

    def _at(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """A value in the iteration that ends the loop."""
        arrays = self.arrays.found
        index = loop_ranges.added(self.arrays.bounds(0)[0], cst.Name(self.access_path))
        match value:
            case cst.Name(value=name) if name in arrays.indices:
                return index
            case cst.Name(value=name) if name in dict(arrays.rows):
                array = builders.operand(self.arrays.ctx.rewritten(dict(arrays.rows)[name]))
                return cst.Subscript(array, [cst.SubscriptElement(cst.Index(cst.Name(self.access_path)))])
            case cst.Subscript(value=array):
                return cst.Subscript(array, [cst.SubscriptElement(cst.Index(index))])
            case cst.BinaryOperation(left=left, right=right):
                first = self._at(left)
                if not isinstance(value.operator, (cst.Add, cst.Subtract)):
                    first = _operand(first)
                return value.with_changes(left=first, right=_operand(self._at(right)))
            case cst.UnaryOperation(expression=inner):
                return value.with_changes(expression=_operand(self._at(inner)))
        return value


def _operand(node: cst.BaseExpression) -> cst.BaseExpression:
    return builders.operand(node) if isinstance(node, cst.BinaryOperation) else node
