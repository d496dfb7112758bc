"""Implements `ctx.effects`: in-place updates of arrays."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ...rules.facts.dead_stores import Slot
from ...rules.facts.loop_plan import Carried
from ...rules.facts.updates import Update
from ...rules.facts.values import UNKNOWN
from ..analysis.effects.rebound_results import rebinds_all
from ..analysis.parallel.dead_stores import slots
from .analysed_unit import AnalysedUnit
from .compiled_loops import CompiledLoops
from .unit_loops import UnitLoops
from .unit_names import UnitNames


class UnitEffects:
    """Implements rules.context.effects.Effects."""

    def __init__(self, analysed: AnalysedUnit, compiled: CompiledLoops, loops: UnitLoops, fresh_names: UnitNames) -> None:
        self.run = analysed.run
        self.compiled, self.loops, self.fresh_names = compiled, loops, fresh_names

    def may_change(self, node: cst.BaseExpression) -> bool:
        memory = self.run.values.get(node, UNKNOWN).memory
        return "?" in memory or bool(memory & self.run.effects.changed)

    def slot(self, node: cst.CSTNode) -> Slot | None:
        return self._slots.get(node)

    @cached_property
    def _slots(self) -> dict[cst.CSTNode, Slot]:
        """Every store to a slot and every read of one in compiled loops."""
        found: dict[cst.CSTNode, Slot] = {}
        for loop in self.run.loops.compiled:
            if (
                isinstance(loop, (cst.For, cst.While))
                and isinstance(loop.body, cst.IndentedBlock)
                and isinstance(self.loops.loop_plan(loop), Carried)
            ):
                for slot in slots(self.run, self.compiled.evolution, loop.body.body):
                    found.update(dict.fromkeys((*slot.stores, *slot.reads), slot))
        return found

    @cached_property
    def _slot_names(self) -> dict[Slot, str]:
        return {}

    def slot_name(self, slot: Slot) -> str:
        if slot not in self._slot_names:
            self._slot_names[slot] = self.fresh_names.local(slot.stem)
        return self._slot_names[slot]

    def updates(self, node: cst.CSTNode) -> tuple[Update, ...]:
        return () if node in self.loops.resolved_statements else tuple(self.run.effects.updates.get(node, ()))

    def rebinds_all(self, call: cst.Call) -> bool:
        return rebinds_all(self.run, call)

    def handled_by_loop(self, node: cst.CSTNode) -> bool:
        return node in self.loops.resolved_statements
