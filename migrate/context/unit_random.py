"""Implements `ctx.random`: NumPy's random state, and the keys that replace it."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ...rules.facts.random_keys import Keys
from ...rules.random_table import Draw
from ..analysis.interp.super_calls import is_super
from ..analysis.state.node_facts import GLOBAL_STATE, Site
from ..summaries.generator_uses import called
from ..summaries.module_summary import is_main_guard
from ..summaries.unit_summary import keys_of
from .analysed_unit import AnalysedUnit


class UnitRandom:
    """Implements rules.context.random.Random."""

    def __init__(self, analysed: AnalysedUnit) -> None:
        self.module, self.unit, self.run = analysed.module, analysed.unit, analysed.run
        self.facts, self.plan = analysed.facts, analysed.plan

    def drawn(self, call: cst.Call) -> Draw | None:
        site = self.run.random.sites.get(call)
        return None if site is None else site.draw

    def passes_on(self, node: cst.CSTNode) -> bool:
        return any(s.node is node for s in self.module.known.streams[self.unit.name].sites if s.draw is None and not s.seeds)

    def seeds(self, call: cst.Call) -> bool:
        return any(s.node is call for s in self.module.known.streams[self.unit.name].sites if s.seeds)

    def seeds_for_host(self, call: cst.Call) -> bool:
        """Callers outside draw keys from NumPy's state, and what they like after a function that only seeds it. They draw nothing
        after an entry point: a main guard, or a `main` without parameters."""
        at: cst.CSTNode | None = call
        while at is not None and not (isinstance(at, cst.If) and is_main_guard(at)):
            at = self.run.source.parents.get(at)
        enters = at is not None or (self.unit.name.rpartition(".")[2] == "main" and not self.unit.cls and not self.unit.params)
        drawn = self.facts.random.draws_for_outside or (
            not self.unit.is_module and not self.module.known.streams[self.unit.name].streams.state.own
        )
        return self.facts.random.draws_on_host or (drawn and not enters)

    def passes_on_key(self, call: cst.Call | None = None) -> bool:
        found = self.module.known.streams[self.unit.name]
        own = [s.node for s in found.sites if s.stream == GLOBAL_STATE]
        if (
            not self.plan.random.keeps
            or len(own) != 1
            or self.run.flow.returns
            or found.seeding is None
            or not found.seeding.at_end()
        ):
            return False
        base = own[0]
        alone = not self.keys.splits and self.keys.names.keys() <= {base}
        return alone and isinstance(base, cst.Call) and self.is_base(base) and (call is None or call is base)

    def is_base(self, call: cst.Call) -> bool:
        return call in self.run.call_graph.calls and isinstance(call.func, cst.Attribute) and is_super(self.run, call.func.value)

    def makes_generator(self, node: cst.BaseExpression) -> bool:
        return node in self.run.random.makers

    def accepts_any(self, node: cst.BaseExpression) -> bool:
        return node in self.run.random.any_seed

    def spawns(self, node: cst.Call) -> bool:
        return node in self.run.random.spawns

    def spawns_beside(self, node: cst.Call) -> bool:
        return self.module.known.streams[self.unit.name].spawning[node] not in self.facts.random.lone_seeds

    def puts_back(self, node: cst.Call) -> bool:
        return node in self.module.known.streams[self.unit.name].indexed

    def may_be_none(self, node: cst.BaseExpression | None) -> bool:
        return node in self.run.random.optional

    @cached_property
    def keys(self) -> Keys:
        calls = []
        for node, fact in self.run.call_graph.calls.items():
            plan = self.facts.plans.get(fact.callee)
            if plan is not None and plan.random.key and not plan.refused:
                calls.append(Site(node, GLOBAL_STATE, (called(fact.callee),)))
        found = self.module.known.streams[self.unit.name]
        return keys_of(self.module, self.unit, found, calls, bool(self.plan.random.key), self.plan.random.ordered)

    @property
    def key_name(self) -> str:
        return self.module.known.streams[self.unit.name].streams.key

    def may_be_key(self, node: cst.BaseExpression | None) -> bool:
        return node in self.run.random.either
