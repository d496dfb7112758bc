"""Runs the passes in `passes` over a project in memory. A pass runs again only if its result was invalidated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from ...rules.facts.values import Value
from ..analysis.state.project_facts import Facts
from ..linking.class_hierarchy import Attribute
from ..linking.linker import LinkMemos, decide, link
from ..linking.placement import on_host
from ..linking.reachability import reached_by_calls
from ..linking.settings import Settings
from ..lowering.catalogue import SPECULATIONS
from ..lowering.speculation import Assumed, Place, Trial
from ..rewriting.rewriter import RewriteOptions, Rewritten
from ..summaries.units import ModuleSummary
from . import garbage_collection
from .passes import BY_NAME, MAKERS, PASSES
from .repetition import Round, round_of, skipped
from .workers import Workers

MOST_ROUNDS = 16
PADDED = ("unswitch", "rectangular-loops", "scalar-replacement")  # their changes are reverted in units that a rule refuses

Observer: TypeAlias = "Callable[[PassManager, str], None]"


class Point(NamedTuple):
    """The state from which a transformation starts."""

    facts: Facts
    settings: Settings
    assumed: Mapping[Attribute, Value]


@dataclass(slots=True)
class PassManager:
    """A project under conversion. `valid`: which results of passes are up to date, see `passes`.

    `assumed`: the assumed values of attributes; `optimistic`: whether further values may be assumed; `rounds`: how often the
    units were interpreted since the text changed; `history`: what the last of these rounds left; `unstable`: the units whose summaries
    changed in the last of them.
    """

    shards: Workers
    settings: Settings
    choice: RewriteOptions
    choices: Callable[[Mapping[str, ModuleSummary], Facts], Mapping[str, RewriteOptions]]
    observe: Observer = lambda manager, name: None
    valid: set[str] = field(default_factory=set)
    summaries: dict[str, ModuleSummary] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    memos: LinkMemos = field(default_factory=LinkMemos)
    assumed: Mapping[Attribute, Value] = field(default_factory=dict)
    optimistic: bool = True
    rounds: int = 0
    history: list[Round] = field(default_factory=list)
    unstable: frozenset[str] = frozenset()
    accepted: dict[str, Sequence[Any]] = field(default_factory=dict)  # by transformation
    rejected: dict[str, set[Hashable]] = field(default_factory=dict)  # permanently
    rewritten: dict[str, Rewritten] = field(default_factory=dict)

    def run_all(self) -> None:
        for each in PASSES:
            if each.name not in self.accepted:  # already run as an inner pass
                self.run(each.name)

    def run(self, name: str) -> None:
        """Run a pass, and before it the passes whose results it reads, unless these are valid."""
        each = BY_NAME[name]
        if each.makes not in self.valid or name in SPECULATIONS:
            for what in each.reads:
                self.require(what)
            if name in SPECULATIONS:
                self.speculate(name)
            else:
                self.invalidate(each.invalidates)
                FUNCTIONS[name](self)
                garbage_collection.collect()
                self.valid.add(each.makes)
        if not each.inner:
            self.observe(self, name)

    def require(self, what: str) -> None:
        """Make a result valid, without calling the observer."""
        if what not in self.valid:
            observe, self.observe = self.observe, lambda manager, name: None
            self.run(MAKERS[what])
            self.observe = observe

    def invalidate(self, what: Iterable[str]) -> None:
        self.valid.difference_update(what)

    def speculate(self, name: str) -> None:
        """Let a transformation change a copy of the files, reanalyse them, and revert the changes that the analysis refutes."""
        each, inner = SPECULATIONS[name], BY_NAME[name].inner
        selected = all(map(self.choice.runs, each.rules))
        before = Point(self.facts, self.settings, self.assumed)
        self.accepted[name] = ()
        if selected:
            self.shards.begin(name, each.candidates(self.facts, self.settings.unjitted))
        rejected, only, trials = set(self.rejected.get(name, ())), None, 0
        while True:
            if selected:
                self.change(name, self.shards.propose(name, rejected, only), before)
            refuted = self.refuted(name, before, None)
            if not refuted and inner:
                self.observe(self, name)
                self.run(inner)
                refuted = self.refuted(name, before, self.accepted[inner])
            if not refuted:
                return
            rejected |= refuted
            if each.trials is not None and trials >= each.trials:
                only = {each.key(change) for change in self.accepted[name]} - refuted
            trials += 1

    def change(self, name: str, made: tuple[Sequence[ModuleSummary], Sequence[Any]], before: Point) -> None:
        """Replace the text of the changed files and reanalyse everything that depends on it."""
        changed, self.accepted[name] = made
        if not changed:
            return
        self.summaries.update((summary.name, summary) for summary in changed)
        self.settings, self.assumed, self.rounds = before.settings, before.assumed, 0
        self.invalidate(BY_NAME[name].invalidates)
        self.require("plans")

    def refuted(self, name: str, before: Point, accepted: Collection[Any] | None) -> Set[Hashable]:
        changes = self.accepted[name]
        if not changes:
            return frozenset()
        units = {u.name: u for s in self.summaries.values() for u in s.units}

        def sequential(names: Collection[str]) -> set[Place]:
            return self.shards.one_by_one(self.facts, names)

        def assumed(names: Collection[str]) -> Mapping[str, Assumed]:
            return self.shards.assumed(self.facts, self.choices(self.summaries, self.facts), names)

        return SPECULATIONS[name].rejects(Trial(before.facts, self.facts, changes, units, accepted, sequential, assumed))


def read(manager: PassManager) -> None:
    manager.summaries = {s.name: s for s in manager.shards.read()}


def link_units(manager: PassManager) -> None:
    before = manager.facts if manager.rounds else None
    manager.facts = link(manager.summaries.values(), manager.settings, before, manager.assumed, manager.memos)


def summarize(manager: PassManager) -> None:
    """Interpret the units whose facts changed. If a summary changes, the facts are invalid."""
    changed = manager.shards.summarise(manager.facts)
    manager.rounds += 1
    manager.unstable = frozenset()
    for summary in changed:
        before = manager.summaries[summary.name]
        manager.unstable |= {new.name for new, old in zip(summary.units, before.units, strict=True) if new != old}
        manager.summaries[summary.name] = summary
    manager.history.append(round_of(manager.summaries, manager.facts, manager.assumed, manager.shards.interpreted()))
    if changed:
        manager.invalidate(("facts",))


def resolve(manager: PassManager) -> None:
    """Link and summarize until nothing changes.

    Facts only become more precise, except effects, which only grow, and assumed values of attributes, which may be refuted.
    Units that do not converge are left as NumPy.
    """
    vain = resolved(manager, manager.settings.vain)
    if manager.unstable and manager.optimistic:
        manager.optimistic, manager.assumed, manager.rounds = False, {}, 0
        manager.invalidate(("facts", "summaries"))
        vain |= resolved(manager, manager.settings.vain)
    kept = {
        name: ("NJ214", "its effects could not be determined") for name in manager.unstable if name in manager.facts.functions
    }
    manager.settings = replace(manager.settings, kept={**manager.settings.kept, **kept}, vain=manager.settings.vain | vain)


def resolved(manager: PassManager, vain: frozenset[tuple[Attribute, Value]]) -> frozenset[tuple[Attribute, Value]]:
    """The attribute values that were assumed and refuted."""
    manager.history.clear()
    while manager.rounds <= MOST_ROUNDS:
        manager.require("facts")
        manager.require("summaries")
        if "facts" not in manager.valid:
            manager.rounds += skipped(manager.history, MOST_ROUNDS + 1 - manager.rounds)
            continue
        manager.history.clear()
        facts, assumed = manager.facts, manager.assumed
        vain |= {(a, assumed[a]) for a in facts.hierarchy.broken}
        assumptions = (
            [(a, value) for a, values in facts.hierarchy.assumed.items() for value in values[::-1]] if manager.optimistic else []
        )
        optimistic = dict(hope for hope in assumptions if hope not in vain)  # the first remaining candidate
        if not (optimistic or facts.hierarchy.broken):
            break
        manager.assumed = {a: value for a, value in {**assumed, **optimistic}.items() if (a, value) not in vain}
        manager.invalidate(("facts",))
    return vain


def plan(manager: PassManager) -> None:
    decide(manager.facts, manager.summaries.values(), manager.settings)


def place(manager: PassManager) -> None:
    """Keep as NumPy what would run without jit, until no plan changes: what calls such code may no longer be compiled."""
    while manager.settings.fast:
        manager.require("plans")
        kept = on_host(manager.summaries.values(), manager.facts)
        if not kept:
            return
        manager.settings = replace(manager.settings, kept={**manager.settings.kept, **kept})
        manager.invalidate(("plans",))


def rewrite(manager: PassManager) -> None:
    """Rewrite the files. If a rule refuses a unit after all, plan again without that unit and rewrite again."""
    while True:
        choices = manager.choices(manager.summaries, manager.facts)
        before, manager.rewritten = manager.rewritten, manager.shards.rewrite(manager.facts, choices)
        for name in before:  # what a comment prevents is not found again in the units that are refused for it
            manager.rewritten[name].silenced |= before[name].silenced
        plans = manager.facts.plans
        refused = {name: why for r in manager.rewritten.values() for name, why in r.refused.items() if not plans[name].refused}
        unadapted = {name: why for r in manager.rewritten.values() for name, why in r.unadapted.items()}
        units = {unit.name: unit for m in manager.summaries.values() for unit in m.units} if unadapted else {}
        for name, why in unadapted.items():
            for below in reached_by_calls((name,), units):  # their results may come through it
                if below in plans and not plans[below].refused:
                    refused.setdefault(below, why)
        if not refused:
            return
        manager.settings = replace(manager.settings, kept={**manager.settings.kept, **refused})
        manager.invalidate(("plans",))
        padded = {location for name in PADDED for location in manager.accepted[name] if location[0] in refused}
        if padded:
            take_back(manager, padded)
        manager.require("plans")
        place(manager)  # what called a refused unit may no longer be compiled


def take_back(manager: PassManager, padded: Collection[Place]) -> None:
    """Revert some loops to their state before unswitching, padding and scalar replacement."""
    changed = manager.shards.restore(PADDED[0])
    manager.summaries.update((summary.name, summary) for summary in changed)
    manager.rounds = 0
    manager.invalidate(("facts", "summaries", "resolved"))
    for name in PADDED:
        manager.rejected.setdefault(name, set()).update(padded)
        manager.run(name)


FUNCTIONS: Mapping[str, Callable[[PassManager], None]] = {
    "read": read,
    "link": link_units,
    "summarize": summarize,
    "resolve": resolve,
    "place": place,
    "decide": plan,
    "rewrite": rewrite,
}
