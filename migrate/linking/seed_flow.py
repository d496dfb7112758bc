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

    def runs_again(self, name: str, depth: int = DEEPEST) -> bool:
        """Whether a unit may run more than once, as far as the project calls it."""
        calls = [(caller, p) for caller, p in self._calls[name] if not p.parameter]
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
            return made, Seed(f"{made}:default", seed.offset)
        return seeding.unit, given._replace(offset=given.offset + seed.offset)

    def values(self, name: str, seed: Seed, depth: int = DEEPEST) -> list[tuple[Seed, bool]]:
        """The values of a seed of a unit, as its callers determine them; and whether the same value certainly occurs again."""
        calls = [(caller, p) for caller, p in self._calls[name] if p.parameter == seed.parameter] if seed.parameter else []
        if not calls or not depth:
            return [(seed, seed.base == "" and self.runs_again(name))]
        found = []
        for caller, p in calls:
            for value, again in self.values(caller, p.seed, depth - 1):
                moved = value._replace(offset=value.offset + seed.offset)
                found.append((moved, again or (p.again and not p.seed.moves and value.base != "?")))
        missing = sum(not p.parameter for _c, p in self._calls[name]) - len(calls)
        return found + [(Seed(f"{name}:default"), missing > 1)] * (missing > 0)

    def repeated(self, seeding: Seeding) -> bool:
        """Whether a place seeds its stream twice with the same value, if it is reached twice."""
        unit, seed = self.seed_of(seeding)
        if seeding.drawn.again and not seed.moves and seed.base != "?":
            return True
        values = self.values(unit, seed)
        if unit != seeding.unit and seed.base == "" and self.runs_again(seeding.unit):
            return True
        return any(again for _value, again in values) or any(equal(a, b) for (a, _), (b, _) in combinations(values, 2))

    def meet(self, one: Seeding, other: Seeding) -> bool:
        """Whether one program may reach two places. The code of a module runs before its functions, and those that these call."""
        if one.unit == other.unit or not self.roots(one.unit).isdisjoint(self.roots(other.unit)):
            return True
        for module, place in ((one.unit, other.unit), (other.unit, one.unit)):
            if module.endswith(MODULE) and any(
                self.units[name].module == self.units[module].module for name in self.roots(place)
            ):
                return True
        return False

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
