"""Reductions: sums, products, maxima and minima over iterations; and searches for the first iteration in which a test holds."""

from __future__ import annotations

import libcst as cst

from ....rules.core.dtypes import category, is_weak
from ....rules.core.findings import Kind
from ....rules.facts.parallel_loops import FIRST, Reduction
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ...syntax.break_statements import flagged_by
from ...syntax.reaching_definitions import definitions_enclosing
from ...syntax.source import walk
from ..branches import speculation
from .elementwise import Elementwise

WIDE = ("int64", "float64", "complex128")
SUM, PRODUCT, MOST, LEAST, STACK = "sum", "prod", "max", "min", "stack"
AUGMENTED: dict[type[cst.BaseAugOp], str] = {cst.AddAssign: SUM, cst.SubtractAssign: SUM, cst.MultiplyAssign: PRODUCT}
OPERATORS: dict[type[cst.BaseBinaryOp], str] = {cst.Add: SUM, cst.Subtract: SUM, cst.Multiply: PRODUCT}
EXTREMA = {"numpy.maximum": MOST, "numpy.minimum": LEAST, "builtins.max": MOST, "builtins.min": LEAST}


class Reductions(Elementwise):
    """Recognises the statements of an iteration that are reductions."""

    def _first(self, statement: cst.CSTNode) -> Reduction | None:
        """`if test: found = i; break` at the end of an iteration: what is bound, or returned, by the first iteration in which a
        test of elements of arrays holds.
        """
        match statement:
            case cst.If(test=test, body=body, orelse=None) if self.loop.exits.guards == (statement,) and self.order[0].step == 1:
                *lines, last = [small for line in body.body for small in self._small(line)]
            case _:
                return None
        taken = list[tuple[str, cst.BaseExpression]]()
        for small in lines:
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if (
                    name not in dict(taken) and not self.run.effects.updates.get(small) and self._by_iteration(value)
                ):
                    if name in self.loop.carry:
                        taken.append((name, value))
                case _:
                    return None
        returned = self.loop.exits.returned
        match last:
            case cst.Break():
                pass
            case cst.Return(value=cst.BaseExpression() as value) if (
                not taken and self._by_iteration(value) and returned and not returned.expensive
            ):
                pass
            case _:
                return None
        if speculation.expensive(self.run, (test,)) or not (self.rows or self._reads_items(test)):
            return None
        flag = next((name for name, _value in taken if flagged_by(self.nest[0], name, self.run.source)), "")
        return Reduction(
            statement, "", test, FIRST, branch=statement, test=test, taken=tuple(taken), flag=flag, returned=returned
        )

    def _by_iteration(self, node: cst.BaseExpression) -> bool:
        """Whether the value of an expression in one iteration can be computed from the index of that iteration."""
        match node:
            case cst.Integer() | cst.Float():
                return True
            case cst.Name(value=name):
                return name not in self.private or name in dict(self.rows)
            case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
                return self._by_iteration(inner)
            case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply(), right=right):
                return self._by_iteration(left) and self._by_iteration(right)
            case cst.Subscript(value=cst.Name() as array, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Name() as at))]):
                whole = self.run.values.get(array, UNKNOWN).kind is Kind.ARRAY and array.value not in self.private
                return whole and at.value == self.names[0]
        return False

    def _reads_items(self, test: cst.BaseExpression) -> bool:
        """Whether the test of each iteration reads an element of an array at the loop index: there are no more iterations than
        elements.
        """
        subscripts = [n for n, _p in walk(test) if isinstance(n, cst.Subscript) and isinstance(n.value, cst.Name)]
        private = [n for n, _p in walk(test) if isinstance(n, cst.Name) and n.value in self.private]
        accesses = [self.access(n) for n in subscripts]
        return bool(private) or any(a is not None and a.axes is not None and 0 in a.axes for a in accesses)

    def reduction(self, statement: cst.CSTNode) -> Reduction | None:
        """`name op= value`, `name = max(name, value)`, `name.append(value)`."""
        for one in self.loop.accumulated:
            if one.statement is statement:
                return Reduction(one.statement, one.name, one.value, STACK, maker=one.maker, arrays=one.arrays)
        match statement:
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value) if type(operator) in AUGMENTED:
                found = Reduction(statement, name, value, AUGMENTED[type(operator)], isinstance(operator, cst.SubtractAssign))
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                made = self._joined(statement, name, value)
                if made is None:
                    return None
                found = made
            case _:
                return None
        if name not in (self.inner or self.loop).carry:
            return None
        updates = self.run.effects.updates.get(statement, [])
        if len(updates) > 1 or any(u.access_path != name or u.steps or u.problem or u.refresh for u in updates):
            return None
        given = self.run.values.get(found.value, UNKNOWN)
        if not given.numeric or not self._sure_dtype(found, given, bool(updates)):
            return None
        into = self._stored_later(name, only=True)
        wide = into is not None and category(self.run.values.get(into, UNKNOWN).dtype) >= 2
        along = () if self.inner is None else tuple(range(len(self.names))[-len(self.depth) :])
        if not wide or not isinstance(into, cst.Name) or into.value not in self.run.live.after.get(self.first, NOTHING):
            return replace(found, start=self._start(name).dtype, along=along)  # the array is made after the loop
        return replace(found, start=self._start(name).dtype, into=into.value, along=along)

    def _joined(self, statement: cst.Assign, name: str, value: cst.BaseExpression) -> Reduction | None:
        match value:
            case cst.BinaryOperation(left=cst.Name(value=left), operator=operator, right=right) if left == name:
                how = OPERATORS.get(type(operator))
                return None if how is None else Reduction(statement, name, right, how, isinstance(operator, cst.Subtract))
            case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Multiply() as operator, right=cst.Name(value=right)):
                return Reduction(statement, name, left, OPERATORS[type(operator)]) if right == name else None
            case cst.Call(
                func=func, args=[cst.Arg(value=first, keyword=None, star=""), cst.Arg(value=second, keyword=None, star="")]
            ):
                called = self.run.scopes.qualname(func) or ""
                how = EXTREMA.get(called)
                mine = [isinstance(a, cst.Name) and a.value == name for a in (first, second)]
                python = called.startswith("builtins.")
                if how is None or mine[0] == mine[1] or (python and not mine[0]):
                    return None
                given = self.run.values.get(second if mine[0] else first, UNKNOWN)
                if Kind.SCALAR not in (given.kind, self._start(name).kind) and not python:
                    return None
                return Reduction(statement, name, second if mine[0] else first, how, python=python)
        return None

    def _sure_dtype(self, found: Reduction, value: Value, in_place: bool) -> bool:
        """Whether the result certainly has the dtype that the loop gives it: numbers of Python, which a reduction makes an array of 64
        bits, meet no narrower one, and an array that is changed in place is no narrower than the operand."""
        before = self._start(found.name)
        if is_weak(value.dtype) and before.kind is not Kind.SCALAR and before.dtype not in WIDE:
            return False
        if not in_place or before.kind is Kind.SCALAR:
            return True
        wide = before.dtype == "float64" and 0 <= category(value.dtype) <= 2
        return wide or before.dtype == "complex128" or (value.dtype == before.dtype and category(value.dtype) >= 2)

    def _start(self, name: str) -> Value:
        """The value of a variable before the loop, as far as it is known from the statements before it, or from the calls of the
        function.
        """
        match definitions_enclosing(self.first, self.run.source.parents).only(self.first, name):
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value):
                return self.run.values.get(value, UNKNOWN)
            case cst.FunctionDef() as owner if owner is self.run.unit.owner and name in self.run.params:
                return self.run.unit.bound.get(name, UNKNOWN)
        return UNKNOWN

    def _unread(self, found: Reduction) -> bool:
        """Whether an iteration reads the reduced variable nowhere else."""
        nodes = dict.fromkeys(found.nodes)
        expected = {found.name: sum(1 + isinstance(node, cst.Assign) for node in nodes), **dict.fromkeys(found.positions, 1)}
        if found.how == FIRST:
            expected = dict.fromkeys(found.names, 1)
        mentions = [
            n.value for root in (*(f.iter for f in self.nest), self.body) for n, _p in walk(root) if isinstance(n, cst.Name)
        ]
        return all(mentions.count(name) == number for name, number in expected.items())

    def _conditional_extremum(self, statement: cst.CSTNode) -> Reduction | None:
        """`if value > best: best = value`, which is Python's `max`; with the index of the iteration of the last update."""
        match statement:
            case cst.If(test=test, body=body, orelse=None) if not self.is_static(test):
                inner = [small for line in body.body for small in self._small(line)]
            case _:
                return None
        if len(inner) > 1:
            return self._best(statement, test, inner)
        if len(inner) != 1 or speculation.expensive(self.run, (test, inner[0])) or speculation.trapping(self.run, inner):
            return None
        match test, inner[0]:
            case (
                cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]),
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) as kept,
            ) if isinstance(operator, (cst.GreaterThan, cst.LessThan)) and name in self.loop.carry:
                first = isinstance(right, cst.Name) and right.value == name and left.deep_equals(value)
                last = isinstance(left, cst.Name) and left.value == name and right.deep_equals(value)
                given = self.run.values.get(value, UNKNOWN)
                if not (first or last) or self.run.effects.updates.get(kept) or not given.numeric:
                    return None
                how = MOST if first is isinstance(operator, cst.GreaterThan) else LEAST
                return Reduction(kept, name, value, how, python=True, start=self._start(name).dtype, branch=statement)
        return None

    def _best(self, statement: cst.If, test: cst.BaseExpression, inner: list[cst.CSTNode]) -> Reduction | None:
        """`if value < best: best = value; position = i`: the first iteration with the minimum, which is not NaN."""
        kept: cst.Assign | None = None
        positions: list[str] = []
        for small in inner:
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if name in self.loop.carry:
                    if isinstance(value, cst.Name) and value.value == self.names[0]:
                        positions.append(name)
                    elif kept is None:
                        kept = small
                    else:
                        return None
                case _:
                    return None
        if kept is None or len(self.nest) > 1 or self.order[0].step != 1 or self.loop.unset.intersection(positions):
            return None
        found = self._conditional_extremum(statement.with_changes(body=cst.IndentedBlock([cst.SimpleStatementLine([kept])])))
        if found is None or len(set(positions)) < len(positions):
            return None
        return replace(found, branch=statement, positions=tuple(positions))
