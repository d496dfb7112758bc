"""Seeds of one program that may be equal, and whether keys keep what NumPy promises for them: equal draws give equal numbers.

A key is split by the structure of the program, and NumPy's stream advances with each number. Both give equal numbers after equal seeds
where the same draws follow, or the draws after one seed are the first ones after the other. Otherwise what draws from these streams is
left as NumPy.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import NamedTuple

from ...rules.facts.values import NOTHING
from ..analysis.random.draw_agreement import DEEPEST, UNKNOWN, Agreement
from ..analysis.random.draw_sequences import DrawSequence, Event
from ..analysis.state.node_facts import GLOBAL_STATE
from ..analysis.state.project_facts import Facts
from ..summaries.units import MODULE, ModuleSummary, UnitSummary
from .reachability import reached_by_calls
from .seed_flow import SeedFlow, Seeding, different
from .seed_propagation import callers, draining


class Group(NamedTuple):
    """Streams whose seeds are equal.

    `seedings`: none where they are only perhaps equal. `users`: the units that seed them, draw from them, or pass them on. `agrees`:
    the draws after the seeds agree as far as they go. `ordered`: keys must be split draw by draw for that. `around`: `users`, and what
    else the units that seed call that uses NumPy's global state.
    """

    seedings: tuple[Seeding, ...]
    users: frozenset[str]
    agrees: bool
    ordered: bool
    around: frozenset[str] = NOTHING


@dataclass
class Seeds:
    """The seeds of a project."""

    units: Mapping[str, UnitSummary]
    facts: Facts
    tests: Collection[str]
    _entries: dict[tuple[str, str], tuple[Event, ...]] = field(default_factory=dict)

    @cached_property
    def flow(self) -> SeedFlow:
        return SeedFlow(self.units, self.tests)

    def groups(self) -> Iterator[Group]:
        """The groups of streams whose seeds are equal, and the pairs in one unit whose seeds may be equal."""
        seedings = list(self._seedings())
        values = {s: self.flow.values_of(s) for s in seedings}
        same: dict[tuple[bool, str, int], list[Seeding]] = defaultdict(list)
        for s in seedings:
            for legacy, base, offset in {(s.drawn.legacy, v.base, v.offset) for v, _again in values[s]}:
                if base != "?":
                    same[legacy, base, offset].append(s)
        pairs = {p for alike in same.values() for p in combinations(alike, 2) if self.flow.meet(*p)}
        again = [s for s in seedings if self.flow.repeated(s)]
        group = {s: {s} for s in (*again, *(s for pair in sorted(pairs, key=places) for s in pair))}
        for a, b in pairs:
            whole = group[a] | group[b]
            for s in whole:
                group[s] = whole
        seen = set[Seeding]()
        for first, members in group.items():
            if first not in seen:
                seen |= members
                own = [p for p in sorted(pairs, key=places) if p[0] in members]
                yield self._group(sorted(members, key=place), own, sorted(members.intersection(again), key=place))
        of: dict[tuple[str, bool], list[Seeding]] = defaultdict(list)
        for s in seedings:
            if self._named(s.drawn):
                of[s.unit, s.drawn.legacy].append(s)
        for alike in of.values():
            for pair in combinations(alike, 2):
                one, other = (self._events(s) for s in pair)
                perhaps = any(not different(a, b) for a, _ in values[pair[0]] for b, _ in values[pair[1]])
                if perhaps and pair not in pairs and self.agreement.agree(one, other):
                    yield self._group([*pair], [pair], [])._replace(seedings=())

    def _seedings(self) -> Iterator[Seeding]:
        """The places that seed streams from which something is drawn."""
        number = itertools.count()
        for name, unit in self.units.items():
            for drawn in unit.drawn.sequences if unit.module not in self.tests else ():
                seeding = Seeding(name, drawn, next(number))
                if drawn.seed is None or drawn.seed.base == "system" or self._goes_on(name, drawn):
                    continue
                if drawn.attribute or self._events(seeding):
                    yield seeding

    def _group(self, members: list[Seeding], pairs: list[tuple[Seeding, Seeding]], again: list[Seeding]) -> Group:
        users = frozenset(name for s in members for name in self._users(s))
        attributes = {s.drawn.attribute for s in members if s.drawn.attribute}
        agrees = self._agree(pairs, again)
        if attributes:
            exact = all(self._exact(u, attributes) for u in users) and not any(s.drawn.maker for s in members)
            alike = all(self.agreement.simple(s.drawn.events) for s in members)
            return Group(tuple(members), users, agrees and exact and alike, True, users)
        flat = all(e.kind in ("draw", "call") for s in members for e in self._events(s))
        alike = len({tuple(e.text for e in self._events(s)) for s in members}) == 1 and len(members) > 1
        same = alike and flat and all(s.drawn.plain for s in members)
        lone = len(members) == 1 and flat
        opaque = all(len(self._events(s)) == 1 and self.agreement.passes_on(self._events(s)[0]) for s in members)
        ordered = not (same or lone or opaque)
        whole = ordered and not all(self._named(s.drawn) for s in members)
        around = users | self._around({s.unit for s in members if s.drawn.stream == GLOBAL_STATE})
        return Group(tuple(members), users, agrees and not whole, ordered, around)

    def _agree(self, pairs: list[tuple[Seeding, Seeding]], again: list[Seeding]) -> bool:
        """Whether the draws after the seeds agree as far as they go; those from attributes are judged by their order alone."""
        return all(
            self.agreement.agree(self._events(a), self._events(b))
            for a, b in pairs
            if not (a.drawn.attribute or b.drawn.attribute)
        ) and all(
            self.agreement.agrees_with_itself(self._events(s), partial(self._unchanged, s.unit))
            for s in again
            if not s.drawn.attribute
        )

    def _goes_on(self, name: str, drawn: DrawSequence) -> bool:
        """Whether all callers go on with the generator that a unit returns, or with the state that it seeds."""
        if drawn.stream != GLOBAL_STATE or name not in self.facts.random.state_seeders:
            return drawn.returned
        return not self.flow.calls(name, own=True)

    def _named(self, drawn: DrawSequence) -> bool:
        """Whether a stream has a name, so that its key can be split."""
        return bool(drawn.stream)

    def _unchanged(self, name: str, event: Event) -> bool:
        """Whether what an event of a unit depends on is the same whenever the unit runs."""
        literal = self.agreement.branches([event])
        return "?" not in event.names and (
            not self.flow.runs_again(name) or all(self.flow.same(name, p, literal) for p in event.names)
        )

    # what is drawn after them

    @cached_property
    def _draining(self) -> set[str]:
        return draining(self.units)

    def _events(self, seeding: Seeding, depth: int = DEEPEST) -> tuple[Event, ...]:
        """What is drawn after a seed; first by the function that seeds, if it is another one."""
        maker = seeding.drawn.maker
        events = self._drawing(seeding.drawn.events, maker)
        if events and seeding.drawn.stream == GLOBAL_STATE and seeding.unit in self._followed:
            events += (UNKNOWN,)
        if not maker or not depth or not events or events[0].callee != maker:
            return events
        first, *rest = events
        inner = [d for d in self.units[first.callee].drawn.sequences if d.seed is not None and d.legacy == seeding.drawn.legacy]
        if len(inner) != 1:
            return events
        own = self._events(Seeding(first.callee, inner[0]), depth - 1)
        return (*(called(e, first) for e in own), *rest)

    def _drawing(self, events: Iterable[Event], maker: str = "") -> tuple[Event, ...]:
        """The events that draw. `maker`: the function that seeds the stream."""
        found = list[Event]()
        seeded = False  # another function has seeded the state: NumPy goes on with its stream
        for event in events:
            if event.kind == "end":
                break
            seeding = event.kind == "call" and not event.parameter and event.callee in self._seeding and event.callee != maker
            if event.kind == "call" and event.callee != maker and not self._entry(event):
                seeded = seeded or seeding
                continue
            inside = any(e.callee in self._seeding and not e.parameter for e in flat(event.body))
            if event.body:
                body = self._drawing(event.body, maker)
                if not body:
                    seeded = seeded or inside
                    continue
                event = event._replace(body=body)
            if seeded:
                return (*found, UNKNOWN)
            seeded = seeding or inside
            found.append(event)
        return tuple(found)

    @cached_property
    def _seeding(self) -> set[str]:
        """The units that seed NumPy's global state, directly or through calls."""
        return callers(self.units, {name for name, unit in self.units.items() if unit.streams.state.sows})

    @cached_property
    def _followed(self) -> set[str]:
        """The units that seed NumPy's state for themselves, but whose callers draw from it afterwards."""
        found = set[str]()
        for unit in self.units.values():
            for drawn in unit.drawn.sequences:
                if drawn.stream not in ("", GLOBAL_STATE) or drawn.attribute:
                    continue
                events = self._drawing(drawn.events, drawn.maker)
                if UNKNOWN in flat(events):
                    found |= {e.callee for e in flat(drawn.events) if e.callee in self._seeding and e.callee != drawn.maker}
        return reached_by_calls(found, {name: unit for name, unit in self.units.items() if name in self._seeding})

    def _entry(self, event: Event) -> tuple[Event, ...]:
        """What a called function draws from the stream that it gets."""
        at = event.callee, event.parameter
        if at not in self._entries:
            unit = self.units.get(event.callee)
            self._entries[at] = (UNKNOWN,)  # of a function that calls itself
            for drawn in unit.drawn.sequences if unit is not None else ():
                if drawn.seed is None and drawn.stream == event.parameter and not drawn.attribute:
                    draws = event.parameter or event.callee in self._draining
                    self._entries[at] = self._drawing(drawn.events) if draws else ()
        return self._entries[at]

    def _exact(self, name: str, attributes: set[str]) -> bool:
        """Whether a unit only draws from the generators of attributes, and always does."""
        drawn = [d for d in self.units[name].drawn.sequences if d.seed is None and d.attribute in attributes]
        return all(self.agreement.simple(self._drawing(d.events)) for d in drawn)

    @cached_property
    def agreement(self) -> Agreement:
        return Agreement(self._entry)

    # who uses them

    def _around(self, names: set[str]) -> set[str]:
        """The units that use NumPy's global state, among some units and all that these call."""
        return {n for n in reached_by_calls(names, self.units) if n in self._draining or self.units[n].streams.state.seeds}

    def _users(self, seeding: Seeding) -> set[str]:
        """The units that seed a stream, draw from it, or pass it on."""
        found = {seeding.unit} | ({seeding.drawn.maker} if seeding.drawn.maker else set())
        if seeding.drawn.attribute:
            token = seeding.drawn.attribute
            found |= {n for n, u in self.units.items() if any(t.rpartition(".")[2] == token for t in u.streams.attrs)}
        work = [e for e in flat(seeding.drawn.events) if e.kind == "call"]
        if any(e.kind == "unknown" for e in flat(seeding.drawn.events)):
            work += [Event("call", "", False, c, p) for c, p in self.units[seeding.unit].streams.gives]
        seen = set[tuple[str, str]]()
        while work:
            event = work.pop()
            if (event.callee, event.parameter) in seen or event.callee not in self.units:
                continue
            seen.add((event.callee, event.parameter))
            unit = self.units[event.callee]
            if event.parameter or event.callee in self._draining:
                found.add(event.callee)
            if event.parameter:
                work += [Event("call", "", False, c, p) for c, p in unit.streams.gives]
            else:
                work += [Event("call", "", False, c) for c in unit.call_graph.callees]
        if seeding.drawn.stream == "" and unit_variables(self.units[seeding.unit]):
            found |= {n for n, u in self.units.items() if u.streams.variables}
        return found & self.units.keys()


