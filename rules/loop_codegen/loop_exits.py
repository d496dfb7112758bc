"""What an iteration does after a conditional `break`, `continue` or `return`: the rest of it becomes one arm of a branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import libcst as cst

from ..codegen import safe_operands, select, static_conditions
from ..context import Context
from ..core.findings import Edit
from ..facts.loops import Loop
from ..syntax import builders


@dataclass(frozen=True, slots=True)
class IterationWriter:
    """Writes the iterations of one loop. `done`: the variable that tells whether the loop has ended, "" where nothing ends it
    early. `left`: the (rewritten) `return` statements that end it."""

    ctx: Context
    loop: Loop
    done: str
    originals: dict[cst.CSTNode, cst.If] = field(default_factory=dict)
    left: list[cst.Return] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return (*((self.done,) if self.done else ()), *self.loop.carry)

    @property
    def flags(self) -> list[cst.BaseExpression]:
        """The initial value of `done`."""
        return [cst.Name(self.loop.exits.flag or "False")] if self.done else []

    @property
    def imports(self) -> frozenset[str]:
        """The imports for the selects, where an iteration may end early."""
        if not (self.loop.exits.guards or self.done):
            return frozenset()
        return select.imports_of(self.ctx, any(map(self.ctx.flow.may_be_tuple, self.loop.carry)))

    def edits(self) -> Mapping[cst.CSTNode, Edit]:
        """Edits that record what the branches become, and the edit of the `return` after a loop that `return` leaves."""
        edits: dict[cst.CSTNode, Edit] = {guard: partial(self._remembered, guard) for guard in self.loop.exits.guards}
        found = self.loop.exits.returned
        if found is not None and found.last is not None:
            edits[found.last] = self._result
        return edits

    @property
    def asked(self) -> bool:
        """Whether the code after the loop depends on how it ended: it returns another value, or reads a flag."""
        if self.loop.exits.flag:
            return True
        found = self.loop.exits.returned
        last = None if found is None or found.last is None else found.last.body[-1]
        return found is not None and isinstance(last, cst.Return) and not select.same(found.inner[0].value, last.value)

    def _result(self, made: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
        """What the function returns, in the loop or after it."""
        last = made.body[-1]
        found = self.loop.exits.returned
        assert found is not None and isinstance(last, cst.Return) and self.left
        yes, no = self.left[0].value, last.value
        if yes is None or no is None or select.same(yes, no):
            return made
        done = cst.Name(self.done)
        if found.expensive:
            value = select.cond(self.ctx, done, *(select.lambda_of((), builders.enclosed(v)) for v in (yes, no)))
            return made.with_changes(body=[*made.body[:-1], cst.Return(value)])
        if isinstance(yes, cst.Tuple) and isinstance(no, cst.Tuple) and len(yes.elements) == len(no.elements):
            pairs = [(a.value, b.value) for a, b in zip(yes.elements, no.elements, strict=True)]
        else:
            pairs = [(yes, no)]
        values = [self._predicated(done, *pair) for pair in pairs]
        return made.with_changes(body=[*made.body[:-1], *builders.returned(builders.tuple_of(values)).body])

    def _predicated(self, done: cst.Name, yes: cst.BaseExpression, no: cst.BaseExpression) -> cst.BaseExpression:
        match yes, no:
            case cst.Name(value="True"), cst.Name(value="False"):
                return done
            case cst.Name(value="False"), cst.Name(value="True"):
                return cst.UnaryOperation(cst.BitInvert(), done)
        return select.where(self.ctx, done, yes, no)

    def _remembered(self, guard: cst.If, made: cst.If) -> cst.If:
        self.originals[made.body] = guard
        return made

    def body(self, lines: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """The statements of an iteration, which all run unconditionally."""
        for position, statement in enumerate(lines):
            before = list(lines[:position])
            if _jump(statement, cst.Continue):
                return [*before, *_left(statement)]
            if _jump(statement, cst.Return):
                self.left.append(statement.body[-1])  # type: ignore[attr-defined]
            if _jump(statement, cst.Break) or _jump(statement, cst.Return):
                return [*self._unflagged([*before, *_left(statement)]), select.assigned(self.done, cst.Name("True"))]
            if not isinstance(statement, cst.If) or statement.body not in self.originals:
                continue
            if (inner := self._only_guard(statement)) is not None:
                return self.body([*before, inner, *lines[position + 1 :]])
            rest = lines[position + 1 :]
            arms = [builders.lines(statement.body), _other(statement)]
            ends = [arm if not self.ctx.flow.falls_through(cst.IndentedBlock(arm)) and arm else [*arm, *rest] for arm in arms]
            yes, no = (self.body(end) for end in ends)
            guard = self.originals[statement.body]
            if self.ctx.is_static(guard.test):
                return [*before, self._decided(statement, yes, no)]
            return [*before, *self._predication(statement, guard, yes, no)]
        return list(lines)

    def _only_guard(self, made: cst.If) -> cst.If | None:
        """`if known and test:` for `if known: if test:`, where Python knows the first of the tests when JAX traces."""
        inner = builders.lines(made.body)
        if made.orelse is not None or len(inner) != 1 or not self.ctx.is_static(self.originals[made.body].test):
            return None
        match inner[0]:
            case cst.If(test=test, body=body, orelse=None) as only if body in self.originals:
                guard = self.originals[body]
                if static_conditions.parts(guard.test, self.ctx) is None:
                    known = select.python_truth(self.originals[made.body].test, made.test, self.ctx)
                    rest = builders.operand(self._truth(guard, test))
                    return only.with_changes(test=cst.BooleanOperation(known, cst.And(), rest))
        return None

    def _truth(self, guard: cst.If, test: cst.BaseExpression) -> cst.BaseExpression:
        """The (rewritten) test of a branch as a bool."""
        if select.is_truth(guard.test, self.ctx):
            return test
        return cst.Comparison(builders.operand(test), [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])

    def _decided(self, made: cst.If, yes: list[cst.BaseStatement], no: list[cst.BaseStatement]) -> cst.If:
        """A branch that Python decides when JAX traces. Both arms say whether the loop has ended, where one of them does."""
        if self._may_end(yes) or self._may_end(no):
            for arm in (yes, no):
                if not self._may_end(arm):
                    arm.append(select.assigned(self.done, cst.Name("False")))
        other = cst.Else(cst.IndentedBlock(static_conditions.opened(no))) if no else None
        return made.with_changes(
            body=cst.IndentedBlock(static_conditions.opened(yes) or [cst.SimpleStatementLine([cst.Pass()])]), orelse=other
        )

    def _unflagged(self, lines: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """Without the assignments to `done`, where that is a variable of the function."""
        found = list[cst.BaseStatement]()
        for line in lines:
            if self.loop.exits.flag and isinstance(line, cst.SimpleStatementLine):
                kept = [s for s in line.body if [n for n, _v in select.assignments(s) or ()] != [self.done]]
                line = line.with_changes(body=kept)
            if not (isinstance(line, cst.SimpleStatementLine) and not line.body):
                found.append(line)
        return found

    def _predication(
        self, made: cst.If, guard: cst.If, yes: list[cst.BaseStatement], no: list[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        first, test = list[cst.BaseStatement](), made.test
        if (mixed := static_conditions.parts(guard.test, self.ctx)) is not None:
            test = mixed.truth
        if self._ends(yes) and not self._may_end(no):
            first, yes = [select.assigned(self.done, self._truth(guard, test))], yes[:-1]
        elif self._ends(no) and not self._may_end(yes):
            inverse = builders.call(builders.dotted(self.ctx.names.name_of("jax.numpy.logical_not")[0]), test)
            first, no, yes = [select.assigned(self.done, inverse)], yes, no[:-1]
        if first:
            test = cst.Name(self.done)
            first[0] = first[0].with_changes(leading_lines=made.leading_lines)
        names = self.loop.carry if first else self.names
        lines = self._with_safe_operands(names, test, yes, no, rare=bool(first))
        if lines is None:
            lines = self._one(names, test, guard, yes, no)
        if not first and lines:
            lines[0] = lines[0].with_changes(leading_lines=[*made.leading_lines, *lines[0].leading_lines])  # type: ignore[attr-defined]
        return [*first, *lines]

    def _ends(self, lines: Sequence[cst.BaseStatement]) -> bool:
        """Whether an arm ends the loop in its last statement."""
        return bool(self.done and lines) and lines[-1].deep_equals(select.assigned(self.done, cst.Name("True")))

    def _may_end(self, lines: Sequence[cst.BaseStatement]) -> bool:
        return self.done in self.ctx.flow.uses(lines)[1]

    def _asks(self, lines: Sequence[cst.BaseStatement]) -> bool:
        """Whether an arm reads `done` before binding it: it ends the loop by a select of its own."""
        used = next((used for used in map(self.ctx.flow.uses, zip(lines)) if self.done in used[0] | used[1]), None)
        return used is not None and self.done in used[0]

    def _with_safe_operands(
        self,
        names: Sequence[str],
        test: cst.BaseExpression,
        yes: list[cst.BaseStatement],
        no: list[cst.BaseStatement],
        rare: bool,
    ) -> list[cst.BaseStatement] | None:
        """Both arms computed, with safe operands for operations that may trap in the other arm."""
        required = self.loop.exits.trapping
        if not required:
            return self._both(names, test, yes, no, rare)
        if len(self.loop.exits.guards) > 1:
            return None
        first = list[cst.BaseStatement]()
        if not isinstance(test, cst.Name):
            name = self.ctx.names.local("condition")
            first, test = [select.assigned(name, test)], cst.Name(name)
        safe = safe_operands.with_safe_operands(self.ctx, test, yes, no, required)
        lines = None if safe is None else self._both(names, test, safe[0], safe[1], rare)
        return None if lines is None else [*first, *lines]

    def _both(
        self,
        names: Sequence[str],
        test: cst.BaseExpression,
        yes: list[cst.BaseStatement],
        no: list[cst.BaseStatement],
        rare: bool,
    ) -> list[cst.BaseStatement] | None:
        """Both arms computed, and one selected. `rare`: one of the arms is selected in the last iteration only."""
        if self.loop.exits.expensive and not rare:
            return None
        arms = select.arm(yes, names, [test, *no], self.ctx), select.arm(no, names, [test, *yes], self.ctx)
        if arms[0] is not None and arms[1] is not None:
            lines = select.merged(self.ctx, names, test, arms[0], arms[1], "")
            if lines is not None:
                return lines
        if not any(not builders.passes(line) for line in yes):
            return self._unless(names, test, no)
        return None

    def _unless(
        self, names: Sequence[str], test: cst.BaseExpression, lines: Sequence[cst.BaseStatement]
    ) -> list[cst.BaseStatement] | None:
        """Every assignment of a block, predicated by the negated test, one after the other."""
        parts = select.small(lines)
        every = None if parts is None else [select.assignments(part) for part in parts]
        if every is None or any(pairs is None or len(pairs) > 1 for pairs in every):
            return None
        made = list[cst.BaseStatement]()
        if not isinstance(test, cst.Name):
            condition = self.ctx.names.local("condition")
            made.append(select.assigned(condition, test))
            test = cst.Name(condition)
        if any(pairs and pairs[0][0] == test.value for pairs in every):
            return None
        for pairs in every:
            for name, value in pairs or ():
                if name not in names:
                    made.append(select.assigned(name, value))
                else:
                    made += [select.assigned(*pair) for pair in select.selects(self.ctx, name, test, cst.Name(name), value)]
        return made

    def _one(
        self,
        names: Sequence[str],
        test: cst.BaseExpression,
        guard: cst.If,
        yes: list[cst.BaseStatement],
        no: list[cst.BaseStatement],
    ) -> list[cst.BaseStatement]:
        """`lax.cond` of functions of both arms."""
        live = self.ctx.flow.live_before(guard)
        bound = [self.ctx.flow.uses(block)[1] for block in (yes, no)]
        changed = [n for n in names if any(n in b for b in bound)]
        if not changed:
            return []  # `done` is known already
        operands = [n for n in changed if n != self.done or self._asks(yes) or self._asks(no)]
        operands += sorted(n for n in bound[0] | bound[1] if n in live and n not in operands and n != self.done)
        ends = list[list[cst.BaseStatement]]()
        for block, other, own in ((yes, no, bound[0]), (no, yes, bound[1])):
            values: list[cst.BaseExpression] = [
                cst.Name("False") if n == self.done and n not in own else cst.Name(n) for n in changed
            ]
            arm = select.arm(block, changed, [test, *other], self.ctx)
            if arm is not None and not arm.first:
                ends.append([select.returned([arm.values.get(n, v) for n, v in zip(changed, values, strict=True)])])
                continue
            ends.append([*(line for line in block if not builders.passes(line)), select.returned(values)])
        lines, call = select.selected(self.ctx, test, ends[0], ends[1], operands)
        result = builders.assigned(changed, call)
        return [*lines, builders.spaced(result) if lines else result]


def _jump(statement: cst.BaseStatement, kind: type[cst.CSTNode]) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[-1], kind)


def _left(statement: cst.BaseStatement) -> list[cst.BaseStatement]:
    """The statements before a jump on its line."""
    assert isinstance(statement, cst.SimpleStatementLine)
    return [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in statement.body[:-1]]


def _other(statement: cst.If) -> list[cst.BaseStatement]:
    match statement.orelse:
        case cst.If() as chain:
            return [chain]
        case cst.Else(body=body):
            return builders.lines(body)
    return []
