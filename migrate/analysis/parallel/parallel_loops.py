"""Loops with independent iterations: each stores into elements of its own, or reduces into a variable that no iteration reads.

All iterations can run in parallel then: by `jax.vmap` of one iteration, or by code on whole arrays where an iteration computes on
scalars only, element by element. A loop is analysed together with the loops in it that are all of its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.dynamic_slices import Mask
from ....rules.facts.loops import Loop
from ....rules.facts.parallel_loops import FIRST, Access, ParallelNest, Reduction, Store, WindowRead
from ....rules.facts.values import UNKNOWN, Value, replace
from ....rules.syntax import loop_ranges
from ....rules.syntax.tree import last_mention
from ...syntax.names import targets_of
from ...syntax.source import walk
from ..loops.loop_analysis import bound_in
from ..slices.slice_bounds import moving_names
from ..state.interpreter_state import Run
from ..symbolic.affine import NOT_NEGATIVE, Affine
from ..symbolic.dependence import Part, Relation, Section, disjoint, injective, relation
from ..symbolic.inequalities import nonnegative
from ..symbolic.scalar_evolution import ScalarEvolution
from ..symbolic.sign_analysis import assuming, open_signs
from .if_conversion import predicated_stores
from .loop_nest import binds_only, code, flat, integer, is_size, is_whole
from .reductions import Reductions
from .sliding_windows import windows


def classify(
    run: Run, evolution: ScalarEvolution, node: cst.For, loop: Loop, is_static: Callable[[cst.CSTNode], bool]
) -> ParallelNest | None:
    """The iterations of a loop that jit compiles, where all can run in parallel, for the largest nest of loops for which that
    holds.

    `is_static`: whether the bounds of a range are known when tracing, as the shapes of arrays must be.
    """
    nest = nest_of(run, node)

    def largest(known: ScalarEvolution) -> ParallelNest | None:
        iterations = (ParallelNestAnalysis(run, known, nest[:depth], loop, is_static).plan() for depth in range(len(nest), 0, -1))
        return next((each for each in iterations if each is not None), None)

    return supposing(run, evolution, nest, largest)


def supposing(
    run: Run, evolution: ScalarEvolution, nest: Sequence[cst.For], decided: Callable[[ScalarEvolution], ParallelNest | None]
) -> ParallelNest | None:
    """The decision on a nest of loops, if need be under the assumption that numbers in the bounds of their ranges are not
    negative.
    """
    said = [name for root, plan in run.slices.ragged.items() for name in plan.signs if evolution.inside(root, nest[0])]
    resolved = {name.removesuffix(NOT_NEGATIVE) for name in said if name.endswith(NOT_NEGATIVE)}
    bounds = [bound for each in nest for r in evolution.ranges_of(each) for bound in (r.start, r.stop) if bound is not None]
    open_ = open_signs(run, evolution, bounds) - moving_names(run, evolution)
    found, signs = assuming(evolution, open_, resolved, decided)
    return None if found is None else found._replace(signs=signs)


def nest_of(run: Run, node: cst.For) -> list[cst.For]:
    """A loop, and the loops in it each of which is the whole body of the one before, as far as jit compiles them."""
    nest = [node]
    while (inner := only_loop(nest[-1])) is not None and inner in run.loops.compiled:
        nest.append(inner)
    return nest


def only_loop(node: cst.For) -> cst.For | None:
    body = node.body.body
    return body[0] if len(body) == 1 and isinstance(body[0], cst.For) else None


def _same_value(first: Store, second: Store) -> Store | None:
    """`a[i, i:] = v` followed by `a[i:, i] = v`, as one store."""
    if not first.masks or not second.masks or first.target.array != second.target.array:
        return None
    if (
        not isinstance(first.value, cst.Name)
        or not first.value.deep_equals(second.value)
        or not isinstance(second.node, cst.Assign)
    ):
        return None
    if _counted_by(first) != _counted_by(second):
        return None
    return replace(first, masks=(*first.masks, *second.masks), again=(*first.again, second.node))


def _counted_by(store: Store) -> tuple[str, ...]:
    """The length and the bounds that all locations of a store have in common."""
    bounds = store.masks[0][1].axes[0][1]
    return (bounds.along, *("" if end is None else code(end) for end in (bounds.lower, bounds.upper)))


class ParallelNestAnalysis(Reductions):
    """The analysis of a nest; `plan` returns its result."""

    def plan(self, part: bool = False) -> ParallelNest | None:
        """The plan of all iterations in parallel. `part`: the body is a part of an iteration, and computes element by element."""
        if self._index_after() or not all(self.counted(f) for f in self.nest) or len(set(self.names)) < len(self.names):
            return None
        if not isinstance(self.body, cst.IndentedBlock) or any(
            bound_in(self.run, f) & {*self.names, *dict(self.rows)} for f in self.nest[-1:]
        ):
            return None
        bound = bound_in(self.run, self.nest[0]) - {*self.names, *dict(self.rows)}
        self.private = bound - set(self.loop.carry) - set(self.inner.carry if self.inner is not None else ())
        statements = [s for line in self.body.body for s in self._small(line)]
        stores: list[Store] = []
        reductions: list[Reduction] = []
        before = -1  # the number of the last statement that stored
        for statement in statements:
            if (store := self.store(statement) or self._masked_store(statement)) is not None:
                joined = _same_value(stores[-1], store) if stores and statements.index(statement) == before + 1 else None
                stores[-1:] = [*stores[-1:], store] if joined is None else [joined]
                before = statements.index(statement)
            elif (
                reduction := self._first(statement) or self.reduction(statement) or self._conditional_extremum(statement)
            ) is not None:
                reductions.append(reduction)
            else:
                selected = predicated_stores(self, statement)
                stores += selected.stores
                reductions += selected.reductions
        kept = [*(s.target.array for s in stores), *(name for r in reductions for name in r.names)]
        required = {*self.loop.carry, *(f.name for f in self.loop.accumulated)}
        searches = any(r.how == FIRST for r in reductions)
        if searches:
            required -= {*self.names, *dict(self.rows)}  # what is returned is computed from them
        if bool(self.loop.exits.guards) is not searches or (searches and (stores or len(reductions) > 1)):
            return None
        if not (kept or searches or part) or self._twice(stores, reductions):
            return None
        if set(kept) != required and not part:
            return None
        if part and (searches or self.plans or not self._is_part(kept, reductions)):
            return None
        if self.loop.accumulated and (len(self.nest) > 1 or self.order[0].step < 0):  # all iterations are in rising order
            return None
        if not all(self._independent(s, statements, stores) for s in stores) or not all(self._unread(r) for r in reductions):
            return None
        stored = {node for s in stores for node in s.nodes}
        if not self.changes_nothing_else({*stored, *(node for r in reductions for node in r.nodes)}):
            return None
        reads = tuple(self._reads({target for s in stores for target in s.targets}))
        elementwise = self._elementwise(statements, stores, reductions)
        if not elementwise and (searches or not all(self._sums_rows(s) for s in stores)):
            return None
        if any(s.unsure and (elementwise or s.predication is not None) for s in stores):
            return None
        if part and not elementwise:
            return None
        kept_by: list[Store | Reduction] = [*stores, *reductions]
        if not elementwise and any(each.predication is not None for each in kept_by) and self._ends_early():
            return None
        stores = [self._described(s, elementwise) for s in stores]
        if any(not is_whole(p) for s in stores if not s.fits for p in s.target.parts if isinstance(p.slice, cst.Slice)):
            return None
        expensive = "" if elementwise else self._expensive(stores)
        if expensive and (
            reductions or len(self.nest) > 1 or not stores or self.rows or any(s.predication is not None for s in stores)
        ):
            return None
        if expensive and any(
            s.masks or s.summed or -2 in (s.target.axes or ())[: (s.target.axes or ()).index(0)] for s in stores
        ):
            return None
        read = () if elementwise or expensive else tuple(windows(self))
        gone = self._left_out(read) if read or (self.segments and elementwise) else ()
        plain = frozenset(self.names) & self._numbers(reads, stores, reductions, (*gone, *(w.node for w in read)))
        return ParallelNest(
            tuple(self.nest),
            tuple(self.names),
            tuple(stores),
            tuple(reductions),
            reads,
            elementwise,
            expensive,
            plain,
            self.numbers or all(self.run.values.get(r.value, UNKNOWN).kind is Kind.SCALAR for r in reductions),
            self.rows,
            self.numbers,
            products=tuple(self.products.values()) if elementwise else (),
            windows=read,
            segments=tuple(self.segments.values()) if elementwise else (),
            gone=gone,
        )

    def _twice(self, stores: Sequence[Store], reductions: Sequence[Reduction]) -> bool:
        """Whether several statements store to one location, as far as these have the same text; or reduce into one variable."""
        evolution = [code(s.target.node) for s in stores if not s.masks]
        evolution += [s.target.array for s in stores if s.masks] + [name for r in reductions for name in r.names]
        arrays = {s.target.array for s in stores if s.masks}
        return len(set(evolution)) < len(evolution) or any(not s.masks and s.target.array in arrays for s in stores)

    def _sums_rows(self, store: Store) -> bool:
        """Whether a sum of several iterations into one location can be computed where each iteration has an array as operand: the
        first axes of all operands are those of the indices, in their order.
        """
        axes = store.target.axes or ()
        return not store.summed or (-2 not in axes and [a for a in axes if a >= 0] == sorted(a for a in axes if a >= 0))

    def _is_part(self, kept: Sequence[str], reductions: Sequence[Reduction]) -> bool:
        """Whether a part of an iteration only stores, reduces, or binds private variables; a loop in it does nothing else."""
        plain = all(r.how in ("sum", "prod") for r in reductions)
        inner = self.inner
        return plain and (inner is None or (set(inner.carry) <= {*kept} and not inner.accumulated and not inner.exits.guards))

    def _ends_early(self) -> bool:
        """Whether a loop in an iteration ends by a test: all iterations in parallel would each take as long as the longest."""
        for node in self.run.source.among(self.body, cst.For, cst.While):
            found = self.run.loops.compiled.get(node)
            if isinstance(node, cst.While) or (found is not None and found.exits.guards):
                return True  # any other one is Python's: its trip count is known when JAX traces
        return False

    def _left_out(self, read: Iterable[WindowRead]) -> tuple[cst.CSTNode, ...]:
        """Assignments of variables that only bound the windows of iterations, or their segments."""
        taken = [*(w.node for w in read), *(part for s in self.segments.values() for part in s.sliced)]
        inside = {n for node in taken for n, _parent in walk(node)}
        gone: list[cst.CSTNode] = []
        for line in reversed(self.body.body if isinstance(self.body, cst.IndentedBlock) else ()):
            for small in self._small(line):
                if binds_only(self, small, inside):
                    gone.append(small)
                    inside |= {n for n, _parent in walk(small)}
        return tuple(gone)

    def _index_after(self) -> bool:
        """Whether the loop's variable is read after it, other than by what the loop returns."""
        found = self.loop.exits.returned
        if found is None or not self.loop.index_after:
            return self.loop.index_after
        return bool(targets_of(self.nest[0]) & self.run.live.after.get(self.nest[0], frozenset()))

    def store(self, statement: cst.CSTNode) -> Store | None:
        """`array[...] = value`, where the indices of the nest occur in the subscript as they are."""
        operator: cst.BaseAugOp | None = None
        match statement:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)], value=value):
                pass
            case cst.AugAssign(target=cst.Subscript() as target, operator=operator, value=value):
                pass
            case _:
                return None
        updates = self.run.effects.updates.get(statement, [])
        if len(updates) != 1 or not isinstance(target.value, cst.Name) or target.value.value not in self.loop.carry:
            return None
        update = updates[0]
        plain = update.access_path == target.value.value and len(update.steps) == 1 and not update.problem and not update.refresh
        access = self.access(target) if plain and update.steps[0] is target else None
        if access is None or access.axes is None or not isinstance(statement, (cst.Assign, cst.AugAssign)):
            return None
        summed = tuple(k for k in range(len(self.names)) if k not in access.axes)
        own: cst.BaseExpression | None = None
        unsure = bool(summed) and not self._adds_up(target, value)
        if unsure and self.run.values.get(target.value, UNKNOWN).dtype:
            return None
        if summed:
            match statement:
                case cst.Assign(value=cst.BinaryOperation(left=own, operator=cst.Add(), right=value)) if own.deep_equals(target):
                    operator = cst.AddAssign()
        alone = () if summed else (type(None), cst.MultiplyAssign, *((cst.DivideAssign,) if self._is_float(target) else ()))
        if type(operator) not in (*alone, cst.AddAssign, cst.SubtractAssign):
            return None
        return Store(statement, access, value, operator, summed=summed, own=own if operator is not None else None, unsure=unsure)

    def _is_float(self, target: cst.Subscript) -> bool:
        """Whether an array certainly stores quotients without conversion."""
        return category(self.run.values.get(target.value, UNKNOWN).dtype) >= 2

    def _masked_store(self, statement: cst.CSTNode) -> Store | None:
        """`a[i, i:] = value`, `a[i, i:] = a[i:, i] = value`: a row, a column, or both, from the index on or up to it."""
        plan = self.ragged(statement)
        if not isinstance(statement, cst.Assign) or plan is None or len(self.nest) > 1 or self.order[0].step != 1:
            return None
        others = (plan.masks, plan.reductions, plan.products, plan.selected, plan.windows, plan.moved)
        updates = self.run.effects.updates.get(statement, [])
        if any(others) or not plan.stores or any(u.problem or u.refresh or len(u.steps) != 1 for u in updates):
            return None
        masks: list[tuple[Access, Mask]] = []
        for target in (t.target for t in statement.targets):
            if not isinstance(target, cst.Subscript) or target not in plan.stores:
                return None
            parts = flat(target)
            access = self.access(
                target, {k: cst.Slice(None, None) for k, p in enumerate(parts) if p.slice in self.run.slices.sliced}
            )
            mask = plan.stores[target]
            if access is None or access.axes is None or sorted(access.axes) != [-2, 0] or len(mask.axes) != 1:
                return None
            masks.append((access, mask))
        first = masks[0][0]
        same = {(a.array, _counted_by(Store(statement, a, statement.value, masks=((a, m),)))) for a, m in masks}
        if len(same) > 1 or first.array not in self.loop.carry or len(updates) != len(masks):
            return None
        if self.run.values.get(first.node.value, UNKNOWN).rank != 2 or any(
            m.axes[0][1].wraps or m.axes[0][1].step is not None for _a, m in masks
        ):
            return None
        bounds = [b for _a, m in masks for b in (m.axes[0][1].lower, m.axes[0][1].upper) if b is not None]
        if any(isinstance(n, cst.Name) and n.value in {*self.private, *self.loop.carry} for b in bounds for n, _p in walk(b)):
            return None
        return Store(statement, first, statement.value, masks=tuple(masks))

    def _adds_up(self, target: cst.Subscript, value: cst.BaseExpression) -> bool:
        """Whether an element of an array gets the same value from one sum as from successive additions: integers are truncated
        after each addition.
        """
        given = category(self.run.values.get(value, UNKNOWN).dtype)
        kept = category(self.run.values.get(target.value, UNKNOWN).dtype)
        return kept >= 2 or 0 <= given <= kept

    def subscript(self, node: cst.Subscript) -> list[Part]:
        parts: list[Part] = []
        for part in flat(node):
            if isinstance(part.slice, cst.Slice):
                step = part.slice.step
                if step is not None and loop_ranges.integer(step) != 1:
                    parts.append(None)
                    continue
                low, high = part.slice.lower, part.slice.upper
                parts.append(
                    Section(
                        Affine() if low is None else self.evolution.form(low), None if high is None else self.evolution.form(high)
                    )
                )
            elif (index := integer(part)) is None:
                return [*parts, *[None] * 8]
            else:
                number = self.run.values.get(index, UNKNOWN).kind is Kind.SCALAR
                parts.append(self.evolution.form(index) if number else None)
        return parts

    def _independent(self, store: Store, statements: list[cst.CSTNode], stores: Sequence[Store]) -> bool:
        """Whether no iteration writes or reads what another one writes, except for reads of values from before the loop."""
        if store.masks:
            return self._regions(store)
        place = self.subscript(store.target.node)
        facts = self.evolution.facts(store.target.node)
        others = {target for other in stores for target in other.targets}
        if not injective(place, [index for k, index in enumerate(self.order) if k not in store.summed], facts):
            return False
        for node, parent in walk(self.body):
            if not (isinstance(node, cst.Name) and node.value == store.target.array) or parent in store.targets:
                continue
            if is_size(node, parent):
                continue
            if not isinstance(parent, cst.Subscript) or parent.value is not node:
                return False
            if parent is store.own:
                continue
            found = relation(place, self.subscript(parent), self.order, self.evolution.facts(parent))
            if found is not Relation.NEVER and (store.summed or parent in others):
                return False
            if found is Relation.MAYBE or (found is Relation.SAME and not self._before(parent, store, statements)):
                return False
        return True

    def _regions(self, store: Store) -> bool:
        """Whether no two iterations write to the same element of a row or a column, and no iteration reads the array."""
        array, targets = store.target.array, [access.node for access, _mask in store.masks]
        for node, parent in walk(self.body):
            own = isinstance(parent, cst.Subscript) and parent in targets and parent.value is node
            if isinstance(node, cst.Name) and node.value == array and not own:
                return False
        evolution = [self.subscript(target) for target in targets]
        facts = self.evolution.facts(store.node)
        for part in (part for place in evolution for part in place):
            ends = [part.low, part.high] if isinstance(part, Section) else [part]
            if part is None or not all(end is None or nonnegative(end, facts) for end in ends):
                return False
        return all(disjoint(one, other, self.order[0], facts) for one in evolution for other in evolution)

    def _before(self, read: cst.CSTNode, store: Store, statements: list[cst.CSTNode]) -> bool:
        """Whether an iteration reads something before it stores."""
        for statement in statements:
            if any(n is read for n, _p in walk(statement)):
                return True
            if statement is store.whole:
                return False
        return False

    def changes_nothing_else(self, known: set[cst.CSTNode]) -> bool:
        """Whether all other updates in place of an iteration are of private variables; and no other variable shares memory with
        what it stores.
        """
        written = {m for s in known for u in self.run.effects.updates.get(s, ()) for m in u.value.memory}
        own = {*self.loop.carry, *(self.inner.carry if self.inner is not None else ())}
        for node, _parent in walk(self.body):
            for update in self.run.effects.updates.get(node, ()):
                if node not in known and (update.access_path not in self.private or update.refresh):
                    return False
            if isinstance(node, cst.Name) and node.value not in own:
                if written & self.run.values.get(node, UNKNOWN).memory:
                    return False
        return True

    def _numbers_alone(self, node: cst.BaseExpression) -> bool:
        """Whether a node is `[a, b]`, which becomes an array of several numbers."""
        if not isinstance(node, (cst.List, cst.Tuple)) or len(node.elements) < 2:
            return False
        return all(self.run.values.get(e.value, UNKNOWN).kind is Kind.SCALAR for e in node.elements)

    def _described(self, store: Store, elementwise: bool) -> Store:
        """The store with what is known of the array: the statement that creates it, where all of it is stored; whether the value
        fits.
        """
        target = self.run.values.get(store.target.node.value, UNKNOWN)
        given = [put.value for put in store.puts] or [store.value]
        values = [self.run.values.get(node, UNKNOWN) for node in given]
        slices = sum(a == -2 for a in store.target.axes or ())
        if elementwise or (target.rank == len(store.target.parts) and not slices):
            fits = True  # a number: NumPy raises for anything else
        else:
            required = target.rank - len(store.target.parts) + slices
            fits = target.rank >= 0 and all(self._rank_of(*pair) == required for pair in zip(given, values, strict=True))
        everywhere = not elementwise or self.varying.get(store.node) == frozenset(a for a in store.target.axes or () if a >= 0)
        sure = all(
            v.kind is Kind.SCALAR or (elementwise and not self.numbers) or (not elementwise and v.rank >= 0) for v in values
        )
        unsure = store.operator is not None or store.masks or store.summed or not (fits and sure and everywhere)
        maker = None if unsure or not self._stored_alone(store) else self._made(store)
        return replace(store, maker=maker, fits=fits, open=target.rank != len(store.target.parts))

    def _rank_of(self, node: cst.BaseExpression, value: Value) -> int:
        return 0 if value.kind is Kind.SCALAR else 1 if self._numbers_alone(node) else value.rank

    def _stored_alone(self, store: Store) -> bool:
        """Whether the iterations only store into an array: its previous values are not needed."""
        names = [(n, p) for n, p in walk(self.nest[0].body) if isinstance(n, cst.Name) and n.value == store.target.array]
        return all(parent in store.targets for _name, parent in names) and not any(put.operator for put in store.puts)

    def _made(self, store: Store) -> cst.SimpleStatementLine | None:
        """`out = np.empty(n)` before the loop, where the loop stores all of `out` and nothing reads it in between."""
        axes = store.target.axes or ()
        if not all(f or a == -2 for f, a in zip(store.target.full, axes, strict=True)):
            return None
        if any(not is_whole(p) for p, a in zip(store.target.parts, axes, strict=True) if a == -2):
            return None
        array = store.target.array
        if any(isinstance(n, cst.Name) and n.value == array for loop in self.nest for n, _p in walk(loop.iter)):
            return None
        block = list(getattr(self.run.source.parents.get(self.nest[0]), "body", ()))
        position = block.index(self.nest[0])
        line = last_mention(block[:position], array)
        if line is None or not all(
            isinstance(s, cst.SimpleStatementLine) and len(s.body) == 1 for s in block[block.index(line) : position]
        ):
            return None
        match line:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Call(func=func))]
            ) if name == array:
                maker = (self.run.scopes.qualname(func) or "").removeprefix("numpy.")
                return line if maker in ("empty", "zeros", "ones", "empty_like", "zeros_like", "ones_like") else None
        return None

    def _expensive(self, stores: list[Store]) -> str:
        """Why the arrays of an iteration are too large to be created for all iterations in parallel, "" where they are not."""
        stored = [b for s in stores for _access, mask in s.masks for _axis, b in mask.axes]
        for node, _parent in walk(self.body):
            plan = self.run.slices.ragged.get(node)
            for bounds in [] if plan is None else [b for b in plan.bounds if b not in stored]:
                if any(map(self.mentions, bounds.written)):
                    return f"every iteration reads all of `{bounds.array}`, with a mask of its own"
            if not isinstance(node, (cst.BinaryOperation, cst.Comparison, cst.Call)):
                continue
            match node:
                case cst.BinaryOperation(left=left, operator=operator, right=right):
                    parts = [] if isinstance(operator, cst.MatrixMultiply) else [left, right]
                case cst.Comparison(left=left, comparisons=[one, *_rest]):
                    parts = [left, one.comparator]
                case cst.Call(func=func, args=args):
                    entry = numpy_table.function(self.run.scopes.qualname(func) or "")
                    parts = [a.value for a in args] if entry is not None and entry.ufunc else []
                case _:
                    parts = []
            fixed = [p for p in parts if not self.mentions(p) and not self._carried(p)]
            large = [p for p in fixed if (v := self.run.values.get(p, UNKNOWN)).kind is Kind.ARRAY and not v.number]
            moving = [self.run.values.get(p, UNKNOWN).kind for p in parts if self.mentions(p)]
            if large and moving and all(kind is Kind.SCALAR for kind in moving):
                return f"every iteration creates an array as large as `{code(large[0])}`"
        return ""
