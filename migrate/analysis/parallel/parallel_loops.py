"""Loops with independent iterations: each stores into elements of its own, or reduces into a variable that no iteration reads.

All iterations can run in parallel then: by `jax.vmap` of one iteration, or by code on whole arrays where an iteration computes on
scalars only, element by element. A loop is analysed together with the loops in it that are all of its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.loops import Loop
from ....rules.facts.parallel_loops import FIRST, ParallelNest, Reduction, Store, WindowRead
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.source_text import verbatim
from ...syntax.names import targets_of
from ...syntax.source import walk
from ..loops.loop_analysis import bound_in
from ..slices.slice_bounds import moving_names
from ..state.interpreter_state import Run
from ..symbolic.affine import NOT_NEGATIVE
from ..symbolic.scalar_evolution import ScalarEvolution
from ..symbolic.sign_analysis import assuming, open_signs
from .if_conversion import predicated_stores
from .independence import Independence
from .loop_nest import binds_only, is_whole
from .sliding_windows import windows
from .stores import same_value


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


class ParallelNestAnalysis(Independence):
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
                joined = same_value(stores[-1], store) if stores and statements.index(statement) == before + 1 else None
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
        evolution = [verbatim(s.target.node) for s in stores if not s.masks]
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

    def _is_number_of_many(self, node: cst.Assign) -> bool:
        """Whether a statement of an inner loop computes a number: the other loop need not run in parallel, too."""
        loops = [
            each
            for each in self.run.source.above(node)
            if isinstance(each, cst.For) and self.run.source.inside(each, self.nest[0])
        ]
        return len(loops) > 1 and self.run.values.get(node.value, UNKNOWN).rank == 0

    def _expensive(self, stores: list[Store]) -> str:
        """Why the arrays of an iteration are too large to be created for all iterations in parallel, "" where they are not."""
        stored = [b for s in stores for _access, mask in s.masks for _axis, b in mask.axes]
        for node, _parent in walk(self.body):
            plan = self.run.slices.ragged.get(node)
            for bounds in [] if plan is None else [b for b in plan.bounds if b not in stored]:
                if any(map(self.mentions, bounds.written)):
                    return f"every iteration reads all of `{bounds.array}`, with a mask of its own"
            if plan is not None and isinstance(node, cst.Assign) and self._is_number_of_many(node):
                stacked = {read.node for read in windows(self)}  # the rules know a faster way for these
                for part, cut in plan.windows.items():
                    if part not in stacked and len(cut) > 1 and not all(w.short for w in cut.values()):
                        return f"every iteration copies `{verbatim(part)}`, and keeps a number of it"
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
            whole = [p for p in fixed if (v := self.run.values.get(p, UNKNOWN)).kind is Kind.ARRAY and not v.number]
            moving = [self.run.values.get(p, UNKNOWN).kind for p in parts if self.mentions(p)]
            if whole and moving and all(kind is Kind.SCALAR for kind in moving):
                return f"every iteration creates an array as large as `{verbatim(whole[0])}`"
        return ""
