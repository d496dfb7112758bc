"""Which units may exchange arrays, and by which names: what the propagation of refusals follows. It depends on no refusal."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ...rules.facts.values import Value
from ..analysis.state.call_signatures import CallShape
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary
from ..summaries.value_flow import PassedValue
from .host_demands import short_name
from .indirect_calls import called_as
from .shared_arrays import viewers_of


@dataclass(slots=True)
class Group:
    """Modules that can pass functions to each other. `used`: those functions; `users`: for each function the units that use it as
    a value; `calling`: the units that call unknown function values."""

    order: dict[str, int] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    users: dict[str, list[UnitSummary]] = field(default_factory=lambda: defaultdict(list))
    calling: dict[frozenset[CallShape], list[UnitSummary]] = field(default_factory=lambda: defaultdict(list))  # by how

    def add(self, unit: UnitSummary, escaped: Collection[str]) -> None:
        self.order[unit.name] = len(self.order)
        if unit.host.arrays and unit.name in escaped:
            insort(self.used, unit.name)
        if unit.call_graph.unknown_calls:
            self.calling[unit.call_graph.unknown_calls].append(unit)
        for name in unit.call_graph.escapes:
            self.users[name].append(unit)


@dataclass(frozen=True, slots=True)
class Exchanges:
    """`setters`: the values that units give attributes; `changers`, `binders`: the units that rebind arrays of attributes and variables;
    `storers`: for attributes, the units that bind them from outside, with the class; `by_last`: attributes as in `setters`, by the last
    part of their names; `named`: methods by their names; `blind`: what units pass to a callee; `rebound`: functions whose callers keep no
    other name of what they pass and get back; `viewers`: see `viewers_of`; `groups`: by component; `may_call`: see `called_as`."""

    viewers: Mapping[str, set[str]]
    may_call: Callable[[frozenset[CallShape], UnitSummary], bool]
    setters: dict[str, dict[str, Value]] = field(default_factory=lambda: defaultdict(dict))
    changers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    binders: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    storers: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    by_last: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    named: dict[str, list[UnitSummary]] = field(default_factory=lambda: defaultdict(list))
    blind: dict[str, list[tuple[UnitSummary, list[PassedValue]]]] = field(default_factory=lambda: defaultdict(list))
    rebound: dict[str, bool] = field(default_factory=lambda: defaultdict(bool))
    groups: dict[str, Group] = field(default_factory=lambda: defaultdict(Group))


def exchanges_of(
    units: Mapping[str, UnitSummary],
    modules: Iterable[ModuleSummary],
    facts: Facts,
    escaped: Collection[str],
    together: Mapping[str, str],
) -> Exchanges:
    found = Exchanges(viewers_of(units), called_as(units, modules))
    for unit in units.values():
        for attr, value in unit.attributes.attrs:
            found.setters[f"{facts.root(unit.cls)}.{attr}"][unit.name] = value
        for store in unit.attributes.attr_stores:
            cls, _dot, attr = store.removeprefix("new:").rpartition(".")
            found.storers[attr].append((unit.name, facts.root(cls)))
        for token in unit.attributes.binds:
            found.binders[token].add(unit.name)
        for token in unit.effects.rebinds:
            found.changers[token].add(unit.name)
        if unit.cls:
            found.named[f".{short_name(unit.name)}"].append(unit)
        passed: dict[str, list[PassedValue]] = defaultdict(list)
        for argument in unit.effects.passed_values:
            passed[argument.callee].append(argument)
        for callee, values in passed.items():
            found.blind[callee].append((unit, values))
        for call in unit.call_graph.calls:
            found.rebound[call.callee] = call.rebinds and found.rebound.get(call.callee, True)
        found.groups[together[unit.module]].add(unit, escaped)
    for token in found.setters:
        found.by_last[token.rpartition(".")[2]].append(token)
    return found
