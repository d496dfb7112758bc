"""What is known about the values of expressions."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ...rules.core.dtypes import strong
from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN, Value, replace
from ..summaries.units import MODULE
from .analysed_unit import AnalysedUnit
from .compiled_loops import CompiledLoops


class Values:
    """What is known about the values of expressions."""

    def __init__(self, analysed: AnalysedUnit, compiled: CompiledLoops) -> None:
        self.run, self.plan = analysed.run, analysed.plan
        self.compiled = compiled
        self.outer = analysed.module.runs.get(f"{analysed.module.source.name}.{MODULE}")

    def value(self, node: cst.CSTNode) -> Value:
        found = self.run.values.get(node) or self.params.get(node)
        if found is None and self.outer is not None:
            found = self.outer.values.get(node)
        if found is not None and found.kind is Kind.LIST and (item := self.compiled.stacked.get(node)) is not None:
            known = self.value(item)
            rank = known.rank + 1 if known.rank >= 0 else -1
            return replace(found, kind=Kind.ARRAY, dtype=strong(known.dtype), rank=rank, device=True)
        return found or UNKNOWN

    def kind(self, node: cst.CSTNode) -> Kind:
        return self.value(node).kind

    @cached_property
    def params(self) -> dict[cst.CSTNode, Value]:
        """The values of parameters when the function is called, by their nodes."""
        owner = self.run.unit.owner
        if not isinstance(owner, cst.FunctionDef):
            return {}
        every = (*owner.params.posonly_params, *owner.params.params, *owner.params.kwonly_params)
        return {p.name: bound for p in every if (bound := self.run.unit.bound.get(p.name.value)) is not None}

    @cached_property
    def static_names(self) -> frozenset[str]:
        return frozenset((*self.plan.static_args, *self.plan.unrolled))

    def is_static(self, node: cst.CSTNode) -> bool:
        value = self.value(node)
        return not value.traced and (not self.plan.traceable or value.deps <= self.static_names)