def unit_variables(unit: UnitSummary) -> bool:
    return bool(unit.streams.variables)


def flat(events: Iterable[Event]) -> Iterator[Event]:
    """All events, with those in loops and branches."""
    for event in events:
        yield event
        yield from flat(event.body)


def place(seeding: Seeding) -> int:
    return seeding.number


def called(event: Event, call: Event) -> Event:
    """An event of a function, for one call of it."""
    body = tuple(called(e, call) for e in event.body)
    if event.fixed or event.kind in ("arm", "unknown"):
        return event._replace(body=body)
    names = NOTHING if call.fixed and "?" not in event.names else frozenset("?")
    return event._replace(text=f"{event.text} in {call.text}", fixed=not names and event.kind != "branch", body=body, names=names)


def places(pair: tuple[Seeding, Seeding]) -> tuple[int, int]:
    return place(pair[0]), place(pair[1])


def find(units: Mapping[str, UnitSummary], facts: Facts, modules: Iterable[ModuleSummary]) -> tuple[Group, ...]:
    """The groups of streams of a project whose seeds may be equal."""
    if not any(d.seed is not None for u in units.values() for d in u.drawn.sequences):
        return ()
    return tuple(Seeds(units, facts, {m.name for m in modules if m.text.tests}).groups())


def unkept(groups: Iterable[Group], refused: Collection[str], compilable: Collection[str]) -> dict[str, tuple[str, str]]:
    """Refusals for what draws after seeds that may be equal, where keys would not give equal numbers wherever NumPy does.

    The units that seed must all be converted, or all stay NumPy. `compilable`: the units that may be converted at all.
    """
    found: dict[str, tuple[str, str]] = {}
    for group in groups:
        if not group.seedings:
            continue
        staying = {s.unit for s in group.seedings if s.unit in refused or s.unit not in compilable}
        mixed = staying and not staying.issuperset(s.unit for s in group.seedings)
        if group.agrees and not mixed:
            continue
        first = group.seedings[0].unit
        short = first.removesuffix(f".{MODULE}").rpartition(".")[2]
        why = f"`{short}` may use a seed twice, and keys would not give equal numbers wherever NumPy does: use another seed for each use"
        found |= {name: ("NJ301", why) for name in group.around if name in compilable and name not in refused}
    return found


def ordered(groups: Iterable[Group], refused: Collection[str]) -> frozenset[str]:
    """The converted units in which each draw splits its own key, in the order of evaluation."""
    return frozenset(name for group in groups if group.ordered and group.agrees for name in group.users if name not in refused)
