"""Implements `ctx.calls`: calls of functions of the project, and the arguments that they may overwrite."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ...rules.context.calls import Core
from ...rules.core.findings import Kind
from ...rules.facts.function_plan import FunctionPlan
from ..summaries.donation import holds
from .analysed_unit import AnalysedUnit
from .file_names import FileNames
from .values import Values


def _alias(name: str, known_as: str) -> cst.ImportAlias:
    return cst.ImportAlias(cst.Name(name), None if known_as == name else cst.AsName(cst.Name(known_as)))


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

    def may_be_compiled(self, node: cst.BaseExpression) -> bool:
        plan = self.plan_of(node)
        if plan is not None:
            return plan.jit
        value = self.values.value(node)
        return self.facts.host.converts and value.kind in (Kind.UNKNOWN, Kind.OBJECT, Kind.FUNCTION) and not value.name

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

    def core(self, call: cst.Call) -> Core | None:
        plan = self.callee(call)
        if plan is None or plan.refused or not plan.inputs.shell.core or self.plan.refused or self.plan.jax:
            return None
        core, owner = plan.inputs.shell.core, plan.name.rpartition(".")[0]
        if owner == self.analysed.module.source.name:
            return Core(core)
        if isinstance(call.func, cst.Attribute):  # of the module that defines it, else the core is not there
            return Core(core) if self.analysed.qualname(call.func.value) == owner else Core()
        return self._imported(call.func, core, owner)

    def _imported(self, function: cst.BaseExpression, core: str, owner: str) -> Core:
        """The core under the name that an import beside that of the function binds."""
        bindings = self.analysed.module.scopes.bindings(function) if isinstance(function, cst.Name) else ()
        alias = bindings[0] if len(bindings) == 1 else None
        statement = None if alias is None else self.analysed.parent(alias)
        line = None if statement is None else self.analysed.parent(statement)
        if not isinstance(statement, cst.ImportFrom) or line is None:
            return Core()
        at_top = isinstance(self.analysed.parent(line), cst.Module)
        if not at_top or self.analysed.module.scopes.imported_from(statement) != owner:
            return Core()
        name = self.names.core(f"{owner}.{core}", core)
        source = cst.Module([]).code_for_node(statement.with_changes(names=[_alias(core, name)], lpar=None, rpar=None))
        return Core(name, frozenset({source.strip()}))

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
