"""The loops of a unit that jit compiles, before it is decided how each of them is lowered."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ...rules.facts.loops import Loop
from ..analysis.parallel.loop_planner import compiled_loops
from ..analysis.symbolic.scalar_evolution import ScalarEvolution, evolution_in
from .analysed_unit import AnalysedUnit
from .unit_random import UnitRandom


class CompiledLoops:
    """The loops of a unit that jit compiles, before it is decided how each of them is lowered."""

    def __init__(self, analysed: AnalysedUnit, random: UnitRandom) -> None:
        self.module, self.unit, self.run, self.plan = analysed.module, analysed.unit, analysed.run, analysed.plan
        self.random = random

    @cached_property
    def loops(self) -> dict[cst.CSTNode, Loop]:
        """The loops that jit compiles."""
        return compiled_loops(self.run, self.plan, lambda: self.random.keys.splits)

    @cached_property
    def stacked(self) -> dict[cst.CSTNode, cst.BaseExpression]:
        """The reads of lists that compiled loops fill, with the element each iteration appends: there the lists are arrays."""
        return {node: one.value for loop in self.loops.values() for one in loop.accumulated for node in one.reads}

    @cached_property
    def resolved_by_mask(self) -> frozenset[cst.CSTNode]:
        """The statements of compiled loops that compact arrays with a mask."""
        return frozenset().union(*(loop.compaction.statements for loop in self.loops.values() if loop.compaction is not None))

    @cached_property
    def evolution(self) -> ScalarEvolution:
        return evolution_in(self.run)
