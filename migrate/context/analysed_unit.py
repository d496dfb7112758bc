"""One analysed unit: the data from which questions of the rules are answered."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.unit import CLONE, LIFTED, LOOP, SPECIALIZED, STATEMENTS
from ..analysis.state.interpreter_state import Run
from ..analysis.state.project_facts import Facts
from ..summaries.units import Module, Unit


@dataclass(frozen=True, slots=True)
class AnalysedUnit:
    """A unit, the interpreter's run over it, and the facts and the plan that linking produced for it."""

    module: Module
    unit: Unit
    run: Run
    facts: Facts
    plan: FunctionPlan

    @property
    def definition(self) -> cst.FunctionDef | None:
        return self.unit.node if isinstance(self.unit.node, cst.FunctionDef) else None

    @property
    def moved_from(self) -> str:
        return self.module.derived.owners.get(self.unit.name, "").removeprefix(f"{self.module.source.name}.")

    @property
    def moved(self) -> str:
        if self.unit.name not in self.module.derived.owners:
            return ""
        if self.unit.name in self.module.derived.clones:
            return CLONE
        if self.unit.name in self.module.derived.specialized:
            return SPECIALIZED
        if self.unit.name in self.module.derived.lifted:
            return LIFTED
        return STATEMENTS if self.unit.name in self.module.derived.statements else LOOP

    @property
    def desugared(self) -> tuple[str, ...]:
        return self.module.forms.get(self.unit.name, ())

    def is_refused(self, name: str) -> bool:
        plan = self.facts.plans.get(name)
        return plan is not None and bool(plan.refused)

    def qualname(self, node: cst.CSTNode) -> str | None:
        return self.module.scopes.qualname(node)

    def inside(self, node: cst.CSTNode, enclosing: cst.CSTNode) -> bool:
        at: cst.CSTNode | None = node
        while at is not None and at is not enclosing:
            at = self.parent(at)
        return at is not None

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self.module.source.parents.get(node)

    @property
    def moved_out_of(self) -> cst.CSTNode | None:
        owner = self.module.units.get(self.module.derived.owners.get(self.unit.name, ""))
        return None if owner is None else owner.node
