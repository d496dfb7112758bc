"""Where arrays that a unit stores or passes on can be seen by others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ...rules.core.findings import Kind
from ...rules.facts.values import Value
from ..analysis.state.project_facts import Facts
from ..summaries.units import MODULE, UnitSummary


def stored_in(units: Mapping[str, UnitSummary], name: str, parameter: str, facts: Facts) -> frozenset[str]:
    """The attributes to which a function, or one that it calls, binds the array of a parameter, as "attr:C.x"."""
    found: set[str] = set()
    seen = {(name, parameter)}
    work = [(name, parameter)]
    while work:
        at, given = work.pop()
        unit, token = units.get(at), f"param:{given}"
        if unit is None:
            continue
        found |= {f"attr:{facts.root(unit.cls)}.{attr}" for attr, value in unit.attributes.attrs if token in value.memory}
        for store, value in unit.attributes.stored:
            if token in value.memory:
                cls, _dot, attr = store.removeprefix("new:").rpartition(".")
                found.add(f"attr:{facts.root(cls)}.{attr}")
        further = {(call.callee, p) for call in unit.call_graph.calls for p, value in call.args if token in value.memory}
        work += further - seen
        seen |= further
    return frozenset(found)


def viewers_of(units: Mapping[str, UnitSummary]) -> Mapping[str, set[str]]:
    """For attributes and module variables, the units that create views of them and retain these: with JAX they would be
    copies."""
    found: dict[str, set[str]] = defaultdict(set)

    def follow(name: str, token: str, outside: str) -> None:
        """Add the callees to which `name` passes the array of `token` and which return a view of it."""
        for call in units[name].call_graph.calls:
            callee = units.get(call.callee)
            for parameter, value in call.args if callee is not None else ():
                inside = f"param:{parameter}"
                if callee is not None and token in value.memory and inside in callee.result.memory and callee.name not in seen:
                    seen.add(callee.name)
                    found[outside] |= (
                        {callee.name} if inside in callee.effects.views or callee.host.arrays else set()
                    )  # jit copies, too
                    follow(callee.name, inside, outside)

    for name, unit in units.items():
        lasting = (
            name.endswith(MODULE)
            or unit.call_graph.calls
            or unit.call_graph.unresolved
            or unit.call_graph.unknown_calls
            or unit.attributes.attrs
        )
        lasting = lasting or unit.attributes.attr_stores
        for token in unit.effects.views:
            if not token.startswith("param:") and (lasting or token in unit.result.memory):
                found[token].add(name)
        given = {
            t for call in unit.call_graph.calls for _p, v in call.args for t in v.memory if t.startswith(("attr:", "global:"))
        }
        for token in given:
            seen: set[str] = set()
            follow(name, token, token)
    return found


def passed_to_objects(caller: UnitSummary, kept: UnitSummary, touched: set[str]) -> Iterator[Value]:
    """The arguments of a caller that are or may contain arrays and go to parameters that a refused function changes."""
    for call in caller.call_graph.calls:
        if call.callee == kept.name:
            for parameter, value in call.args:
                data = value.kind in (Kind.ARRAY, Kind.UNKNOWN) or (
                    bool(value.memory) and value.kind not in (Kind.SCALAR, Kind.FUNCTION)
                )
                if data and (
                    call.starred or parameter in touched or (parameter not in kept.params and not touched <= set(kept.params))
                ):
                    yield value


def aliased_parameters(units: Mapping[str, UnitSummary]) -> set[tuple[str, str, str]]:
    """Functions with two parameters that alias because a caller passes them the same array: it got that array for two of its
    parameters."""
    found: set[tuple[str, str, str]] = set()
    work = [pair for unit in units.values() for pair in unit.call_graph.aliased]
    while work:
        name, first, second = work.pop()
        for call in units[name].call_graph.calls if name in units else ():
            given = [(p, v.memory) for p, v in call.args if call.callee in units]
            one, other = ({p for p, memory in given if f"param:{parameter}" in memory} for parameter in (first, second))
            for a, b in ((a, b) for a in one for b in other if a != b):
                pairs = {(call.callee, a, b), (call.callee, b, a)} - found
                found |= pairs
                work += pairs
    return found
