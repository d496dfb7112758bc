"""What units read, directly and through calls: the closure over the call graph, computed on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...rules.facts.values import NOTHING
from ..summaries.units import UnitSummary, written_name
from .memo import Memo

ESCAPED = "<escaped>"  # stands for any function that is used as a value


class ReachableReads(Mapping[str, frozenset[str]]):
    """The attributes and module variables that each unit reads, directly or through its callees.

    A method called on an object of unknown class may be any method of that name. Through such names most units of a large project
    reach the same few thousand others. So one closure is stored per cycle of calls, not one per unit.
    """

    def __init__(self, units: Mapping[str, UnitSummary], memos: CalleeMemos | None = None) -> None:
        self._reads = {name: unit.effects.reads for name, unit in units.items()}
        self._callees = callees_of(units, memos)
        self._cycle_of: dict[str, int] = {}
        self._closures: dict[int, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self._reads)

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __contains__(self, name: object) -> bool:
        return name in self._reads

    def __getitem__(self, name: str) -> frozenset[str]:
        if name not in self._reads:
            raise KeyError(name)
        if not self._cycle_of:
            self._find_cycles()
        known = self._closures.get(self._cycle_of[name])
        if known is None:
            known = self._closures[self._cycle_of[name]] = self._closure([name])
        return known

    def _closure(self, members: list[str]) -> frozenset[str]:
        """The reads of these units and of all that they reach; closures already known are reused."""
        found: set[str] = set()
        seen, work, joined = {*members}, [*members], set[int]()
        while work:
            name = work.pop()
            known = self._closures.get(self._cycle_of.get(name, -1))
            if known is None:
                found |= self._reads.get(name, NOTHING)
                more = self._callees.get(name, NOTHING) - seen
                seen |= more
                work += more
            elif self._cycle_of[name] not in joined:
                joined.add(self._cycle_of[name])
                found |= known
        return frozenset(found)

    def _find_cycles(self) -> None:
        """Tarjan's algorithm without recursion. The closure of each cycle of several units is stored, callees first."""
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        open_: list[str] = []
        closed = self._cycle_of
        for start in (*self._reads, *self._callees):
            if start in index:
                continue
            index[start] = low[start] = len(index)
            open_.append(start)
            path = [(start, iter(self._callees.get(start, ())))]
            while path:
                at, callees = path[-1]
                for callee in callees:
                    if callee not in index:
                        index[callee] = low[callee] = len(index)
                        open_.append(callee)
                        path.append((callee, iter(self._callees.get(callee, ()))))
                        break
                    if callee not in closed:
                        low[at] = min(low[at], index[callee])
                else:
                    path.pop()
                    if path:
                        low[path[-1][0]] = min(low[path[-1][0]], low[at])
                    if low[at] == index[at]:
                        self._close(at, open_)

    def _close(self, last: str, open_: list[str]) -> None:
        number, members = len(self._cycle_of), [open_.pop()]
        while members[-1] != last:
            members.append(open_.pop())
        self._cycle_of.update(dict.fromkeys(members, number))
        if len(members) > 1:
            self._closures[number] = self._closure(members)


def callees_of(units: Mapping[str, UnitSummary], memos: CalleeMemos | None = None) -> dict[str, frozenset[str]]:
    """The units that each unit may call; "<name>" stands for any method of that name, ESCAPED for any function used as a value."""
    memos = memos or CalleeMemos()
    defined = memos.defined("", tuple((name, unit.cls) for name, unit in units.items()))
    escaped = NOTHING.union(*(unit.call_graph.escapes for unit in units.values())) & defined.units.keys()
    found = {}
    for name, unit in units.items():
        calls = unit.call_graph
        found[name] = memos.callees(name, calls.callees, calls.unresolved, bool(calls.unknown_calls), defined)
    return {**found, **defined.methods, ESCAPED: defined.methods[ESCAPED] | escaped}


class Defined(NamedTuple):
    """The units of a project with their classes, and the methods: "<name>" -> those of that name. ESCAPED is among them."""

    units: Mapping[str, str]
    methods: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class CalleeMemos:
    """What is known from earlier links, of all units together and by unit."""

    defined: Memo[tuple[tuple[str, str], ...], Defined] = field(default_factory=lambda: Memo(defined_by))
    callees: Memo[frozenset[str], frozenset[str], bool, Defined, frozenset[str]] = field(default_factory=lambda: Memo(callees_in))


def defined_by(units: tuple[tuple[str, str], ...]) -> Defined:
    methods: dict[str, set[str]] = {ESCAPED: set()}
    for name, cls in units:
        if cls:
            methods.setdefault(f"<{written_name(name.rpartition('.')[2])}>", set()).add(name)
    return Defined(dict(units), {name: frozenset(found) for name, found in methods.items()})


def callees_in(callees: frozenset[str], unresolved: frozenset[str], unknown: bool, defined: Defined) -> frozenset[str]:
    """What a unit may call. `unresolved`: methods that it calls on objects of unknown class; `unknown`: it calls function values."""
    called = {n.rpartition(".")[2] for n in callees if defined.units.get(n)} | unresolved
    found = {name for m in called if (name := f"<{m}>") in defined.methods}
    return frozenset(found | (callees & defined.units.keys()) | ({ESCAPED} if unknown else set()))
