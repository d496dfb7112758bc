"""Which values the seeds of a program have, as calls pass them on, and whether a place is reached twice with the same one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from ..analysis.random.draw_agreement import DEEPEST
from ..analysis.random.draw_sequences import DrawSequence, Passed, Seed
from ..analysis.state.node_facts import GLOBAL_STATE
from ..summaries.units import MODULE, UnitSummary


class Seeding(NamedTuple):
    """A place that seeds a stream: its unit, what is drawn afterwards, and which of the places of the project it is."""

    unit: str
    drawn: DrawSequence
    number: int = 0


@dataclass
class SeedFlow:
    """The seeds that the units of a project pass to each other. `tests`: modules whose calls do not count."""

    units: Mapping[str, UnitSummary]
    tests: Collection[str]
    _callers: dict[str, set[str]] = field(default_factory=dict)

    @cached_property
    def _calls(self) -> Mapping[str, list[tuple[str, Passed]]]:
        """The calls of each unit, with the caller."""
        found: dict[str, list[tuple[str, Passed]]] = defaultdict(list)
        for name, unit in self.units.items():
            if unit.module not in self.tests:
                for passed in unit.drawn.passed:
                    found[passed.callee].append((name, passed))
        return found

    @cached_property
    def _going_on(self) -> set[tuple[str, int]]:
        """The calls of functions that seed the global state for their callers, which draw from it afterwards."""
        return {
            (name, d.place)
            for name, unit in self.units.items()
            for d in unit.drawn.sequences
            if d.maker and d.stream == GLOBAL_STATE
        }

    def calls(self, name: str, own: bool) -> list[tuple[str, Passed]]:
        """The calls of a unit, with the caller. `own`: only those after which the caller does not go on with the state."""
        return [c for c in self._calls[name] if not own or (c[0], c[1].place) not in self._going_on]

    def runs_again(self, name: str, depth: int = DEEPEST, own: bool = False) -> bool:
        """Whether a unit may run more than once, as far as the project calls it."""
        calls = [(caller, p) for caller, p in self.calls(name, own) if not p.parameter]
        if len(calls) > 1 or not depth:
            return True
        return any(p.again or self.runs_again(caller, depth - 1) for caller, p in calls)

    def seed_of(self, seeding: Seeding, depth: int = DEEPEST) -> tuple[str, Seed]:
        """The value of a seed, and the unit in which it is evaluated: of the caller, if a function seeds for it."""
        drawn = seeding.drawn
        assert drawn.seed is not None
        if not drawn.maker or not depth:
            return seeding.unit, drawn.seed
        inner = [d for d in self.units[drawn.maker].drawn.sequences if d.seed is not None and d.legacy == drawn.legacy]
        if len(inner) != 1:
            return seeding.unit, Seed()
        made, seed = self.seed_of(Seeding(drawn.maker, inner[0]), depth - 1)
        if not seed.parameter or made != drawn.maker:
            return made, seed._replace(distinct=False)
        given = dict(drawn.arguments).get(seed.parameter)
        if given is None:
            default = self._default(made, seed.parameter)
            return made, default._replace(offset=default.offset + seed.offset)
        return seeding.unit, given._replace(offset=given.offset + seed.offset)

    def values_of(self, seeding: Seeding) -> list[tuple[Seed, bool]]:
        """The values with which a place seeds its stream; and whether the same value certainly occurs again."""
        unit, seed = self.seed_of(seeding)
        return self.values(unit, seed, own=seeding.drawn.stream == GLOBAL_STATE and not seeding.drawn.maker)

    def values(self, name: str, seed: Seed, depth: int = DEEPEST, own: bool = False) -> list[tuple[Seed, bool]]:
        """The values of a seed of a unit, as its callers determine them."""
        every = self.calls(name, own)
        calls = [(caller, p) for caller, p in every if p.parameter == seed.parameter] if seed.parameter else []
        if seed.numbers:
            return [(Seed("", number + seed.offset), self.runs_again(name, own=own)) for number in seed.numbers]
        if not calls or not depth:
            default = self._default(name, seed.parameter) if every and seed.parameter else seed
            if default is not seed:
                default = default._replace(offset=default.offset + seed.offset)
            return [(default, default.base in ("", f"{name}:default") and self.runs_again(name, own=own))]
        found = []
        for caller, p in calls:
            for value, again in self.values(caller, p.seed, depth - 1):
                moved = value._replace(offset=value.offset + seed.offset)
                found.append((moved, again or (p.again and not p.seed.moves and value.base != "?")))
        missing = sum(not p.parameter for _c, p in every) - len(calls)
        default = self._default(name, seed.parameter)
        return found + [(default._replace(offset=default.offset + seed.offset), missing > 1)] * (missing > 0)

    def _default(self, name: str, parameter: str) -> Seed:
        """The value of a parameter that no argument is passed for."""
        return dict(self.units[name].drawn.defaults).get(parameter, Seed(f"{name}:default"))

    def repeated(self, seeding: Seeding) -> bool:
        """Whether a place seeds its stream twice with the same value, if it is reached twice."""
        unit, seed = self.seed_of(seeding)
        if seeding.drawn.again and not seed.moves and seed.base != "?":
            return True
        values = self.values_of(seeding)
        if unit != seeding.unit and seed.base == "" and self.runs_again(seeding.unit):
            return True
        return any(again for _value, again in values) or any(equal(a, b) for (a, _), (b, _) in combinations(values, 2))

    def meet(self, one: Seeding, other: Seeding) -> bool:
        """Whether one program may reach two places. The code of a module runs before its functions, and those that these call."""
        ones, others = self._reached_from(one), self._reached_from(other)
        if one.unit == other.unit or not ones.isdisjoint(others):
            return True
        for module, roots in ((one.unit, others), (other.unit, ones)):
            if module.endswith(MODULE) and any(self.units[name].module == self.units[module].module for name in roots):
                return True
        return False

    def _reached_from(self, seeding: Seeding) -> set[str]:
        """The unit of a place, and all that may call it, but those that go on with the state: they are places of their own."""
        own = seeding.drawn.stream == GLOBAL_STATE and not seeding.drawn.maker
        callers = {caller for caller, _p in self.calls(seeding.unit, own)}
        return {seeding.unit}.union(*map(self.roots, callers))

    def roots(self, name: str) -> set[str]:
        """A unit and all that may call it."""
        if name not in self._callers:
            found, work = {name}, [name]
            while work:
                for caller, _p in self._calls[work.pop()]:
                    if caller not in found:
                        found.add(caller)
                        work.append(caller)
            self._callers[name] = found
        return self._callers[name]

    def same(self, name: str, parameter: str, literal: bool, depth: int = DEEPEST) -> bool:
        """Whether all calls of a unit pass the same for a parameter. `literal`: whether that has to be a literal."""
        found = set[tuple[str, int]]()
        calls = [(caller, p) for caller, p in self._calls[name] if p.parameter == parameter]
        for caller, passed in calls:
            seed = passed.seed
            if seed.base == "?" or seed.moves or not depth:
                return False
            if seed.parameter:
                if self.runs_again(caller) and not self.same(caller, seed.parameter, literal, depth - 1):
                    return False
            elif ":" in seed.base and (literal or self.runs_again(caller)):
                return False
            found.add((seed.base, seed.offset))
        missing = sum(not p.parameter for _c, p in self._calls[name]) > len(calls)
        return len(found) + missing == 1


def different(one: Seed, other: Seed) -> bool:
    """Whether two seeds certainly differ."""
    return one.base == other.base != "?" and one.offset != other.offset


def equal(one: Seed, other: Seed) -> bool:
    """Whether two seeds are the same expression."""
    return one.base == other.base != "?" and one.offset == other.offset
