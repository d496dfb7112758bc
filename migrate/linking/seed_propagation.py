"""Functions that seed NumPy's random state for whoever calls them: which of them give the key of the seed back, and where.

What draws after such a call goes on with its key, as NumPy's one stream goes on. A constructor, which returns nothing, keeps the
key in the object that it makes. Whether a key is needed after a call is decided by the seeds that `np.random.seed` itself sets,
so that it does not depend on who else gives keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from ...rules.facts.values import NOTHING
from ..analysis.interp.super_calls import ends_in_object
from ..analysis.state.call_facts import CallFact
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary

ASKED = frozenset("__slots__ __setattr__ __getattr__ __getattribute__ __dict__".split())  # what says which attributes there are
SeededCalls = Mapping[str, frozenset[tuple[str, int]]]


def find(
    units: Mapping[str, UnitSummary], facts: Facts, public: Collection[str], modules: Iterable[ModuleSummary]
) -> tuple[frozenset[str], SeededCalls]:
    """The functions that give their callers the key of a seed, and the calls after which it is needed."""
    able = candidates(units, facts, public, modules)
    if not able:
        return NOTHING, {}
    thirsty, drawing, pure = key_functions(units), draining(units), unconsumed(units)
    while True:
        able = grounded(units, able)
        givers = able & pure
        while more := {n for n in able - givers - drawing if any(c.callee in givers for c in units[n].call_graph.calls)}:
            givers |= more
        while more := {c.callee for u, c in needed(units, able, givers, thirsty) if c.callee not in givers}:
            givers |= more
        calls = list(needed(units, givers, givers, thirsty))
        bad = {c.callee for _u, c in calls if not fits(units[c.callee], c)}
        bad |= {
            c.callee
            for u in units.values()
            for c in u.call_graph.calls
            if c.callee in givers and returns_key_only(units[c.callee]) and not alone(c)
        }
        if not bad:
            break
        able -= bad
    seeded_for: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for unit, call in calls:
        if call.order is not None:
            seeded_for[call.callee].add((unit.name, call.order.order))
    return frozenset(givers), {name: frozenset(found) for name, found in seeded_for.items()}


def constructs(unit: UnitSummary) -> bool:
    return bool(unit.cls) and unit.name.endswith(".__init__")


def returns_key_only(unit: UnitSummary) -> bool:
    """Whether a function returns nothing, and will return a key."""
    return unit.results == 0 and not constructs(unit)


def alone(call: CallFact) -> bool:
    """Whether a call is a statement of its own."""
    return call.order is not None and call.order.targets == 0


def fits(unit: UnitSummary, call: CallFact) -> bool:
    """Whether the key that a call gives can be taken where it stands."""
    if call.order is None:
        return False
    return call.order.targets in (0, 1, unit.results) or (unit.results == 1 and call.order.targets > 1)


def candidates(
    units: Mapping[str, UnitSummary], facts: Facts, public: Collection[str], modules: Iterable[ModuleSummary]
) -> set[str]:
    """Functions that seed the state, of which every call is known."""
    seeding_callers = {name for name, unit in units.items() if unit.streams.state.sows}
    if not seeding_callers:
        return set()
    modules = list(modules)
    escaped = {facts.canonical(e) for u in units.values() for e in u.call_graph.escapes}
    escaped |= {facts.canonical(e) for m in modules for e in m.unsure}
    unresolved = {n for u in units.values() for n in u.call_graph.unresolved}
    tests = {m.name for m in modules if m.text.tests}
    in_tests = {c.callee for u in units.values() if u.module in tests for c in u.call_graph.calls}
    fixed = {facts.canonical(p) for p in public} | {*public}
    found = set()
    for name, unit in units.items():
        if not unit.extends or unit.streams.variables or unit.block is not None:
            continue
        short = name.rpartition(".")[2]
        plain = (
            name not in facts.several
            and not unit.effects.mutates
            and not unit.signature.registered
            and name not in escaped | fixed
        )
        plain = plain and not (unit.results and name in in_tests)
        if constructs(unit):
            plain = plain and unit.cls not in escaped and opens(facts, unit.cls)
        elif unit.cls:
            above = facts.classes[unit.cls].bases
            plain = (
                plain and (unit.cls, short) not in facts.hierarchy.overridden and not any(facts.method(b, short) for b in above)
            )
        plain = plain and not (unit.cls and short in unresolved)
        if plain and (not unit.special or constructs(unit)) and unit.module not in tests:
            found.add(name)
    return found


def grounded(units: Mapping[str, UnitSummary], able: set[str]) -> set[str]:
    """Those that seed the state themselves, or call one of those that do and can give the key."""
    found = {name for name in able if units[name].streams.state.sows}
    while more := {name for name in able - found if any(c.callee in found for c in units[name].call_graph.calls)}:
        found |= more
    return found


def opens(facts: Facts, cls: str) -> bool:
    """Whether objects of a class can hold an attribute more: its bases are known, and nobody asks for all attributes."""
    fact = facts.classes.get(cls)
    if fact is None or not ends_in_object(facts, cls):
        return False
    line = [facts.classes[name] for name in facts.hierarchy.kin[cls] if name in facts.classes]
    return not any(c.fields or not ASKED.isdisjoint({*c.attrs, *c.methods}) for c in line)


def key_functions(units: Mapping[str, UnitSummary]) -> set[str]:
    """Functions that may draw from the state as their callers left it."""
    of: dict[str, set[str]] = defaultdict(set)
    for unit in units.values():
        for call in unit.call_graph.calls:
            if call.order is None or call.order.seeded < 0:
                of[call.callee].add(unit.name)
    work, found = [u.name for u in units.values() if u.streams.state.thirsty], set[str]()
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work += of[name]
    return found


def needed(
    units: Mapping[str, UnitSummary], able: Collection[str], givers: Collection[str], thirsty: Collection[str]
) -> Iterable[tuple[UnitSummary, CallFact]]:
    """The calls of some functions after which something draws from the state as they leave it: their callers, whom these call
    next, or whoever gets the key from them."""
    for unit in units.values():
        for call in unit.call_graph.calls:
            if call.callee not in able:
                continue
            if unit.name in givers or is_followed(unit, call, thirsty):
                yield unit, call


def is_followed(unit: UnitSummary, call: CallFact, thirsty: Collection[str]) -> bool:
    """Whether a unit draws from the state as a call leaves it."""
    return call.order is None or call.order.draws or any(follows(c, call) and c.callee in thirsty for c in unit.call_graph.calls)


def goes_on(unit: UnitSummary, seeding: Collection[str], thirsty: Collection[str]) -> bool:
    """Whether a unit draws from the state as calls of some functions leave it."""
    return any(c.callee in seeding and is_followed(unit, c, thirsty) for c in unit.call_graph.calls)


def follows(later: CallFact, call: CallFact) -> bool:
    """Whether a call may come after another one, with no certain seed between the two."""
    at, then = call.order, later.order
    if at is None or then is None:
        return True
    again = later is not call or at.start < at.order
    return again and then.order >= at.start and then.seeded < at.order


def key_attribute(units: Mapping[str, UnitSummary], facts: Facts) -> str:
    """The attribute in which objects keep the key of the seed that their constructor set: one that nobody uses."""
    used = {a for c in facts.classes.values() for a in (*c.attrs, *c.methods, *c.fields)}
    used |= {s.rpartition(".")[2] for u in units.values() for s in (*u.attributes.attr_stores, *u.effects.reads)}
    return next(n for n in ("key", "rng_key", "random_key", "jax_random_key", "_jax_random_key") if n not in used)


def unconsumed(units: Mapping[str, UnitSummary]) -> set[str]:
    """Those of the units that seed NumPy's state which do not draw from it afterwards: they seed it for others."""
    drawing = draining(units)
    return {
        name
        for name, unit in units.items()
        if unit.streams.state.seeds
        and not unit.streams.state.drains
        and not any(c.drains and c.callee in drawing for c in unit.call_graph.calls)
    }


def draining(units: Mapping[str, UnitSummary]) -> set[str]:
    """Those that draw from NumPy's state, seeded or not, or call what does."""
    return callers(units, {u.name for u in units.values() if u.streams.state.own})


def callers(units: Mapping[str, UnitSummary], names: set[str]) -> set[str]:
    """These units, and all that call them, directly or not."""
    of: dict[str, set[str]] = defaultdict(set)
    for unit in units.values():
        for call in unit.call_graph.calls:
            of[call.callee].add(unit.name)
    work, found = list(names), set(names)
    while work:
        for caller in of[work.pop()] - found:
            found.add(caller)
            work.append(caller)
    return found
