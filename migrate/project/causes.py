"""Which function is the cause that others stay NumPy: those that call it cannot be compiled either."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...rules.facts.function_plan import FunctionPlan
from ..linking.traceability import CALLS
from ..summaries.units import UnitSummary


def causes(units: Iterable[UnitSummary], plans: Mapping[str, FunctionPlan]) -> dict[str, str]:
    """For each unit that stays NumPy because of what it calls, the unit at the end of this chain of calls."""
    next_one = {unit.name: called for unit in units if (called := _untraceable_callee(unit, plans))}
    found = {}
    for name in next_one:
        seen, at = {name}, name
        while at in next_one and next_one[at] not in seen:
            at = next_one[at]
            seen.add(at)
        found[name] = at
    return found


def _untraceable_callee(unit: UnitSummary, plans: Mapping[str, FunctionPlan]) -> str:
    if CALLS not in plans[unit.name].refused:
        return ""
    called = (call.callee for call in unit.call_graph.calls if call.callee in plans and call.callee != unit.name)
    return next((name for name in called if not plans[name].traceable), "")
