"""Implements `ctx.branches`: the branches that jit compiles."""

from __future__ import annotations

import libcst as cst

from ...rules.facts.branches import Branch
from .analysed_unit import AnalysedUnit
from .unit_loops import UnitLoops
from .values import Values


class UnitBranches:
    """Implements rules.context.branches.Branches."""

    def __init__(self, analysed: AnalysedUnit, values: Values, loops: UnitLoops) -> None:
        self.run, self.plan = analysed.run, analysed.plan
        self.values, self.loops = values, loops

    def branch(self, node: cst.If | cst.IfExp) -> Branch | None:
        found: Branch | None = self.run.branching.branches.get(node)
        if node in self.loops.resolved_statements:
            return None
        return found if found is not None and self.plan.jit and not self.values.is_static(node.test) else None

    @property
    def returning(self) -> list[cst.If]:
        return [node for node in self.run.branching.returning if self.branch(node) is not None]
