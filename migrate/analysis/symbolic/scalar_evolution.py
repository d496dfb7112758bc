"""What is known of integers where an expression is read: the values of variables, the ranges of loops, the enclosing tests.

Everything is derived from the syntax. A fact that was true at one node (a loop's bounds, `n = A.shape[0]`, a test) is a fact at
another one only if no variable in it may have been bound between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from math import inf

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ...syntax.reaching_definitions import definitions_enclosing
from ...syntax.source import walk
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from .affine import SIZE, Affine, affine, atom, size, substitute
from .index_ranges import Range, ranges, shape_of
from .node_positions import Positions

MOST_STEPS = 20  # of resolution from a variable to the value that it was bound to
MAKERS = ("zeros", "ones", "empty", "full")
NO_START = inf
LIKE = ("zeros_like", "ones_like", "empty_like", "full_like", "copy")


@dataclass(slots=True)
class ScalarEvolution(Positions):
    """Answers about the integers of one unit. `is_array`, `is_integer`: whether a name certainly is one at its node.

    The atoms of a form have the values that they have at the queried expression.
    """

    _forms: dict[tuple[cst.BaseExpression, cst.CSTNode], Affine | None] = field(default_factory=dict)
    _facts: dict[cst.CSTNode, list[Affine]] = field(default_factory=dict)
    _ranges: dict[cst.CSTNode, tuple[Range, ...]] = field(default_factory=dict)
    _assumed: tuple[Affine, ...] = ()

    def where(self, assumed: Iterable[Affine]) -> ScalarEvolution:
        """The same analysis under assumptions: forms of values that are constant in the unit, and at least 0."""
        made = copy(self)
        made._assumed, made._facts = (*self._assumed, *assumed), {}
        return made

    def form(self, node: cst.BaseExpression, at: cst.CSTNode | None = None) -> Affine | None:
        """The affine form of an expression with every variable resolved as far as possible, by the state at `at` (default: the
        node itself).
        """
        key = node, at or node
        if key not in self._forms:
            self._forms[key] = self._form(*key, MOST_STEPS)
        return self._forms[key]

    def facts(self, node: cst.CSTNode) -> list[Affine]:
        """The facts at `node` from enclosing loops and tests: forms that are at least 0."""
        if node not in self._facts:
            self._facts[node] = [*self._enclosing(node), *self._assumed]
        return self._facts[node]

    def extent(self, array: str, axis: int, at: cst.CSTNode) -> Affine:
        """The size of an array along an axis, by the state at `at`."""
        return self._resolved(atom(size(array, axis)), at, MOST_STEPS)

    def ranges(self, node: cst.CSTNode) -> list[Range]:
        """The ranges of the indices of the loops that enclose `node`, outermost first, where the index has not been rebound."""
        found: list[Range] = []
        for loop in self._loops(node):
            found += [r for r in self.ranges_of(loop) if self._unchanged(r.index, node, *self._body(loop))]
        return found

    def ranges_of(self, loop: cst.For | cst.CompFor) -> tuple[Range, ...]:
        """The ranges of the indices that a loop or a comprehension clause binds, by the state before it starts."""
        if loop not in self._ranges:
            self._ranges[loop] = ranges(self.scopes.iteration_space(loop), lambda node: self.form(node, loop))
        return self._ranges[loop]

    def counters(self, form: Affine, at: cst.CSTNode) -> list[Affine]:
        """Facts about variables of a form that start with constants and are only ever incremented: forms that are at least 0."""
        found = []
        for name in sorted(form.names):
            bound = self._bindings(name, at, sizes=False) if name.isidentifier() else None
            starts = [_counted(node, self.parents[node], name) for node in bound or ()]
            numbers = [start for start in starts if start is not None]
            if numbers and len(numbers) == len(starts) and min(numbers) < NO_START:
                found.append(atom(name) - int(min(numbers)))
        return found

    def meaning(self, node: cst.BaseExpression) -> tuple[cst.BaseExpression, cst.CSTNode | None]:
        """The expression that a variable was bound to, where it would still have that value, and the statement; otherwise the
        expression itself.
        """
        if not isinstance(node, cst.Name) or (found := self._binding(node.value, node, sizes=False)) is None:
            return node, None
        line, value, position = found
        if position is not None:
            if not isinstance(value, cst.Tuple) or position >= len(value.elements):
                return node, None
            value = value.elements[position].value
        begin, end = self._between(line, node)
        for part, _parent in walk(value):
            if isinstance(part, cst.Name) and not self._unchanged(part.value, node, begin, end):
                return node, None
        return value, line.body[0] if isinstance(line, cst.SimpleStatementLine) else line

    def _form(self, node: cst.BaseExpression, at: cst.CSTNode, steps: int) -> Affine | None:
        if not self._integers(node):
            return None
        form = affine(node)
        return None if form is None else self._resolved(form, at, steps)

    def _resolved(self, form: Affine, at: cst.CSTNode, steps: int) -> Affine:
        known = {}
        for name in sorted(form.names) if steps else ():
            if (stands := self._stands_for(name, at, steps - 1)) is not None:
                known[name] = stands
        return substitute(form, known)

    def _integers(self, node: cst.BaseExpression) -> bool:
        """Whether sizes are those of arrays, `len`, `min` and `max` are Python's, and no settable attribute is read."""
        for part, parent in walk(node):
            match part:
                case cst.Call(func=func, args=args):
                    name = self.scopes.qualname(func) if func in self.parents else f"builtins.{path_of(func)}"
                    if name not in ("builtins.len", "builtins.min", "builtins.max", "builtins.int"):
                        return False
                    if name == "builtins.len" and not (args and self._array(args[0].value)):
                        return False
                case cst.Attribute(value=base, attr=cst.Name(value=attr)):
                    if attr not in ("shape", "size", "ndim") or not isinstance(base, cst.Name) or not self._array(base):
                        return False
                    if attr == "shape" and not isinstance(parent, cst.Subscript):
                        return False
        return True

    def _whole(self, node: cst.BaseExpression) -> bool:
        """Whether all variables in an expression are integers: a test implies less for floats."""
        indices = {r.index for r in self.ranges(node)}
        for part, parent in walk(node):
            if isinstance(part, cst.Name) and not isinstance(parent, (cst.Attribute, cst.Call)) and part.value not in indices:
                if not self.is_integer(part) and not self.is_array(part):
                    return False
        return True

    def _array(self, node: cst.CSTNode) -> bool:
        return node not in self.parents or self.is_array(node)

    def _stands_for(self, name: str, at: cst.CSTNode, steps: int) -> Affine | None:
        """The form that a variable or a size was bound to, None where nothing more is known of it."""
        root, dot, _rest = name.partition(".")
        bound = self._binding(root, at, sizes=bool(dot))
        if bound is None:
            return None
        statement, value, position = bound
        if not dot:
            form = self._unpacked(value, position, statement, steps)
        elif SIZE in name and position is None:
            form = self._extent(value, int(name.partition(SIZE)[2][:-1]), statement, steps)
        else:
            return None
        if form is None:
            return None
        begin, end = self._between(statement, at)
        return form if all(self._unchanged(n, at, begin, end) for n in form.names) else None

    def _unpacked(self, value: cst.BaseExpression, position: int | None, at: cst.CSTNode, steps: int) -> Affine | None:
        if position is None:
            return self._form(value, at, steps)
        if (array := shape_of(value)) is not None:
            return self._resolved(atom(size(array, position)), at, steps) if array.isidentifier() else None
        if isinstance(value, cst.Tuple) and position < len(value.elements):
            return self._form(value.elements[position].value, at, steps)
        return None

    def _extent(self, value: cst.BaseExpression, axis: int, at: cst.CSTNode, steps: int) -> Affine | None:
        """The size along an axis of the array that an expression creates."""
        if isinstance(value, cst.Name) and self._array(value):
            return self._resolved(atom(size(value.value, axis)), at, steps)
        if not isinstance(value, cst.Call) or not (value.args or isinstance(value.func, cst.Attribute)):
            return None
        name = self.scopes.qualname(value.func) or ""
        function = name.removeprefix("numpy.") if name.startswith("numpy.") else ""
        first = value.args[0].value if value.args and value.args[0].keyword is None else None
        if not name and isinstance(value.func, cst.Attribute) and value.func.attr.value == "copy":
            return self._extent(value.func.value, axis, at, steps)
        if function in LIKE and first is not None and not any(a.keyword and a.keyword.value == "shape" for a in value.args):
            return self._extent(first, axis, at, steps)
        if function in MAKERS and first is not None:
            if (array := shape_of(first)) is not None:
                return self._resolved(atom(size(array, axis)), at, steps)
            if isinstance(first, (cst.Tuple, cst.List)):
                rank = len(first.elements)
                starred = any(isinstance(e, cst.StarredElement) for e in first.elements)
                return self._form(first.elements[axis].value, at, steps) if -rank <= axis < rank and not starred else None
            return self._form(first, at, steps) if axis == 0 else None
        entry = numpy_table.function(name) if function else None
        if entry is not None and entry.ufunc == len(value.args) == 1 and first is not None:
            return self._extent(first, axis, at, steps)
        alone = len([a for a in value.args if a.keyword is None]) == 1
        if function in ("eye", "identity") and first is not None and alone:
            return self._form(first, at, steps)
        if function == "pad" and isinstance(first, cst.Name):
            widths = [a.value for k, a in enumerate(value.args) if (a.keyword.value == "pad_width" if a.keyword else k == 1)]
            return self._padded(first, widths[0], axis, at, steps) if widths else None
        if function == "arange" and first is not None and alone and len(value.args) == 1:
            return self._form(first, at, steps) if axis == 0 else None
        return None

    def _padded(self, array: cst.Name, width: cst.BaseExpression, axis: int, at: cst.CSTNode, steps: int) -> Affine | None:
        """The size along an axis of `np.pad(array, width)`. `width`: a number for all axes, `(before, after)`, or such a pair for
        each axis.
        """
        if isinstance(width, cst.Tuple) and all(isinstance(e.value, cst.Tuple) for e in width.elements):
            if not 0 <= axis < len(width.elements):
                return None
            width = width.elements[axis].value
        sides = [e.value for e in width.elements] if isinstance(width, cst.Tuple) else [width, width]
        forms = [self._form(side, at, steps) for side in sides]
        size_before = self._extent(array, axis, at, steps)
        if size_before is None or len(forms) != 2 or forms[0] is None or forms[1] is None:
            return None
        return size_before + forms[0] + forms[1]

    def _binding(self, name: str, at: cst.CSTNode, sizes: bool) -> tuple[cst.CSTNode, cst.BaseExpression, int | None] | None:
        """The assignment that certainly bound a variable last: the statement, its value, the position in an unpacking."""
        if self._bindings(name, at, sizes) is None:
            return None
        found = self._definitions(name, at, sizes)
        if found is None or len(found) != 1:
            return None
        (definition,) = found
        line = self.parents.get(definition)
        statement = line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else definition
        return _assigned(statement, name) if any(statement in block[:position] for block, position in self._blocks(at)) else None

    def _definitions(self, name: str, at: cst.CSTNode, sizes: bool) -> frozenset[cst.CSTNode] | None:
        """The definitions that reach a node. `sizes`: those before `x += y`, which preserves the size of an array."""
        definitions = definitions_enclosing(at, self.parents)
        found = definitions.of_use(at, name, self.parents)
        seen = set[cst.CSTNode]()
        while (
            sizes
            and found
            and (grown := next((d for d in found if isinstance(d, cst.AugAssign) and self.is_array(d.target)), None))
        ):
            seen.add(grown)
            found = (found | (definitions.reaching(grown, name) or frozenset())) - seen
        return found

    def _enclosing(self, node: cst.CSTNode) -> Iterator[Affine]:
        """The facts of the enclosing loops and tests that still hold at the node."""
        for loop in self._loops(node):
            begin, end = self._body(loop)
            for each in self.ranges_of(loop):
                for fact in each.facts:
                    if all(self._unchanged(n, node, begin, end) for n in fact.names):
                        yield fact
        for at, above in self._above(node):
            if isinstance(above, (cst.If, cst.While)) and (
                at is above.body or (at is above.orelse and isinstance(above, cst.If))
            ):
                for fact in self._tested(above.test, at is above.body):
                    if all(self._unchanged(n, node, self._starts[at], self._ends[at]) for n in fact.names):
                        yield fact
        for block, position in self._blocks(node):
            for line in block[:position]:
                for fact in self._passed(line):
                    if all(self._unchanged(n, node, *self._between(line, node)) for n in fact.names):
                        yield fact

    def _passed(self, line: cst.CSTNode) -> Iterable[Affine]:
        """What holds after a statement that does not continue otherwise: an assertion, or `if ...: raise`."""
        match line:
            case cst.SimpleStatementLine(body=[cst.Assert(test=test)]):
                return self._tested(test, True)
            case cst.If(test=test, body=cst.IndentedBlock(body=[*_, cst.SimpleStatementLine(body=[cst.Raise()])]), orelse=None):
                return self._tested(test, False)
        return ()

    def _tested(self, test: cst.BaseExpression, holds: bool) -> Iterator[Affine]:
        """What a comparison of integers implies where it holds, or where it does not."""
        match test:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                yield from self._tested(inner, not holds)
            case cst.BooleanOperation(operator=operator, left=left, right=right):
                if isinstance(operator, cst.And) is holds:
                    yield from self._tested(left, holds)
                    yield from self._tested(right, holds)
            case cst.Comparison(left=first, comparisons=comparisons) if holds or len(comparisons) == 1:
                left = first
                for part in comparisons:
                    a, b = self.form(left), self.form(part.comparator)
                    if a is not None and b is not None and all(map(self._whole, (left, part.comparator))):
                        yield from implied(a, part.operator, b, holds)
                    left = part.comparator


