"""Compaction: loops in which one mask at the end of each iteration selects the elements of arrays that remain.

    for i in range(n):
        z = z * z + c
        out = abs(z) > 2
        count[place[out]] = i
        z, c, place = z[~out], c[~out], place[~out]

JAX compiles for arrays of one length. All elements stay, and a mask tells which of them are left. What becomes of the others has
no effect, since elements are computed independently, each from those at the same position, and stored where the mask holds. An
iteration without elements stores nothing, so a test of their number may end the loop earlier or later.
"""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.compaction import CompactedArrays, Scatter
from ....rules.facts.values import NOTHING, UNKNOWN, Value
from ...syntax.names import targets_of
from ...syntax.source import walk
from ..slices.index_grids import grid_sizes
from ..state.index_expressions import flat
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.node_facts import MASKED


def resolve(run: Run) -> None:
    """Allow jit for the mask selections in such loops."""
    for loop in run.loops.compiled.values():
        for node in loop.compaction.selections if loop.compaction is not None else ():
            if run.constraints.impure.get(node) == MASKED:
                del run.constraints.impure[node]


def compaction(run: Run, node: cst.For | cst.While, carry: Collection[str], before: Env) -> CompactedArrays | None:
    """The plan of a loop that compacts arrays by a mask, and otherwise computes element by element; None for any other loop."""
    if not isinstance(node, cst.For) or not isinstance(node.target, cst.Name) or node.orelse is not None:
        return None
    space = run.scopes.iteration_space(node)
    if not space.is_range or space.stride != 1 or targets_of(node) & run.live.after.get(node, NOTHING):
        return None
    found = _Iteration(run, node, carry, before)
    return found.compaction() if found.sliced else None


