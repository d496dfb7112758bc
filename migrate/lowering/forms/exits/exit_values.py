"""What an exit of a loop reads after the loop: variables of the loop, which are carried or computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

import libcst as cst

from .....rules import numpy_table
from .....rules.core.dtypes import category, is_default
from .....rules.core.findings import Kind
from .....rules.facts.iteration_space import IterationSpace, iteration_space
from .....rules.facts.values import UNKNOWN, Value
from .....rules.syntax import builders
from ....syntax.break_statements import assigned
from ....syntax.names import collect
from ..form import Body

MOST_DEFINITIONS = 4
STARTS = {0: "False", 1: "0", 2: "0.0"}  # by the category of the dtype
PYTHON_TYPES = ("int", "float")
PURE = frozenset(f"builtins.{name}" for name in ("abs", "len", "max", "min", "float", "int", "round", "sum"))
IMPURE = (cst.Await, cst.Yield, cst.NamedExpr, cst.Lambda, cst.GeneratorExp, cst.ListComp, cst.SetComp, cst.DictComp)


class _Definition(NamedTuple):
    """What gives a variable its value: the statement in the loop, the assignment after it, and what that reads."""

    statement: cst.CSTNode
    line: cst.BaseStatement
    reads: frozenset[str]


class _Rows(NamedTuple):
    """A loop over the items of an array, and the variable that counts them, "" if there is none."""

    array: cst.Name
    target: cst.BaseAssignTargetExpression
    counter: str

    @property
    def item(self) -> cst.SimpleStatementLine:
        """The assignment of the item at a position."""
        item = cst.Subscript(self.array, [cst.SubscriptElement(cst.Index(cst.Name(self.counter)))])
        return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(self.target)], item)])


@dataclass(slots=True)
class ExitValues:
    """The values that the exits of one loop need. `placeholders`: what variables are before the first iteration that binds them;
    `counts`: the loop has to count the items of an array."""

    loop: cst.For | cst.While
    body: Body
    placeholders: dict[str, cst.BaseExpression] = field(default_factory=dict)
    rows: _Rows | None = field(init=False)
    counts: bool = False

    def __post_init__(self) -> None:
        self.rows = _rows(self.loop, self.body)

    def header(self, made: cst.For | cst.While) -> cst.For | cst.While:
        """The loop, over the positions of an array instead of its items if these are needed after it."""
        if not self.counts or self.rows is None or not isinstance(made, cst.For) or not isinstance(made.body, cst.IndentedBlock):
            return made
        space = builders.call(cst.Name("range"), builders.call(cst.Name("len"), self.rows.array))
        body = made.body.with_changes(body=[self.rows.item, *made.body.body])
        return made.with_changes(target=cst.Name(self.rows.counter), iter=space, body=body)

    def given(
        self, leaving: cst.CSTNode, expression: cst.BaseExpression
    ) -> tuple[cst.BaseExpression, Sequence[cst.BaseStatement]] | None:
        """An expression as it is written after the loop, and the statements that it needs before it; None if the values are not
        available there."""
        definitions: dict[cst.CSTNode, cst.BaseStatement] = {}
        if not all(self._is_available(leaving, name, definitions) for name in sorted(collect((expression,)).read)):
            return None
        if len(definitions) > MOST_DEFINITIONS:
            return None
        lines = [definitions[line] for line in sorted(definitions, key=lambda line: self.body.source.spans[line])]
        return self._with_types(expression), lines

    def _is_available(self, leaving: cst.CSTNode, name: str, definitions: dict[cst.CSTNode, cst.BaseStatement]) -> bool:
        """Whether a variable has its value after the loop, too, or can be given it."""
        loop, live = self.loop, self.body.live
        if name not in collect((loop,)).bound or name in live.before[loop] or name in self.placeholders:
            return True
        if name in self.body.captured or name in live.after[loop]:
            return False
        found = self._definition(leaving, name)
        if found is not None:
            statement, line, reads = found
            if statement not in definitions:
                definitions[statement] = line
                return all(self._is_available(leaving, each, definitions) for each in sorted(reads))
            return True
        start = self._start(leaving, name)
        if start is None:
            return False
        self.placeholders[name] = start
        return True

    def _definition(self, leaving: cst.CSTNode, name: str) -> _Definition | None:
        """The assignment that gave a variable its value in this iteration, if what it reads has not changed since."""
        between: list[cst.CSTNode] = []
        for statement in self._ahead(leaving):
            if name not in collect((statement,)).bound:
                between.append(statement)
                continue
            match statement:
                case cst.SimpleStatementLine(body=[cst.Assign(value=value) as made]) if (assigned(made) or ("",))[0] == name:
                    reads = frozenset(collect((value,)).read)
                    pure = name not in reads and self._is_pure(value)
                    line = statement.deep_clone().with_changes(leading_lines=())
                    return _Definition(statement, line, reads) if pure and self._is_unchanged(reads, between) else None
            return None
        return self._item(name, between)

    def _item(self, name: str, between: Sequence[cst.CSTNode]) -> _Definition | None:
        """The item that the loop over an array binds, selected by its position: the loop then counts these."""
        if self.rows is None or name not in collect((cst.AssignTarget(self.rows.target),)).bound:
            return None
        if not self.rows.counter:
            self.rows = self.rows._replace(counter=self.body.fresh("k", "i"))
        reads = frozenset({self.rows.array.value, self.rows.counter})
        if not self._is_unchanged(reads, between):
            return None
        self.counts = True
        self.placeholders.setdefault(self.rows.counter, cst.Integer("0"))
        return _Definition(self.loop, self.rows.item, reads)

    def _ahead(self, leaving: cst.CSTNode) -> list[cst.CSTNode]:
        """The statements of the same iteration that ran before an exit, the nearest first; among them the loops that contain it."""
        source, found, at = self.body.source, list[cst.CSTNode](), leaving
        for above in takewhile(lambda n: n is not self.loop, source.above(leaving)):
            if isinstance(above, cst.IndentedBlock):
                block = list(above.body)
                found += block[: next(k for k, line in enumerate(block) if line is at)][::-1]
            elif isinstance(above, (cst.For, cst.While)):
                found.append(above)
            at = above
        return found

    def _is_pure(self, value: cst.BaseExpression) -> bool:
        """Whether an expression may be computed again: it changes nothing, and depends on nothing that does."""
        if self.body.source.among(value, *IMPURE):
            return False
        for call in self.body.source.among(value, cst.Call):
            name = self.body.calls(call)
            entry = numpy_table.function(name) if name.startswith("numpy.") else None
            if isinstance(call.func, cst.Attribute) and not name:
                entry = numpy_table.method(call.func.attr.value)
            if name.startswith("numpy.random.") or (name not in PURE and (entry is None or entry.writes)):
                return False
            if any(arg.keyword is not None and arg.keyword.value == "out" for arg in call.args):
                return False
        return True

    def _is_unchanged(self, reads: frozenset[str], between: Sequence[cst.CSTNode]) -> bool:
        """Whether statements bind none of some variables, and change no array."""
        for statement in between:
            if collect((statement,)).bound & reads or self.body.source.among(statement, cst.AugAssign, cst.Expr):
                return False
            targets = self.body.source.among(statement, cst.AssignTarget)
            if any(not isinstance(target.target, (cst.Name, cst.Tuple)) for target in targets):
                return False
            if any(self.body.source.among(target, cst.Subscript, cst.Attribute) for target in targets):
                return False
        return True

    def _start(self, leaving: cst.CSTNode, name: str) -> cst.BaseExpression | None:
        """A placeholder of the type that the variable gets; None if that is unknown."""
        if self._is_index(name):
            self.counts |= self.rows is not None and name == self.rows.counter
            return cst.Integer("0")
        reads = [n for n in self.body.source.among(leaving, cst.Name) if n.value == name]
        known = {self._value(n).dtype if self._value(n).kind is Kind.SCALAR else "" for n in reads}
        start = STARTS.get(category(known.pop())) if len(known) == 1 and all(map(is_default, known)) else None
        return None if start is None else cst.parse_expression(start)

    def _is_index(self, name: str) -> bool:
        """Whether only the headers of loops over ranges, and of `enumerate`, bind a variable in the loop."""
        loops = self.body.source.among(self.loop, cst.For)
        counted = [each for each in loops if iteration_space(each.target, each.iter, self.body.scopes.qualname).index == name]
        bindings = self.body.scopes.opened_by(self.body.owner).names.get(name, ())
        return bool(counted) and len(counted) == sum(self.body.source.inside(each, self.loop) for each in bindings)

    def _value(self, node: cst.Name) -> Value:
        return self.body.values.get(node, UNKNOWN)

    def _with_types(self, expression: cst.BaseExpression) -> cst.BaseExpression:
        """Make Python numbers of Python's numbers, which are scalars of NumPy after a compiled loop, where the type may be seen."""
        bound, numbers = collect((self.loop,)).bound, dict[str, cst.BaseExpression]()
        if self.body.source.among(expression, *IMPURE):
            return expression
        for node in self.body.source.among(expression, cst.Name):
            of = "int" if self._is_index(node.value) else self._value(node).dtype if self._value(node).kind is Kind.SCALAR else ""
            if node.value in bound and of in PYTHON_TYPES and self._shows_type(node, expression):
                numbers[node.value] = builders.call(cst.Name(of), cst.Name(node.value))
        return builders.replaced(expression, numbers) if numbers else expression

    def _shows_type(self, node: cst.CSTNode, expression: cst.BaseExpression) -> bool:
        """Whether the value of an expression depends on the type of a number in it, not only on how it is written."""
        source, at = self.body.source, node
        for above in takewhile(lambda n: n is not source.parents[expression], source.above(node)):
            match above:
                case cst.FormattedStringExpression(conversion=None, equal=None) | cst.Index():
                    return False
                case cst.BinaryOperation(left=cst.SimpleString(value=text), operator=cst.Modulo()):
                    return "%r" in text or "%a" in text
                case cst.Call(func=cst.Attribute(value=cst.SimpleString(value=text), attr=cst.Name(value="format"))):
                    return "!" in text
                case cst.Call(func=func) if func is not at:
                    return self.body.scopes.qualname(func) != "builtins.str"
                case cst.FormattedStringExpression() | cst.Attribute() | cst.Subscript():
                    return True
            at = above
        return True


def _rows(loop: cst.For | cst.While, body: Body) -> _Rows | None:
    """The array over whose items a loop iterates, which the loop does not bind."""
    if not isinstance(loop, cst.For) or not isinstance(loop.body, cst.IndentedBlock):
        return None
    match iteration_space(loop.target, loop.iter, body.scopes.qualname):
        case IterationSpace(function="", iterable=cst.Name() as array):
            target: cst.BaseExpression = loop.target
            index = ""
        case (
            IterationSpace(
                function="enumerate", start=None, parts=[IterationSpace(function="", iterable=cst.Name() as array)]
            ) as space
        ):
            if not space.index or not isinstance(loop.target, cst.Tuple):
                return None
            target, index = loop.target.elements[1].value, space.index
        case _:
            return None
    names = (
        [target] if isinstance(target, cst.Name) else [e.value for e in target.elements] if isinstance(target, cst.Tuple) else []
    )
    if not names or not all(isinstance(name, cst.Name) for name in names) or array.value in collect((loop,)).bound:
        return None
    if body.values.get(array, UNKNOWN).kind is not Kind.ARRAY:
        return None
    assert isinstance(target, cst.BaseAssignTargetExpression)
    return _Rows(array, target, index)
