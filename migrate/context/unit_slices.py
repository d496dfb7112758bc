"""Implements `ctx.slices`: slices with bounds that are unknown at trace time, and masks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import libcst as cst

from ...rules.facts.dynamic_slices import Bounds, Fit, Ragged
from ...rules.facts.values import replace
from ..analysis.slices.sliced_axes import slices
from ..analysis.state.index_expressions import flat
from ..analysis.symbolic.affine import atom, condition
from .analysed_unit import AnalysedUnit
from .compiled_loops import CompiledLoops
from .unit_loops import UnitLoops
from .unit_names import UnitNames
from .values import Values


class UnitSlices:
    """Implements rules.context.slices.Slices."""

    def __init__(
        self, analysed: AnalysedUnit, values: Values, compiled: CompiledLoops, loops: UnitLoops, fresh_names: UnitNames
    ) -> None:
        self.analysed = analysed
        self.unit, self.run, self.plan = analysed.unit, analysed.run, analysed.plan
        self.values, self.compiled, self.loops, self.fresh_names = values, compiled, loops, fresh_names

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        found = self.run.slices.ragged.get(root)
        if found is None or not self.plan.traceable or root in self.compiled.resolved_by_mask:
            return None
        if found.selection:
            return found
        bounds = (b for s in found.sliced for p in flat(s) if isinstance(p, cst.Slice) for b in slices(p) if b is not None)
        if all(self.values.is_static(b) for b in bounds):
            return None
        taken = self._rows_read
        if taken.isdisjoint(found.reads) and taken.isdisjoint(found.windows):
            return found
        reads = {node: read for node, read in found.reads.items() if node not in taken}
        return replace(found, reads=reads, windows={node: each for node, each in found.windows.items() if node not in taken})

    @cached_property
    def _rows_read(self) -> frozenset[cst.CSTNode]:
        """The subscripts and windows that parallel loops read for all iterations together and pass in as rows."""
        iterations = self.loops.plans.together.values()
        return frozenset(a.node for t in iterations for a in t.rows_read) | frozenset(
            w.node for t in iterations for w in t.windows
        )

    @cached_property
    def _positions(self) -> dict[str, str]:
        return {}

    def positions(self, bounds: Bounds) -> str:
        if bounds.along not in self._positions:
            self._positions[bounds.along] = self.fresh_names.local("n", "m", "positions")
        return self._positions[bounds.along]

    def positions_made(self, statement: cst.CSTNode) -> Sequence[tuple[str, Bounds]]:
        return [(self.positions(bounds), bounds) for bounds in self._made.get(statement, {}).values()]

    def ranks_asserted(self, statement: cst.CSTNode) -> Sequence[tuple[str, int]]:
        return [(bounds.array, bounds.rank) for bounds in self._vectors.get(statement, ())]

    @cached_property
    def _vectors(self) -> dict[cst.CSTNode, list[Bounds]]:
        """The arrays whose rank must be asserted, by the statement that the assertion precedes."""
        found: dict[cst.CSTNode, list[Bounds]] = {}
        for root, ragged in self.run.slices.ragged.items():
            asked = [*ragged.vectors, *(b for b in ragged.bounds if b.rank and root in self._summed)]
            for bounds in asked if self.ragged(root) is not None else ():
                if bounds.array not in self.run.slices.proven:
                    found.setdefault(self.run.slices.positions[root, bounds.array], []).append(bounds)
        return found

    @cached_property
    def _summed(self) -> set[cst.CSTNode]:
        """The statements whose slices are lowered to segment sums, without masks."""
        return {segment.root for iterations in self.loops.plans.together.values() for segment in iterations.segments}

    @cached_property
    def _made(self) -> dict[cst.CSTNode, dict[str, Bounds]]:
        """The position vectors to create, by axis, for each statement that they precede."""
        found: dict[cst.CSTNode, dict[str, Bounds]] = {}
        for root, ragged in self.run.slices.ragged.items():
            for bounds in ragged.bounds if self.ragged(root) is not None and root not in self._summed else ():
                at = self.run.slices.positions[root, bounds.array]
                if bounds.array in self.run.slices.proven:
                    bounds = replace(bounds, rank=0)
                earlier = next((b for s, m in found.items() for b in m.values() if self._covers(s, at, b, bounds)), None)
                if earlier is None:
                    found.setdefault(at, {})[bounds.along] = bounds
        return found

    def fits(self, statement: cst.CSTNode) -> Sequence[Fit]:
        return list(self._fits.get(statement, {}).values())

    def signs(self, statement: cst.CSTNode) -> Sequence[str]:
        return self._signs.get(statement, [])

    @cached_property
    def _signs(self) -> dict[cst.CSTNode, list[str]]:
        """The lower bounds of scalars to assert, by the statement that the assertion precedes."""
        loops = {iterations.nest[0]: iterations for iterations in (*self.loops.plans.together.values(), *self.loops.plans.stored)}
        found: dict[cst.CSTNode, list[str]] = {}
        for node, iterations in loops.items():
            found[node] = [condition(atom(n) - minimum) for n, minimum in iterations.signs.items()]
        for root, ragged in self.run.slices.ragged.items():
            for each in ragged.signs if self.ragged(root) is not None else ():
                said = found.setdefault(self.run.slices.fits[root, each], [])
                if each not in said and each.replace(">=", ">") not in said:
                    said.append(each)
        return found

    @cached_property
    def _fits(self) -> dict[cst.CSTNode, dict[str, Fit]]:
        """The constraints on array shapes to assert, by the statement that the assertion precedes."""
        found: dict[cst.CSTNode, dict[str, Fit]] = {}
        for root, ragged in self.run.slices.ragged.items():
            for text, fit in ragged.fits.items() if self.ragged(root) is not None else ():
                found.setdefault(self.run.slices.fits[root, text], {})[text] = fit
        return found

    def _covers(self, made: cst.CSTNode, at: cst.CSTNode, before: Bounds, bounds: Bounds) -> bool:
        """Whether the positions created before the statement `made` can be reused at `at`."""
        if before.along != bounds.along or (bounds.rank and (before.array, before.rank) != (bounds.array, bounds.rank)):
            return False
        if made is at:
            return True
        block = self.analysed.parent(made)
        stays = bounds.along != f"{bounds.array}.shape[{bounds.axis}]" or bounds.array in self.unit.params
        return stays and block is not None and self.analysed.inside(at, block) and not self.analysed.inside(made, at)