class _Iteration:
    """The statements of an iteration, in order."""

    def __init__(self, run: Run, node: cst.For, carry: Collection[str], before: Env) -> None:
        self.run, self.node, self.carry, self.before = run, node, carry, before
        self.lines: list[cst.CSTNode] = list(node.body.body)
        self.sliced: dict[str, cst.BaseExpression] = {}  # compacted arrays -> the mask
        self.compactions: list[cst.Assign] = []
        while self.lines and (pairs := _compaction_masks(self.lines[-1])):
            line = self.lines.pop()
            self.compactions += [n for n, _above in walk(line) if isinstance(n, cst.Assign)]
            self.sliced |= pairs
        self.mask: cst.BaseExpression = next(iter(self.sliced.values()), cst.Name("_"))
        self.rows = set(self.sliced)  # variables with one number for each element that is left
        self.scatters: list[Scatter] = []
        self.tests: list[cst.If] = []

    def compaction(self) -> CompactedArrays | None:
        index = self.node.target.value if isinstance(self.node.target, cst.Name) else ""
        if not all(self.mask.deep_equals(m) for m in self.sliced.values()) or self.sliced.keys() & {
            _variable(self.mask).value,
            index,
        }:
            return None
        if self.sliced.keys() & self.run.live.after.get(self.node, NOTHING) or not self.sliced.keys() <= set(self.carry):
            return None
        if not self._flat() or not all(map(self._understood, self.lines)):
            return None
        if not self._is_mask(self.mask):
            return None
        stored = {s.array.value for s in self.scatters}
        if not stored or set(self.carry) != stored | self.sliced.keys() or stored & self.rows:
            return None
        mentions = [n.value for n, above in walk(self.node) if isinstance(n, cst.Name) and n.value in stored]
        if len(mentions) != len(self.scatters):  # what is stored is not read
            return None
        changed = {n for line in self.lines for n in self._bound(line)}
        scatters = [s._replace(sizes=self._sizes(s, changed)) for s in self.scatters]
        selections = [n for n, _above in walk(self.node.body) if isinstance(n, cst.Subscript) and _selection(n) is not None]
        return CompactedArrays(
            self.mask,
            tuple(reversed(self.compactions)),
            tuple(scatters),
            tuple(self.tests),
            tuple(name for name in self.carry if name in stored or name in changed),
            next(iter(self.sliced)),
            tuple(selections),
        )

    def _sizes(self, scatter: Scatter, changed: Collection[str]) -> tuple[cst.BaseExpression, ...]:
        """The sizes of the block that the indices of a store enumerate, where no iteration changes the indices."""
        indices = tuple(place.value for place in scatter.indices)
        return () if {*indices} & {*changed} else grid_sizes(self.run, indices, self.node, self.sliced)

    def _flat(self) -> bool:
        """Whether all compacted arrays have one axis before the loop."""
        values = [self.before.get(name, UNKNOWN) for name in self.sliced]
        return all(value.kind is Kind.ARRAY and value.rank == 1 for value in values)

    def _bound(self, line: cst.CSTNode) -> set[str]:
        names = {n.target.value for n, _p in walk(line) if isinstance(n, cst.AssignTarget) and isinstance(n.target, cst.Name)}
        changed = {u.access_path for n, _p in walk(line) for u in self.run.effects.updates.get(n, ())}
        return names | changed

    def _understood(self, line: cst.CSTNode) -> bool:
        """Whether a line computes elementwise, stores some of the elements, or tests whether any are left."""
        if isinstance(line, cst.If):
            if line.orelse is None and self._asks(line.test) and _breaks(line):
                self.tests.append(line)
                return True
            return False
        if not isinstance(line, cst.SimpleStatementLine):
            return False
        return all(self._statement(small) for small in line.body)

    def _statement(self, statement: cst.BaseSmallStatement) -> bool:
        for node, _above in walk(statement):
            for update in self.run.effects.updates.get(node, ()):
                if update.problem or update.refresh or update.param or "." in update.access_path or "[" in update.access_path:
                    return False
        match statement:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                return self._binds(name, value)
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value):
                matrix = isinstance(operator, cst.MatrixMultiplyAssign)
                return name in self.rows and not matrix and self._each(value) is not None
            case cst.Expr(value=cst.Call(func=func, args=args)) if args and not any(a.keyword or a.star for a in args):
                entry = numpy_table.function(self.run.scopes.qualname(func) or "")
                out = args[-1].value
                if entry is None or not entry.ufunc or len(args) != entry.ufunc + 1 or not isinstance(out, cst.Name):
                    return False
                return out.value in self.rows and all(self._each(a.value) is not None for a in args[:-1])
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)]):
                return self._scatter(statement, target)
        return False

    def _binds(self, name: str, value: cst.BaseExpression) -> bool:
        along = self._each(value)
        if along is None or (name in self.carry and not along) or (name in self.rows and not along):
            return False
        if along:
            self.rows.add(name)
        return True

    def _scatter(self, statement: cst.Assign, target: cst.Subscript) -> bool:
        if not isinstance(target.value, cst.Name) or self._value(target.value).kind is not Kind.ARRAY:
            return False
        parts = [p.value if isinstance(p, cst.Index) else None for p in flat(target)]
        selection = {_chosen(p) for p in parts}
        if None in parts or len(selection) != 1 or self._value(target.value).rank not in (-1, len(parts)):
            return False
        mask = _mask_of(parts[0])
        if mask is not None and not self._is_mask(mask):
            return False
        indices = [p.value if isinstance(p, cst.Subscript) else p for p in parts]
        for place in indices:
            if not isinstance(place, cst.Name) or place.value not in self.sliced or category(self.before[place.value].dtype) != 1:
                return False
        value: cst.BaseExpression = statement.value
        along: bool | None = True
        if mask is not None and (selected := _selection(value)) is not None:
            if selected[0].value not in self.rows or not selected[1].deep_equals(mask):
                return False
            value = selected[0]
        else:
            along = self._each(value)
            if along is None or (along and mask is not None):
                return False
        rank = len(parts) if along and self._value(target.value).rank < 0 else 0
        names = tuple(p for p in indices if isinstance(p, cst.Name))
        self.scatters.append(Scatter(statement, target.value, names, mask, value, rank, bool(along)))
        return True

    def _is_mask(self, node: cst.BaseExpression) -> bool:
        name = _variable(node)
        return name.value in self.rows and category(self._value(name).dtype) == 0

    def _value(self, node: cst.CSTNode) -> Value:
        return self.run.values.get(node, UNKNOWN)

    def _asks(self, test: cst.BaseExpression) -> bool:
        """Whether a test asks if no elements are left: `not len(x)`, `len(x) == 0`, `x.size == 0`, `not x.size`."""
        match test:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                return self._counts(inner)
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                zero = isinstance(operator, cst.Equal) and isinstance(right, cst.Integer) and right.value == "0"
                one = isinstance(operator, cst.LessThan) and isinstance(right, cst.Integer) and right.value == "1"
                return (zero or one) and self._counts(left)
        return False

    def _counts(self, node: cst.BaseExpression) -> bool:
        match node:
            case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name), keyword=None, star="")]):
                return self.run.scopes.qualname(func) == "builtins.len" and name in self.rows
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="size")):
                return name in self.rows
            case cst.Subscript(
                value=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
                slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))],
            ):
                return name in self.rows
        return False

    def _each(self, node: cst.BaseExpression) -> bool | None:
        """True for an expression with one number for each element that is left, False for one number; None for anything else."""

        def several(*nodes: cst.BaseExpression) -> bool | None:
            found = [self._each(n) for n in nodes]
            return None if None in found else any(found)

        match node:
            case cst.Integer() | cst.Float() | cst.Imaginary():
                return False
            case cst.Name(value=name):
                if name in self.rows:
                    return True
                return False if self._value(node).kind is Kind.SCALAR and name not in self.carry else None
            case cst.BinaryOperation(left=left, operator=operator, right=right):
                return None if isinstance(operator, cst.MatrixMultiply) else several(left, right)
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus() | cst.BitInvert(), expression=inner):
                return several(inner)
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                other = isinstance(operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot))
                return None if other else several(left, right)
            case cst.Attribute(value=inner, attr=cst.Name(value="real" | "imag")):
                return several(inner)
            case cst.Call(func=func, args=args) if args and not any(a.keyword or a.star for a in args):
                name = self.run.scopes.qualname(func) or ""
                entry = numpy_table.function(name)
                ufunc = entry is not None and entry.ufunc == len(args)
                if ufunc or (name == "numpy.where" and len(args) == 3) or name == "builtins.abs":
                    return several(*(a.value for a in args))
        return None


