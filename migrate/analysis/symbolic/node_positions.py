"""The positions of a unit's nodes, and what may bind a variable between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ...syntax.scopes import Scopes
from ...syntax.source import walk
from .affine import Affine

RESIZING = frozenset({"resize", "append", "extend", "insert", "pop", "remove", "clear"})  # methods of arrays and lists


@dataclass(slots=True)
class Positions:
    """The positions of a unit's nodes, and what may bind a variable between two of them."""

    unit: cst.CSTNode
    scopes: Scopes
    parents: Mapping[cst.CSTNode, cst.CSTNode | None]
    is_array: Callable[[cst.CSTNode], bool]
    is_integer: Callable[[cst.CSTNode], bool]
    _starts: dict[cst.CSTNode, int] = field(default_factory=dict)
    _ends: dict[cst.CSTNode, int] = field(default_factory=dict)
    _reshaped: frozenset[str] = frozenset()  # arrays with another shape later, and lists that grow or shrink

    def __post_init__(self) -> None:
        above: list[tuple[cst.CSTNode, cst.CSTNode | None]] = []
        for number, (node, parent) in enumerate(walk(self.unit)):
            self._starts[node] = self._ends[node] = number
            above.append((node, parent))
        for node, parent in reversed(above):
            if parent is not None:
                self._ends[parent] = max(self._ends[parent], self._ends[node])
        self._reshaped = frozenset(name for node in self._starts if (name := _reshaped(node)) is not None)

    def binds(self, name: str, statement: cst.CSTNode) -> bool:
        """Whether a statement, such as a loop, may rebind a variable, other than by changing an array in place."""
        nodes = self._bindings(name, statement, sizes=True)
        return nodes is None or any(self.inside(n, statement) for n in nodes)

    def fixed(self, form: Affine, at: cst.CSTNode) -> bool:
        """Whether a form contains only parameters that are never rebound, and sizes of such arrays."""
        for name in form.names:
            root, dot, _rest = name.partition(".")
            nodes = self._bindings(root, at, bool(dot))
            if nodes is None or not all(isinstance(n, cst.Param) for n in nodes) or root in self._reshaped:
                return False
        return True

    def bound(self, name: str, at: cst.CSTNode) -> list[cst.CSTNode] | None:
        """The nodes that bind a variable in the unit; None where something outside of it may bind it."""
        return self._bindings(name, at, sizes=False)

    def follows(self, statement: cst.CSTNode, node: cst.CSTNode) -> bool:
        """Whether a node is in a later statement of the same block, not in a nested function."""
        line = self.parents[statement]
        own = line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else statement
        return any(own in block[:position] for block, position in self._blocks(node))

    def between(self, statement: cst.CSTNode, at: cst.CSTNode) -> tuple[int, int]:
        """The positions of what may run after a statement and before `at`, which follows it."""
        line = self.parents[statement]
        return self._between(line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else statement, at)

    def narrowed(self, name: str, statement: cst.CSTNode) -> bool:
        """Whether a statement at the top level of the unit, in no loop and under no test, is the last that binds a variable."""
        line = self.parents[statement]
        if not isinstance(line, cst.SimpleStatementLine) or self._owner(self.parents[line]) is not self.unit:
            return False
        bound = self.bound(name, statement)
        return bound is not None and all(self.start(b) < self.start(statement) or self.inside(b, statement) for b in bound)

    def start(self, node: cst.CSTNode) -> int:
        return self._starts[node]

    def unchanged(self, name: str, at: cst.CSTNode, begin: int, end: int) -> bool:
        """Whether no binding of a variable lies between two positions."""
        return self._unchanged(name, at, begin, end)

    def _owner(self, node: cst.CSTNode | None) -> cst.CSTNode | None:
        """The compound statement to whose block `node` belongs."""
        while node is not None and isinstance(
            node, (cst.IndentedBlock, cst.SimpleStatementSuite, cst.SimpleStatementLine, cst.Else)
        ):
            above = self.parents[node]
            if isinstance(node, cst.Else) and isinstance(above, (cst.For, cst.While)):
                return above
            node = above
        return node

    def _blocks(self, at: cst.CSTNode) -> Iterator[tuple[list[cst.CSTNode], int]]:
        """The enclosing blocks of a node, innermost first, each with the index of the statement that contains the node."""
        for node, above in self._above(at):
            if isinstance(above, (cst.IndentedBlock, cst.SimpleStatementSuite, cst.SimpleStatementLine, cst.Module)):
                body: list[cst.CSTNode] = list(above.body)
                yield body, body.index(node)

    def _above(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """Each node on the path upwards with its parent, up to the enclosing function."""
        while node is not self.unit and (above := self.parents.get(node)) is not None:
            yield node, above
            if above is not self.unit and isinstance(above, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
                return
            node = above

    def inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Whether a node is `outer` or a part of it."""
        if node not in self._starts or outer not in self._starts:
            return False
        return self._starts[outer] <= self._starts[node] <= self._ends[outer]

    def _between(self, statement: cst.CSTNode, at: cst.CSTNode) -> tuple[int, int]:
        """The positions of the nodes after a statement that may run before `at` is evaluated."""
        for block, position in self._blocks(at):
            if statement in block:
                own = block[position]
                simple = isinstance(own, (cst.BaseSmallStatement, cst.SimpleStatementLine))
                return self._ends[statement] + 1, self._starts[own] - 1 if simple else self._ends[own]
        return self._ends[statement] + 1, self._ends[self.unit]

    def _bindings(self, name: str, at: cst.CSTNode, sizes: bool) -> list[cst.CSTNode] | None:
        """The nodes that bind a variable in the unit; None where something outside of the unit, or in a nested function, may bind
        it.
        """
        scope = self.scopes.scope_of(at)
        home = self.scopes.lookup(scope, name)
        if home is None:
            return None
        nodes = home.names[name]
        inside = [n for n in nodes if n in self._starts]
        if len(inside) < len(nodes) and len(nodes) > 1:
            return None
        for node in inside:
            if self.scopes.scope_of(node) is not home and not isinstance(node, (cst.Param, cst.CompFor, cst.NamedExpr)):
                return None
        if sizes:  # `x += y` preserves the size of an array
            inside = [n for n in inside if not (isinstance(n, cst.AugAssign) and self.is_array(n.target))]
        return inside

    def _unchanged(self, name: str, at: cst.CSTNode, begin: int, end: int) -> bool:
        """Whether no binding of a variable or size lies between two positions."""
        root, dot, _rest = name.partition(".")
        nodes = self._bindings(root, at, bool(dot))
        if nodes is None or any(begin <= self._starts[n] <= end for n in nodes):
            return False
        return not dot or root not in self._reshaped

    def _loops(self, node: cst.CSTNode) -> list[cst.For | cst.CompFor]:
        """The loops and comprehension clauses whose body contains a node, outermost first."""
        found: list[cst.For | cst.CompFor] = []
        for at, above in self._above(node):
            if isinstance(above, cst.For) and at is above.body:
                found.append(above)
            elif isinstance(above, (cst.ListComp, cst.SetComp, cst.GeneratorExp, cst.DictComp)) and at is not above.for_in:
                clauses = []
                clause: cst.CompFor | None = above.for_in
                while clause is not None:
                    clauses.append(clause)
                    clause = clause.inner_for_in
                found += reversed(clauses)
        return found[::-1]

    def _body(self, loop: cst.For | cst.CompFor) -> tuple[int, int]:
        if isinstance(loop, cst.CompFor):
            return 1, 0  # it binds nothing but its target
        return self._starts[loop.body], self._ends[loop.body]


def _reshaped(node: cst.CSTNode) -> str | None:
    if type(node) not in (cst.AssignTarget, cst.Call, cst.Del):
        return None
    match node:
        case cst.AssignTarget(target=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape"))):
            return name
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method))) if method in RESIZING:
            return name
        case cst.Del(target=cst.Subscript(value=cst.Name(value=name))):
            return name
    return None
