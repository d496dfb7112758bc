"""Implements `ctx.loops`: the loops that jit compiles."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ...rules.facts.iteration_space import IterationSpace
from ...rules.facts.loop_plan import LoopPlan, PythonLoop, Unrolled, takes_rows
from ...rules.facts.loops import Zipped
from ...rules.facts.parallel_loops import ParallelNest
from ...rules.facts.values import NOTHING
from ..analysis.loops.zip_loops import zipped
from ..analysis.parallel.loop_planner import LoopPlans, plan_loops
from .analysed_unit import AnalysedUnit
from .compiled_loops import CompiledLoops
from .unit_builtins import UnitBuiltins
from .unit_names import UnitNames
from .values import Values


class UnitLoops:
    """Implements rules.context.loops.Loops."""

    def __init__(
        self, analysed: AnalysedUnit, values: Values, compiled: CompiledLoops, builtins: UnitBuiltins, fresh_names: UnitNames
    ) -> None:
        self.module, self.run, self.plan = analysed.module, analysed.run, analysed.plan
        self.values, self.compiled, self.builtins, self.fresh_names = values, compiled, builtins, fresh_names
        self._zipped: dict[cst.CSTNode, Zipped | None] = {}
        self._row_counts: dict[cst.CSTNode, str] = {}

    def iteration_space(self, loop: cst.For | cst.CompFor) -> IterationSpace:
        return self.module.scopes.iteration_space(loop)

    def loop_plan(self, node: cst.For | cst.While) -> LoopPlan:
        found = self.plans.plans.get(node)
        return found or (Unrolled() if self.plan.jit else PythonLoop("", "", node))

    @cached_property
    def plans(self) -> LoopPlans:
        if not self.run.loops.compiled:
            return LoopPlans({}, {})
        return plan_loops(
            self.run, self.compiled.evolution, self.compiled.loops, self.plan.jit, self.values.is_static, self.values.kind
        )

    def in_parallel(self, node: cst.For) -> ParallelNest | None:
        """The parallel form of a loop, or of the nest that it belongs to."""
        return self.plans.together.get(node)

    @cached_property
    def resolved_statements(self) -> frozenset[cst.CSTNode]:
        """The statements that enclosing loops have already lowered."""
        loops = (*self.plans.together.values(), *self.plans.stored)
        return self.compiled.resolved_by_mask.union(*(t.statements for t in loops))

    def zipped(self, node: cst.For | cst.Call) -> Zipped | None:
        if node not in self._zipped:
            self._zipped[node] = self._looked_up(node)
        return self._zipped[node]

    def _looked_up(self, node: cst.For | cst.Call) -> Zipped | None:
        """How the iterables of a compiled loop, or of a Python reduction that JAX computes, are brought to equal length."""
        if isinstance(node, cst.For):
            clause: cst.For | cst.CompFor = node
            if not takes_rows(self.loop_plan(node)):
                return None
        else:
            given = node.args[0].value if self.builtins.reduction_operands(node) is not None else None
            if not isinstance(given, (cst.GeneratorExp, cst.ListComp)):
                return None
            clause = given.for_in
        return zipped(self.run, self.compiled.evolution, clause, node)

    def growing_integers(self, node: cst.For | cst.While) -> frozenset[str]:
        found = self.compiled.loops.get(node)
        return NOTHING if found is None else found.growing

    def row_count(self, node: cst.For | cst.Call) -> str:
        if node not in self._row_counts:
            self._row_counts[node] = self.fresh_names.local("n", "length")
        return self._row_counts[node]
