"""Implements `ctx.builtins`: Python's operators, reductions and comprehensions that JAX computes instead."""

from __future__ import annotations

import libcst as cst

from ...rules.facts.comprehensions import MapLoop, ReductionOperands
from .analysed_unit import AnalysedUnit
from .values import Values


class UnitBuiltins:
    """Implements rules.context.builtins.Builtins."""

    def __init__(self, analysed: AnalysedUnit, values: Values) -> None:
        self.run, self.plan = analysed.run, analysed.plan
        self.values = values

    def mapped(self, node: cst.CSTNode) -> MapLoop | None:
        return self.run.loops.maps.get(node)

    def logical(self, node: cst.BaseExpression) -> bool:
        return node in self.run.branching.logic and self.plan.jit and not self.values.is_static(node)

    def reduction_operands(self, node: cst.Call) -> ReductionOperands | None:
        return self.run.loops.reduction_operands.get(node) if self.logical(node) else None

    def taken(self, node: cst.Call) -> int:
        return self.run.slices.taken.get(node, 0) if self.plan.traceable else 0
