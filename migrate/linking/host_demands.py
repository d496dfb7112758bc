"""Which parameters need NumPy arrays where a unit is left as NumPy, and where results come from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, Value
from ..analysis.state.call_facts import CallFact
from ..summaries.units import UnitSummary, written_name
from ..summaries.value_flow import NO_ARRAYS, PassedValue, made_of


def needs_host(units: Mapping[str, UnitSummary], escaped: Collection[str]) -> dict[str, frozenset[str]]:
    """For each unit, the parameters from which it, or a function it passes them to, makes arrays that are changed; "*" for any
    parameter."""
    found = {name: unit.host.needs_host | unit.effects.touches for name, unit in units.items()}
    calls: dict[str, list[tuple[str, CallFact]]] = defaultdict(list)
    passed: dict[str, list[tuple[str, PassedValue]]] = defaultdict(
        list
    )  # to ".name", any method of that name, or to "", any function value
    for name, unit in units.items():
        for call in unit.call_graph.calls:
            calls[call.callee].append((name, call))
        for given in unit.effects.passed_values:
            passed[given.callee].append((name, given))
    work = [name for name, required in found.items() if required]
    asked: set[tuple[str, tuple[str, ...], frozenset[str]]] = set()  # methods of one name and signature ask for the same
    while work:
        name = work.pop()
        unit, required = units[name], found[name]
        more: dict[str, frozenset[str]] = defaultdict(frozenset)
        for caller, call in calls[name]:
            for parameter, value in call.args:
                if requires(unit, parameter, required):
                    more[caller] |= made_of((value,))
        for callee in ([f".{short_name(name)}"] if unit.cls else []) + ([""] if name in escaped else []):
            if (callee, unit.params, required) in asked:
                continue
            asked.add((callee, unit.params, required))
            for caller, given in passed[callee]:
                if given.params and requires(unit, given.position, required):
                    more[caller] |= given.params
        for caller, params in more.items():
            if not params <= found[caller]:
                found[caller] |= params
                work.append(caller)
    return found


def requires(unit: UnitSummary, position: str, required: Collection[str]) -> bool:
    """Whether the argument at `position` may be for one of the `required` parameters of a function or a method."""
    if not required or position == "*" or "*" in required:
        return bool(required)
    if position.isdigit():
        at = int(position)
        names = unit.params[at : at + 2]  # a static method has no `self`
        return any(n in required for n in names) or (at + 1 >= len(unit.params) and not {*required} <= {*unit.params})
    return position in required or (position not in unit.params and not {*required} <= {*unit.params})


def short_name(name: str) -> str:
    return written_name(name.rpartition(".")[2])


def may_hold_arrays(value: Value) -> bool:
    return any(may_hold_arrays(e) for e in value.elements) if value.elements else value.kind not in NO_ARRAYS


def made_from(value: Value) -> frozenset[str] | None:
    """The attributes that the arrays in a value were made from, as "attr:C.x"; None if that is unknown for some part of it."""
    if value.elements:
        every = [made_from(e) for e in value.elements if e.kind not in NO_ARRAYS]
        return None if None in every else NOTHING.union(*(e for e in every if e is not None))
    if value.kind is not Kind.ARRAY:
        return None
    return frozenset(t for t in value.origin | value.memory if t.startswith("attr:"))


def has_owners(result: Value) -> bool:
    """Whether a function may return an array to which its callers, or others, have a reference."""
    return any(not m.startswith("new:") for m in result.memory)
