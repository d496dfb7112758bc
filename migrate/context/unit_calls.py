"""Implements `ctx.calls`: calls of functions of the project, and the arguments that they may overwrite."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.function_plan import FunctionPlan
from ..summaries.donation import holds
from .analysed_unit import AnalysedUnit
from .file_names import FileNames
from .values import Values


class UnitCalls:
    """Implements rules.context.calls.Calls."""

    def __init__(self, analysed: AnalysedUnit, values: Values, names: FileNames) -> None:
        self.analysed = analysed
        self.unit, self.run, self.facts, self.plan = analysed.unit, analysed.run, analysed.facts, analysed.plan
        self.values, self.names = values, names

    def callee(self, call: cst.Call) -> FunctionPlan | None:
        fact = self.run.call_graph.calls.get(call)
        return None if fact is None else self.facts.plans.get(fact.callee)

    def plan_of(self, node: cst.BaseExpression) -> FunctionPlan | None:
        name = self.facts.canonical(self.analysed.qualname(node) or "")
        return None if name in self.facts.several else self.facts.plans.get(name)

    def argument(self, call: cst.Call, parameter: str) -> cst.BaseExpression | None:
        fact = self.run.call_graph.calls.get(call)
        if fact is None:
            return None
        callee = self.facts.functions[fact.callee]
        params = callee.params
        receiver = isinstance(call.func, cst.Attribute) and callee.receives(self.values.value(call.func.value).kind)
        receiver = receiver or (fact.callee.endswith(".__call__") and self.values.value(call.func).kind is Kind.OBJECT)
        for argument in call.args:
            if argument.keyword is not None and argument.keyword.value == parameter:
                return argument.value
        if parameter not in params:
            return None
        made = self.values.value(call.func).kind is Kind.CLASS and fact.callee.endswith(".__init__")
        position = params.index(parameter) - bool(receiver or made)
        plain = [a for a in call.args if a.keyword is None]
        return plain[position].value if 0 <= position < len(plain) and not any(a.star for a in plain[: position + 1]) else None

    def donating(self, call: cst.Call) -> str:
        plan = self.callee(call)
        if plan is None or not plan.donation.donating or not self._donates(call, plan.donation.donating):
            return ""
        return self.names.donating(plan.name)

    def keeps_copy(self, call: cst.Call) -> bool:
        for node in self.run.effects.donated_copies.get(call, ()):
            plan = self.facts.plans[self.run.effects.donations[node].callee]
            if self._donates(node, plan.donation.donates or plan.donation.donating):
                return True
        return False

    def _donates(self, call: cst.CSTNode, parameters: Sequence[str]) -> bool:
        """Whether a call may overwrite its arguments for some parameters, now that it is decided what jit compiles."""
        donation = self.run.effects.donations.get(call)
        given = donation is not None and bool(parameters) and donation.parameters >= {*parameters}
        return donation is not None and given and holds(donation, self.plan, self.facts.plans)

    @property
    def second_name(self) -> str:
        return self.names.donating(self.unit.name) if self.plan.donation.donating else ""