def _selection(node: cst.BaseExpression | None) -> tuple[cst.Name, cst.BaseExpression] | None:
    """The array and the mask of `x[mask]` and `x[~mask]`, both of them variables."""
    match node:
        case cst.Subscript(value=cst.Name() as array, slice=[cst.SubscriptElement(slice=cst.Index(value=mask))]):
            return (array, mask) if isinstance(mask, cst.Name) or _negated(mask) is not None else None
    return None


def _negated(node: cst.BaseExpression) -> cst.Name | None:
    match node:
        case cst.UnaryOperation(operator=cst.BitInvert(), expression=cst.Name() as name):
            return name
    return None


def _variable(mask: cst.BaseExpression) -> cst.Name:
    name = mask if isinstance(mask, cst.Name) else _negated(mask)
    assert name is not None
    return name


def _mask_of(node: cst.BaseExpression | None) -> cst.BaseExpression | None:
    found = _selection(node)
    return None if found is None else found[1]


def _chosen(node: cst.BaseExpression | None) -> str:
    found = _mask_of(node)
    return "" if found is None else cst.Module([]).code_for_node(found)


def _compaction_masks(line: cst.CSTNode) -> dict[str, cst.BaseExpression]:
    """The masks by which a line compacts variables: `x = x[mask]`, `x, y = x[mask], y[mask]`; empty for any other line."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            pass
        case _:
            return {}
    pairs: list[tuple[cst.BaseExpression, cst.BaseExpression]] = [(target, value)]
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
        pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=True)]
    found: dict[str, cst.BaseExpression] = {}
    for name, made in pairs:
        selected = _selection(made)
        if selected is None or not isinstance(name, cst.Name) or selected[0].value != name.value or name.value in found:
            return {}
        found[name.value] = selected[1]
    return found


def _breaks(node: cst.If) -> bool:
    match node.body:
        case cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Break()])]) | cst.SimpleStatementSuite(body=[cst.Break()]):
            return True
    return False
