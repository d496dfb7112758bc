"""Implements `ctx.host`: which values are NumPy's and which are JAX's after the conversion of the unit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import libcst as cst

from ...rules import numpy_table
from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, Value
from ...rules.host.host_arrays import TAKES_NUMPYS
from ...rules.numpy_table.entry import Verdict
from ..analysis.inference.result_types import stays_on_host
from ..analysis.state.arguments import Arguments
from ..analysis.state.call_signatures import shape_of
from ..analysis.state.lattice import NUMERIC, makers
from ..linking.plans import NUMPY_ONLY
from .analysed_unit import AnalysedUnit
from .unit_calls import UnitCalls
from .values import Values


class UnitHost:
    """Implements rules.context.host.Host."""

    def __init__(self, analysed: AnalysedUnit, values: Values, calls: UnitCalls) -> None:
        self.analysed = analysed
        self.module, self.unit, self.run = analysed.module, analysed.unit, analysed.run
        self.facts, self.plan = analysed.facts, analysed.plan
        self.values, self.calls = values, calls

    @cached_property
    def coerced(self) -> tuple[str, ...]:
        node = self.analysed.definition
        if node is None or self.plan.refused or not isinstance(node.body, cst.IndentedBlock):
            return ()
        params = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
        shell = self.plan.inputs.shell
        needed = self.run.unit.sequences.difference(shell.lists, shell.changed) if self.plan.jit else self._needs_at
        return tuple(p.name.value for p in params if p.name.value in needed and p.default is None)

    @property
    def returned(self) -> Value:
        return self.module.summaries[self.unit.name].result

    @cached_property
    def guessed(self) -> frozenset[str]:
        return frozenset(self.run.unit.sequences).difference(self.coerced)

    @cached_property
    def _needs_at(self) -> frozenset[str]:
        """The parameters that are updated through `.at`."""
        updates = [u for found in self.run.effects.updates.values() for u in found]
        return frozenset(u.param for u in updates if u.param and u.steps)

    def is_device(self, node: cst.CSTNode) -> bool:
        return self.is_device_value(self.values.value(node))

    def is_device_value(self, value: Value) -> bool:
        if value.device and any(self.analysed.is_refused(name) for name in value.origin):
            return False
        return value.device or value.holds in self.coerced or (self.plan.jit and bool(value.deps - self.values.static_names))

    def is_jax_variable(self, value: Value) -> bool:
        variables = {m.removeprefix("global:") for m in value.memory}
        return bool(variables) and value.origin <= value.memory and variables <= self.facts.host.on_device

    def requires_host(self, *functions: str) -> bool:
        if self.plan.jax:
            return False
        if self.plan.changed.results and not makers(self.module.summaries[self.unit.name].result).isdisjoint(functions):
            return True
        if self.plan.refused_code.startswith(NUMPY_ONLY) or not (
            self.run.host.host_uses | self.plan.changed.passed_on
        ).isdisjoint(functions):
            return True
        if self.facts.host.host_paths and self._binds_host_path(functions):
            return True
        return not self.run.call_graph.unresolved.isdisjoint(self.facts.host.host_methods)  # receivers of unknown class

    def _binds_host_path(self, functions: Sequence[str]) -> bool:
        """Whether results of these functions are bound to attributes or module variables whose arrays are changed by code left as
        NumPy."""
        root = self.facts.root(self.unit.cls)
        places = [(f"attr:{root}.{name}", value) for name, value in self.run.attributes.attrs.items()]
        if self.unit.is_module:
            places += [(f"global:{self.module.source.name}.{name}", value) for name, value in (self.run.flow.end or {}).items()]
        return any(place in self.facts.host.host_paths and not value.origin.isdisjoint(functions) for place, value in places)

    def as_before(self, node: cst.BaseExpression) -> bool:
        origin = self.values.value(node).origin
        if not origin:
            return self.plan.jax
        return all(name in self.facts.plans and self.facts.plans[name].jax for name in origin)

    def converted_result(self, node: cst.BaseExpression) -> bool:
        origin = [name for name in self.values.value(node).origin if ":" not in name]
        return bool(origin) and not any(self.analysed.is_refused(name) for name in origin)

    def _passed_to_host(self, call: cst.Call) -> bool:
        """Whether the call creates a NumPy array for a refused function that changes arrays, or for a library function that
        requires one."""
        made: cst.CSTNode = call
        argument = self.analysed.parent(call)
        while isinstance(argument, (cst.Subscript, cst.IfExp)) and made in (
            getattr(argument, "value", None),
            getattr(argument, "orelse", None),
        ):
            made, argument = argument, self.analysed.parent(argument)  # an element of it, `None if x is None else np.asarray(x)`
        enclosing = self.analysed.parent(argument) if isinstance(argument, cst.Arg) else None
        if not isinstance(enclosing, cst.Call) or enclosing.func is call:
            return False
        name = self.analysed.qualname(enclosing.func) or ""
        entry = numpy_table.function(name)
        if name.startswith(TAKES_NUMPYS) or (entry is not None and entry.verdict is Verdict.HOST and entry.arrays):
            return True
        plan = self.calls.callee(enclosing)
        return plan is not None and bool(plan.refused) and plan.host_writes

    def on_host(self, call: cst.Call) -> bool:
        name = self.analysed.qualname(call.func) or ""
        if name in ("numpy.asarray", "numpy.array") and self._passed_to_host(call):
            return True
        entry = numpy_table.function(name)
        if entry is None:
            return False
        positional = tuple((a.value, self.values.value(a.value)) for a in call.args if a.keyword is None)
        keywords = {a.keyword.value: (a.value, self.values.value(a.value)) for a in call.args if a.keyword is not None}
        if not stays_on_host(name, entry, Arguments(positional, keywords, False)):
            return False
        return self.values.value(call).kind in NUMERIC

    def may_return_jax(self, call: cst.Call) -> bool:
        shapes = self.facts.host.returning_jax.get(self.module.source.name)
        if self.analysed.qualname(call.func) == "builtins.map" and call.args:
            given = self.values.value(call.args[0].value)
            plan = self.facts.plans.get(given.name)
            unknown = given.kind in (Kind.UNKNOWN, Kind.FUNCTION) and not given.name
            return (unknown and shapes is not None) or (plan is not None and not plan.refused and not plan.jax)
        name = self.run.call_graph.blind.get(call)
        if name:  # a method, or an attribute that holds a function
            held = shapes is not None and any(name in fact.attrs for fact in self.facts.classes.values())
            return held or f".{name}" in self.facts.host.of_converted
        return name == "" and shapes is not None and shape_of(call) in shapes

    def may_add_jax(self, node: cst.AugAssign) -> bool:
        if self.facts.program.fast:  # results of compiled code are converted where code on the host gets them
            return False
        given = self.facts.host.converts and node in self.run.host.takes_in
        return not self.plan.jax and (
            given or not self.facts.host.of_converted.isdisjoint(self.run.effects.operands.get(node, NOTHING))
        )