def evolution_in(run: Run) -> ScalarEvolution:
    """What is known of the integers of an analysed unit. What `len` measures has a size, as an array does."""
    assert run.unit.owner is not None

    def has_size(node: cst.CSTNode) -> bool:
        call = run.source.parents[run.source.parents[node] or node]
        measured = isinstance(call, cst.Call) and run.scopes.qualname(call.func) == "builtins.len"
        return measured or run.values.get(node, UNKNOWN).kind is Kind.ARRAY

    def is_integer(node: cst.CSTNode) -> bool:
        return category(run.values.get(node, UNKNOWN).dtype) == 1

    return ScalarEvolution(run.unit.owner, run.scopes, run.source.parents, has_size, is_integer)


def _counted(binding: cst.CSTNode, above: cst.CSTNode | None, name: str) -> float | None:
    """The number that a variable starts with; NO_START for an increment, None where it may become anything."""
    match binding, above:
        case cst.AssignTarget(target=cst.Name()), cst.Assign(value=value):
            form = affine(value)
            if form is None:
                return None
            grown = (form - atom(name)).number
            return form.number if grown is None else NO_START if grown >= 0 else None
        case cst.AugAssign(operator=cst.AddAssign(), value=cst.Integer()), _:
            return NO_START
    return None


def implied(a: Affine, operator: cst.BaseCompOp, b: Affine, holds: bool) -> Iterable[Affine]:
    """The facts that a comparison of integers implies: `b - a - 1 >= 0` for `a < b`."""
    match operator, holds:
        case (cst.LessThan(), True) | (cst.GreaterThanEqual(), False):
            return [b - a - 1]
        case (cst.LessThanEqual(), True) | (cst.GreaterThan(), False):
            return [b - a]
        case (cst.GreaterThan(), True) | (cst.LessThanEqual(), False):
            return [a - b - 1]
        case (cst.GreaterThanEqual(), True) | (cst.LessThan(), False):
            return [a - b]
        case (cst.Equal(), True) | (cst.NotEqual(), False):
            return [a - b, b - a]
    return []


def _assigned(statement: cst.CSTNode, name: str) -> tuple[cst.CSTNode, cst.BaseExpression, int | None] | None:
    """The value that a statement binds a name to, for `name = value` or an unpacking of a display or a shape."""
    if isinstance(statement, cst.SimpleStatementLine):
        if len(statement.body) != 1:
            return None
        made = _assigned(statement.body[0], name)
        return None if made is None else (statement, made[1], made[2])
    if isinstance(statement, cst.AnnAssign) and statement.value is not None:
        return statement, statement.value, None
    if not isinstance(statement, cst.Assign):
        return None
    for target in statement.targets:
        if isinstance(target.target, cst.Name) and target.target.value == name:
            return statement, statement.value, None
        if isinstance(target.target, (cst.Tuple, cst.List)) and len(statement.targets) == 1:
            each = [e.value for e in target.target.elements]
            found = [k for k, e in enumerate(each) if isinstance(e, cst.Name) and e.value == name]
            if len(found) == 1 and not any(isinstance(e, cst.StarredElement) for e in target.target.elements):
                return statement, statement.value, found[0]
    return None
