"""Scans: loops that store one element of an array in each iteration, and continue with the values of the previous one.

`lax.scan` stacks the elements. The array is not carried then. All that an iteration may read of it is the element that the
previous iteration stored (`y[i] = a * y[i - 1]`), which is carried instead.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ....rules.core.dtypes import WIDEST, strong
from ....rules.core.findings import Kind
from ....rules.facts.loops import NO_EXITS, Loop
from ....rules.facts.parallel_loops import Access, ParallelNest, Prefix, Store
from ....rules.facts.values import UNKNOWN, replace
from ....rules.syntax.source_text import verbatim
from ...syntax.source import walk
from ..loops.loop_analysis import bound_in
from ..state.interpreter_state import Run
from ..symbolic.affine import atom
from ..symbolic.scalar_evolution import ScalarEvolution
from .loop_nest import flat, integer, is_size, is_whole
from .parallel_loops import ParallelNestAnalysis, supposing
from .reductions import EXTREMA, OPERATORS, PRODUCT, SUM


def recurrence(
    run: Run, evolution: ScalarEvolution, node: cst.For, loop: Loop, is_static: Callable[[cst.CSTNode], bool]
) -> ParallelNest | None:
    """The iterations of a loop over a range of known length that `lax.scan` can run, None for any other loop."""
    if loop.form != "range" or loop.exits != NO_EXITS or loop.accumulated or loop.compaction or loop.index_after:
        return None
    if not all(shape.perhaps for shape in loop.shaped.values()):
        return None
    if any(name in origin.arrays for name, origin in loop.typed.items()):  # an element that starts with another dtype
        return None
    return supposing(run, evolution, [node], lambda known: _RecurrenceLoop(run, known, [node], loop, is_static).plan())


def by_rows(
    run: Run, evolution: ScalarEvolution, node: cst.For, loop: Loop, is_static: Callable[[cst.CSTNode], bool]
) -> ParallelNest | None:
    """The iterations of a loop over a range of known length that use their index only to read one row of arrays, which `lax.scan`
    passes to them; None for any other loop.
    """
    if loop.form != "range" or loop.exits != NO_EXITS or loop.compaction or loop.index_after or not loop.carry:
        return None
    return _RecurrenceLoop(run, evolution, [node], loop, is_static).row_plan()


class _RecurrenceLoop(ParallelNestAnalysis):
    """The analysis of the loop."""

    def row_plan(self) -> ParallelNest | None:
        node = self.nest[0]
        if not self.counted(node) or abs(self.order[0].step) != 1 or bound_in(self.run, node) & {*self.names}:
            return None
        if self.loop.accumulated and self.order[0].step < 0:  # the outputs would be in the order of the rows
            return None
        self.private = bound_in(self.run, node)
        reads = tuple(a for a in self._reads(set()) if self._row(a))
        rows = {n for a in reads for n, _parent in walk(a.node)}
        others = (n for n, _parent in walk(self.body) if n not in rows)
        if not reads or any(isinstance(n, cst.Name) and n.value == self.names[0] for n in others):
            return None
        return ParallelNest((node,), tuple(self.names), (), (), reads, False, carry=self.loop.carry, unset=self.loop.unset)

    def plan(self, part: bool = False) -> ParallelNest | None:
        node = self.nest[0]
        if not self.counted(node) or not isinstance(self.body, cst.IndentedBlock) or abs(self.order[0].step) != 1:
            return None
        bound = bound_in(self.run, node) - {*self.names}
        if bound_in(self.run, node) & {*self.names}:
            return None
        self.private = bound - set(self.loop.carry)
        statements = [s for line in self.body.body for s in self._small(line)]
        stores = [s for s in map(self._item, statements) if s is not None]
        arrays = [s.target.array for s in stores]
        if not stores or len(set(arrays)) < len(arrays):
            return None
        before: list[tuple[cst.Subscript, str]] = []
        described: list[Store] = []
        for store in stores:
            found = self._read_before(store)
            if found is None:
                return None
            before += [(read, store.target.array) for read in found]
            store = self._described(store, False)
            made = self._made_of(store.value, found)
            fits = store.fits or made
            wide = self.run.values.get(store.target.node.value, UNKNOWN).dtype in WIDEST
            maker = None if found else store.maker or (self._made(store) if fits and self._is_number(store.value) else None)
            described.append(replace(store, fits=fits, maker=maker, same=made and wide))
        if not self._disjoint(stores):
            return None
        carry = tuple(name for name in self.loop.carry if name not in arrays)
        if not carry and not before:
            return None
        if (prefix := self._prefix(statements, described, [n for n, _a in before], carry)) is not None:
            return prefix
        self.private |= {*carry}  # a carried value must not be read for all iterations in parallel
        reads = tuple(a for a in self._reads({s.target.node for s in stores}) if a.array not in arrays and self._row(a))
        unset = self.loop.unset & {*carry}
        return ParallelNest(
            (node,), tuple(self.names), tuple(described), (), reads, False, carry=carry, unset=unset, before=tuple(before)
        )

    def _prefix(
        self, statements: list[cst.CSTNode], stores: list[Store], before: list[cst.Subscript], carry: tuple[str, ...]
    ) -> ParallelNest | None:
        """The loop as a prefix sum, product or extremum of its operands, None where it is not one."""
        if len(stores) != 1 or self.order[0].step != 1:
            return None
        store = stores[0]
        found = self._of_items(store, before) if not carry else None
        if len(statements) == 2 and len(carry) == 1 and not before and statements[1] is store.node:
            found = self._of_variable(store, statements[0], carry[0])
        if found is None or len(statements) != 1 + len(carry):
            return None
        reads = tuple(self._reads({store.target.node}))
        known = self.run.values.get(store.target.node.value, UNKNOWN).rank
        self.numbers = known == len(store.target.parts)
        families: set[str] = set()
        if self._spanned(found.term, families, {}) != frozenset({0}):
            return None
        if not self.numbers and (found.name or not families <= {self._family(store.target)}):
            return None
        plain = frozenset(self.names) & self._numbers(reads, stores, [])
        every = tuple(self.names), tuple(stores), (), tuple(a for a in reads if a.node not in before), True
        return ParallelNest(
            (self.nest[0],), *every, plain=plain, before=tuple((n, store.target.array) for n in before), prefix=found
        )

    def _of_items(self, store: Store, before: list[cst.Subscript]) -> Prefix | None:
        """`y[i] = y[i - 1] + term`."""
        if len(before) != 1:
            return None
        match store.value:
            case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply() as operator, right=right):
                how = OPERATORS[type(operator)]
                minus = isinstance(operator, cst.Subtract)
            case cst.Call(
                func=func, args=[cst.Arg(value=left, keyword=None, star=""), cst.Arg(value=right, keyword=None, star="")]
            ):
                name = self.run.scopes.qualname(func) or ""
                how, minus = EXTREMA.get(name, "") if name.startswith("numpy.") else "", False
            case _:
                return None
        if right is before[0] and not minus:
            left, right = right, left
        known = self.run.values.get(store.target.node.value, UNKNOWN).dtype
        given = self.run.values.get(right, UNKNOWN).dtype
        exact = known in WIDEST or (known == "int64" and strong(given) == "int64")
        if left is not before[0] or not how or not exact or any(n is before[0] for n, _p in walk(right)):
            return None
        return Prefix(how, right, minus, wide=given != known)

    def _of_variable(self, store: Store, statement: cst.CSTNode, name: str) -> Prefix | None:
        """`s += term`, `y[i] = s`, where nothing reads `s` after the loop."""
        kept = isinstance(store.value, cst.Name) and store.value.value == name
        found = self.reduction(statement) if kept else None
        if found is None or found.how not in (SUM, PRODUCT) or name in self.run.live.after.get(self.nest[0], ()):
            return None
        mentions = sum(isinstance(n, cst.Name) and n.value == name for n, _p in walk(statement))
        start = self._start(name)
        if start.kind is not Kind.SCALAR or mentions != (2 if isinstance(statement, cst.Assign) else 1):
            return None
        return Prefix(found.how, found.value, found.minus, name, self.run.values.get(found.value, UNKNOWN).dtype != "float64")

    def _item(self, statement: cst.CSTNode) -> Store | None:
        """A statement that stores the element of its iteration: `y[i + k] = value`, `y[i, :] = value`."""
        store = self.store(statement) if isinstance(statement, cst.Assign) else None
        if store is None or store.operator is not None or store.summed:
            return None
        axes = store.target.axes or ()
        rest = list(zip(store.target.parts, axes, strict=True))[1:]
        return store if axes[0] == 0 and all(a == -2 and is_whole(p) for p, a in rest) else None

    def _read_before(self, store: Store) -> list[cst.Subscript] | None:
        """The reads of what the previous iteration stored; None where an iteration reads anything else of the array."""
        found: list[cst.Subscript] = []
        target = store.target
        for node, parent in walk(self.body):
            if not isinstance(node, cst.Name) or node.value != target.array or node is target.node.value:
                continue
            if isinstance(parent, cst.Attribute):
                if parent.value is node and not is_size(node, parent):
                    return None
                continue
            if isinstance(parent, cst.Arg) and parent.keyword is node:
                continue
            if not isinstance(parent, cst.Subscript) or parent.value is not node or parent.slice is None:
                return None
            first = integer(flat(parent)[0])
            form = (
                None
                if first is None or self.run.values.get(first, UNKNOWN).kind is not Kind.SCALAR
                else self.evolution.form(first)
            )
            shift = None if form is None else (form - atom(self.names[0])).number
            if shift is None or shift != target.offsets[0] - self.order[0].step:
                return None
            found.append(parent)
        return found

    def _made_of(self, value: cst.BaseExpression, items: list[cst.Subscript]) -> bool:
        """Whether a whole row is an operand of the arithmetic that computes a value, which then has its shape."""
        match value:
            case cst.Subscript():
                return value in items and all(is_whole(p) for p in flat(value)[1:])
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
                return self._made_of(inner, items)
            case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
                return self._made_of(left, items) or self._made_of(right, items)
        return False

    def _is_number(self, value: cst.BaseExpression) -> bool:
        """Whether a value is a variable that is a scalar before the loop: a loop-carried value keeps its shape."""
        carried = isinstance(value, cst.Name) and value.value in self.loop.carry
        return carried and self._start(verbatim(value)).kind is Kind.SCALAR

    def _disjoint(self, stores: list[Store]) -> bool:
        """Whether no other variable shares memory with what the loop stores: it would no longer see the stores."""
        arrays = {s.target.array for s in stores}
        written = {m for s in stores for u in self.run.effects.updates.get(s.node, ()) for m in u.value.memory}
        for node, _parent in walk(self.nest[0]):
            if isinstance(node, cst.Name) and node.value not in arrays and written & self.run.values.get(node, UNKNOWN).memory:
                return False
            for update in self.run.effects.updates.get(node, ()):
                if node not in {s.node for s in stores} and (update.refresh or update.access_path in arrays):
                    return False
        return True

    def _row(self, access: Access) -> bool:
        """Whether a subscript reads one row in each iteration, along the first axis."""
        axes = access.axes or ()
        return axes[:1] == (0,) and all(a == -2 and is_whole(p) for p, a in list(zip(access.parts, axes, strict=True))[1:])


__all__ = ["by_rows", "recurrence"]
