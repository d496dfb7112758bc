"""Parameters that contain numbers, inferred from how their items are used: `x[i] - x[i - 1]`, `for v in x: total += v`.

Such a parameter is an array, or a list that works just as well: compiled code converts it to an array first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.values import Value
from ....rules.syntax import membership
from ....rules.syntax.source_text import verbatim
from ....rules.syntax.tree import assigned_values
from ...syntax.names import bound_by
from ...syntax.scopes import Scopes
from ...syntax.source import walk
from ..branches.conditions import single
from ..state.ranks import allocated_rank
from .item_uses import ItemUses, Parents, indices_of, only_name, read_first, root_of, tests_of
from .number_usage import is_number

ORDERED = (cst.LessThan, cst.GreaterThan, cst.LessThanEqual, cst.GreaterThanEqual)
NUMBERS_ONLY = (cst.Subtract, cst.Divide, cst.FloorDivide, cst.Power)
ARITHMETIC = (*NUMBERS_ONLY, cst.Add, cst.Multiply, cst.Modulo)
OF_NUMBERS = (
    "sum",
    "mean",
    "size",
    "float",
    "promote",
    "number",
)  # `Entry.dtype` of functions that accept numbers only
TESTS = (cst.If, cst.While, cst.Assert, cst.BooleanOperation, cst.CompIf)
# nodes that may bind variables
BINDING = frozenset((cst.For, cst.CompFor, cst.Assign, cst.AnnAssign, cst.Del, cst.NamedExpr, cst.AsName))


def number_sequences(
    nodes: Sequence[cst.CSTNode], params: Iterable[str], sizes: frozenset[str], parents: Parents, scopes: Scopes
) -> dict[str, Value]:
    """Evidence about the parameters that contain numbers, or arrays of the same shape, and about their items.

    `sizes`: the variables that are numbers.
    """
    seen = _Items(nodes, frozenset(params), sizes, parents, scopes)
    for node in nodes:
        for name in seen.of(node):
            seen.look(seen.found[name], node)
        if (name := seen.sliced(node)) in seen.found and seen.is_passed(node):
            seen.found[name].alike = True
    seen.masks()
    uniform = {name for name, found in seen.found.items() if found.uniform} - seen.rebound
    numbers = {name for name in uniform if seen.found[name].of_numbers}
    evidence = {name: Value(Kind.ARRAY) for name in uniform}
    evidence.update({key: Value(rank=0) for key, name in seen.keys if name in numbers})
    evidence.update({f"{alias}[*0]": Value(rank=0) for alias, names in seen.aliases.items() if names and names <= numbers})
    return evidence


class _Items:
    """Where a unit uses the items of its parameters."""

    def __init__(
        self, nodes: Sequence[cst.CSTNode], params: frozenset[str], sizes: frozenset[str], parents: Parents, scopes: Scopes
    ) -> None:
        self.parents, self.scopes, self.sizes = parents, scopes, sizes
        self.found = {name: ItemUses() for name in params}
        self.rebound: set[str] = set()
        self.copies: dict[str, str] = {}  # variable -> the parameter that it is a copy of
        self.sources: dict[
            str, list[cst.BaseExpression | None]
        ] = {}  # what variables are bound to; for a loop variable: the iterable
        self.bound: dict[str, list[cst.BaseExpression | None]] = {}  # the same for values of any kind
        self.ranks: dict[str, int] = {}
        self.counters: set[str] = set()
        self.stores: list[cst.Subscript] = []
        self.keys: set[tuple[str, str]] = set()  # (key of an item in the evidence, its parameter)
        for node in nodes:
            if type(node) in BINDING:
                self._binding(node)
        # the indices at which arrays are filled with numbers
        self.accumulated = {indices_of(t) for t in self.stores if self._takes_number(t)}
        self.rebound |= params & self.sources.keys()
        roots = {name: self._root(name) for name in self.copies if name not in self.sources}
        for name in self.copies.keys() - self.sources.keys():
            if roots[name] not in self.found:
                self.sources[name] = [None]
        self.copies = {name: root for name, root in roots.items() if root in self.found}
        self.aliases = {name: self._items(name, frozenset()) for name in self.sources}
        self.parts = {name: only_name([self._sliced(v) for v in values]) for name, values in self.bound.items()}

    def _binding(self, node: cst.CSTNode) -> None:
        match node:
            case cst.For() | cst.CompFor():
                self._goes_through(self.scopes.iteration_space(node))
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    self._bound(each.target, value)
            case cst.AnnAssign(target=target, value=value):
                self._bound(target, value)
            case cst.Del(target=target) | cst.NamedExpr(target=target) | cst.AsName(name=target):
                self.rebound |= {n.value for n, _p in walk(target) if type(n) is cst.Name}
                self._other(target)

    def _bound(self, target: cst.BaseExpression, value: cst.BaseExpression | None) -> None:
        if isinstance(target, cst.Name):
            self.bound.setdefault(target.value, []).append(value)
        match target, value:
            case cst.Name(value=name), cst.Call() if (copied := self._copied(value)) is not None:
                if name != copied:
                    self.copies[name] = copied if self.copies.get(name, copied) == copied else ""
            case cst.Name(value=name), cst.BaseExpression():
                held = isinstance(value, cst.Name) and value.value not in self.found  # a parameter itself is not an item
                item = held or self._indexed(value) is not None
                self.sources.setdefault(name, []).append(value if item else None)
                if isinstance(value, (cst.Integer, cst.Float)):
                    self.counters.add(name)
                if isinstance(value, cst.Call) and (rank := allocated_rank(value, self.scopes, self.sizes)):
                    self.ranks[name] = rank
            case cst.Subscript(value=cst.Name()) as item, _:
                self.stores.append(item)
            case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    self._bound(one.value, other.value)
            case _:
                self._other(target)

    def _other(self, target: cst.CSTNode) -> None:
        """Note that the names of a target are bound to something else."""
        for node, parent in walk(target):
            if type(node) is cst.Name and not isinstance(parent, (cst.Attribute, cst.Index)):
                self.sources.setdefault(node.value, []).append(None)
                self.bound.setdefault(node.value, []).append(None)

    def _goes_through(self, space: IterationSpace) -> None:
        """Bind the variables of a loop to items of its iterable."""
        parts = [part for part in space.parts if part.target is not None]
        match space.target, space.iterable:
            case cst.Name(value=name), cst.Name() | cst.Subscript(
                value=cst.Name(), slice=[cst.SubscriptElement(slice=cst.Slice())]
            ) as iterable:
                self.sources.setdefault(name, []).append(iterable if isinstance(iterable, cst.Name) else iterable.value)
            case cst.BaseExpression() as target, _ if not parts or space.function not in ("reversed", "enumerate", "zip"):
                self._other(target)
            case _:
                if space.counter is not None:
                    self._other(space.counter)
                for part in parts:
                    self._goes_through(part)

    def _items(self, name: str, asked: frozenset[str]) -> frozenset[str]:
        """The parameters that a variable is an item of, at every binding; none if it may be something else."""
        found: frozenset[str] = frozenset()
        for source in self.sources.get(name, [None]):
            match source:
                case cst.Name(value=other) if other in self.found:
                    found |= {other}
                case cst.Name(value=other) if other in asked or other == name:
                    continue
                case cst.Name(value=other):
                    if not (more := self._items(other, asked | {name})):
                        return frozenset()
                    found |= more
                case cst.Subscript(value=cst.Name(value=other)) if other in self.found:
                    found |= {other}
                case _:
                    return frozenset()
        return found

    def _root(self, name: str) -> str:
        """The parameter that a variable is a copy of, maybe of a copy; "" if it may be something else."""
        seen = [name]
        while (name := self.copies.get(name, name)) not in seen:
            if name in self.sources:
                return ""
            seen.append(name)
        return name if name not in self.copies else ""

    def _copied(self, call: cst.Call) -> str | None:
        """The variable that a call copies."""
        match call:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="copy")), args=[]):
                return name
            case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name), star="")]):
                return name if self.scopes.qualname(func) in ("numpy.copy", "numpy.array", "numpy.asarray") else None
        return None

    def _indexed(self, node: cst.CSTNode) -> str | None:
        """The variable of which an expression is one item, by integer index: `x[i]`, `x[-1]`, `x[i, j]`."""
        match node:
            case cst.Subscript(value=cst.Name(value=name), slice=parts):
                indices = [p.slice.value for p in parts if isinstance(p.slice, cst.Index)]
                plain = (cst.Name, cst.Integer, cst.BinaryOperation, cst.UnaryOperation)
                return name if len(indices) == len(parts) and all(isinstance(i, plain) for i in indices) else None
        return None

    def _sliced(self, node: cst.CSTNode | None) -> str:
        """The variable of which an expression is a slice: `x[i : i + w]`."""
        match node:
            case cst.Subscript(value=cst.Name(value=name), slice=[cst.SubscriptElement(slice=cst.Slice())]):
                return self.copies.get(name, name)
        return ""

    def sliced(self, node: cst.CSTNode) -> str:
        """The variable of which an expression is a slice; a name counts if it is bound to nothing but slices of that variable."""
        return self.parts.get(node.value, "") if type(node) is cst.Name else self._sliced(node)

    def is_passed(self, node: cst.CSTNode) -> bool:
        """Whether an expression, or what it indexes, is passed to a NumPy function that converts it to an array of numbers,
        `np.mean(x[i : i + w])`, or is multiplied by another slice."""
        arg = self.parents.get(node)
        if isinstance(arg, cst.BinaryOperation) and isinstance(arg.operator, cst.Multiply):
            return bool(self.sliced(arg.right if arg.left is node else arg.left))
        if type(arg) is cst.Index and (above := self.parents.get(self.parents.get(arg) or arg)) is not None:
            return self.is_passed(above)
        call = self.parents.get(arg) if isinstance(arg, cst.Arg) and not arg.star and arg.keyword is None else None
        if not isinstance(call, cst.Call) or not (called := self.scopes.qualname(call.func) or "").startswith("numpy."):
            return False
        entry, position = numpy_table.function(called), call.args.index(arg)
        if entry is None or entry.sequences or position >= len(entry.params):
            return False
        given = bool(entry.ufunc) or entry.params[position] in entry.arrays
        return given and (bool(entry.ufunc) or entry.rank.startswith("reduce") or entry.dtype in OF_NUMBERS)

    def of(self, node: cst.CSTNode) -> frozenset[str]:
        """The parameters that an expression is an item of."""
        if type(node) is cst.Subscript:
            name = self._indexed(node)
            name = self.copies.get(name or "", name)
            if name not in self.found or self._is_target(node):
                return frozenset()
            self.keys.add((single(node) or "", name))
            return frozenset({name})
        if type(node) is not cst.Name or not self.aliases.get(node.value):
            return frozenset()
        return self.aliases[node.value]

    def _is_target(self, node: cst.CSTNode) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, cst.AssignTarget) or (isinstance(parent, cst.AugAssign) and parent.target is node)

    def look(self, found: ItemUses, item: cst.CSTNode) -> None:
        """Record how an item is used, and how the values computed from it are used."""
        if isinstance(item, cst.Subscript):
            found.indices.add(indices_of(item))
        asked, stack = set[cst.CSTNode](), [(item, False)]
        while stack:
            read, computed = stack.pop()
            end, computed = self._computed(found, item, read, computed)
            for each in () if end is None else self._reads(*end):
                if each not in asked:
                    asked.add(each)
                    stack.append((each, computed))

    def _computed(
        self, found: ItemUses, item: cst.CSTNode, read: cst.CSTNode, computed: bool
    ) -> tuple[tuple[cst.Assign, str] | None, bool]:
        """Record how the value of one read is used; the assignment that binds a variable to it, or to a value computed from it, with
        the variable, and whether that value is computed. `computed`: the value that is read is already computed from the item."""
        node, parent = read, self.parents.get(read)
        while parent is not None:
            match parent:
                case cst.BinaryOperation(left=left, operator=operator, right=right) if isinstance(operator, ARITHMETIC):
                    other = right if left is node else left
                    sum_ = isinstance(operator, cst.Add) and isinstance(other, (cst.Integer, cst.Float))
                    found.numeric |= isinstance(operator, NUMBERS_ONLY) or sum_ or isinstance(other, cst.Float)
                    found.together.setdefault(root_of(parent, self.parents), set()).add(verbatim(item))
                case cst.UnaryOperation(operator=cst.Minus()):
                    found.numeric = True
                case cst.Arg():
                    pass
                case cst.IfExp(test=test) if test is not node:
                    pass
                case cst.Call(func=func) if func is not node:
                    if not self._called(found, parent, computed or node is not read):
                        return None, False
                case _:
                    computed = computed or node is not read
                    self._used(found, node, parent, computed)
                    return self._variable(node, parent), computed
            node, parent = parent, self.parents.get(parent)
        return None, False

    def _variable(self, node: cst.CSTNode, parent: cst.CSTNode) -> tuple[cst.Assign, str] | None:
        """The assignment that binds a variable to an expression, alone or as one of several, and the variable."""
        if isinstance(parent, cst.Element):
            parent = self.parents.get(self.parents.get(parent) or parent) or parent
        if isinstance(parent, cst.Assign):
            for name, value in assigned_values(parent.targets[0].target, parent.value):
                if value is node:
                    return parent, name
        return None

    def _reads(self, bound: cst.Assign, name: str) -> Iterator[cst.Name]:
        """The reads of a variable that an assignment may reach: those after it in its block and, if that is a branch arm, after
        the branch, up to the first statement that certainly rebinds the variable. Of branches, only the tests are searched."""
        line = self.parents.get(bound)
        while isinstance(line, (cst.SimpleStatementLine, cst.If)):
            block = self.parents.get(line)
            if isinstance(block, cst.IndentedBlock):
                for later in block.body[block.body.index(line) + 1 :]:
                    small = later.body if isinstance(later, cst.SimpleStatementLine) else ()
                    for head in [read_first(part) for part in small] or tests_of(later):
                        yield from (n for n, _p in walk(head) if isinstance(n, cst.Name) and n.value == name)
                    if any(name in bound_by(part) for part in small):
                        return
                block = self.parents.get(block)
            while isinstance(block, cst.Else) or (isinstance(block, cst.If) and isinstance(self.parents.get(block), cst.If)):
                block = self.parents.get(block)  # all of a chain
            line = block

    def _takes_number(self, target: cst.Subscript) -> bool:
        """Whether a store binds one element of an array that the unit allocated."""
        name = self._indexed(target)
        return name is not None and self.ranks.get(name, 0) == len(target.slice)

    def masks(self) -> None:
        """Recognize masks: `m` in `if m[i]`, where `x[i]` of the same index is a number."""
        numbers = self.accumulated.union(*(found.indices for found in self.found.values() if found.uniform))
        for found in self.found.values():
            found.number |= bool(found.asked & numbers)

    def _called(self, found: ItemUses, call: cst.Call, computed: bool) -> bool:
        """Record that an item is passed to a function; whether the uses of the result count, too."""
        called = self.scopes.qualname(call.func) or ""
        if (
            called.startswith("math.")
            or called == "builtins.range"
            or (computed and called in ("builtins.int", "builtins.float"))
        ):
            found.number = True
            return False
        if called == "builtins.abs":
            found.numeric = True
            return True
        if called in ("builtins.min", "builtins.max") and len(call.args) > 1:
            found.tested = True
            return True
        entry = numpy_table.function(called) if called.startswith("numpy.") else None
        found.numeric |= entry is not None and bool(entry.ufunc)
        return entry is not None and bool(entry.ufunc)

    def _used(self, found: ItemUses, node: cst.CSTNode, parent: cst.CSTNode, computed: bool) -> None:
        """Record that an item, or a value computed from it, is compared, summed, stored, or used as an index."""
        match parent:
            case cst.Comparison() | cst.ComparisonTarget():
                self._compared(found, parent)
            case cst.AugAssign(target=cst.Name(value=name), operator=operator) if name in self.counters:
                found.alike |= isinstance(operator, (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign))
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if name in self.counters:
                found.alike |= computed and any(type(n) is cst.Name and n.value == name for n, _p in walk(node))
            case (
                cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)])
                | cst.AugAssign(target=cst.Subscript() as target)
            ):
                found.number |= self._takes_number(target)
            case cst.If(test=test) | cst.While(test=test) | cst.IfExp(test=test) if test is node:
                found.asked |= set() if computed else found.indices
                found.tested |= computed
            case cst.UnaryOperation(operator=cst.Not()) | cst.BooleanOperation():
                found.asked |= set() if computed else found.indices
            case cst.Slice():
                found.number = True
            case cst.Index():
                subscript = self.parents.get(self.parents.get(parent) or parent)
                if isinstance(subscript, cst.Subscript) and isinstance(subscript.value, cst.Name):
                    found.number |= subscript.value.value in self.ranks

    def _compared(self, found: ItemUses, node: cst.CSTNode) -> None:
        comparison = node if isinstance(node, cst.Comparison) else self.parents.get(node)
        if not isinstance(comparison, cst.Comparison):
            return
        parts = [comparison.left, *(c.comparator for c in comparison.comparisons)]
        literal = any(is_number(p) for p in parts) or bool(membership.numbers(comparison))
        if not literal and not all(isinstance(c.operator, ORDERED) for c in comparison.comparisons):
            return
        found.numeric |= literal
        above = self.parents.get(comparison)
        negated = isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not)
        selected = isinstance(above, cst.IfExp) and above.test is comparison
        found.tested |= isinstance(above, TESTS) or negated or selected
