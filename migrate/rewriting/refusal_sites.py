"""Where a refusal is reported: at the statement that is the reason, or at the definition of the function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from ...rules.core.refusals import PLACED, REFUSALS
from ...rules.facts.function_plan import FunctionPlan
from ..analysis.state.interpreter_state import Run
from ..summaries.units import Module, Unit

CODES = frozenset(refusal.code for refusal in REFUSALS) - {PLACED}  # the report says it, not the diagnostics
UNKNOWN_KIND = "NJ202"  # in a file without NumPy it is hardly an array


def reported(module: Module, plans: Mapping[str, FunctionPlan]) -> Iterator[tuple[Unit, cst.CSTNode, str, str]]:
    """The units refused for a reason that no rule reports: unit, node, code, reason."""
    imports = any(target.partition(".")[0] == "numpy" for target in module.scopes.exports().values())
    for unit in module.units.values():
        plan, run = plans[unit.name], module.runs[unit.name]
        if plan.refused_code not in CODES or not (
            run.host.numpy_used or (run.host.host_writes and (imports or plan.refused_code != UNKNOWN_KIND))
        ):
            continue
        node = blamed(run, plan.refused)
        if node is None and isinstance(unit.node, cst.FunctionDef):
            node = unit.node.name
        if node is not None:
            yield unit, node, plan.refused_code, f"left as NumPy: {plan.refused}"


def blamed(run: Run, why: str) -> cst.CSTNode | None:
    """The statement or the call that is the reason."""
    for node, found in run.effects.updates.items():
        if any(update.problem == why for update in found):
            return node
    return next((node for node, (_code, reason) in run.constraints.blocks.items() if reason == why), None)
