"""Functions that seed NumPy's random state for their callers: which of them return the key of the seed, and after which calls.

Code that draws after such a call continues with its key, as NumPy's single stream continues. A constructor, which returns
nothing, stores the key in the object. Whether a key is needed after a call is decided by the direct calls of `np.random.seed`
only, so that it does not depend on which other functions return keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from ...rules.facts.values import NOTHING
from ..analysis.interp.super_calls import ends_in_object
from ..analysis.state.call_facts import CallFact
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary
from .reachability import reachable

ASKED = frozenset("__slots__ __setattr__ __getattr__ __getattribute__ __dict__".split())  # these ask which attributes there are
SeededCalls = Mapping[str, frozenset[tuple[str, int]]]


def find(
    units: Mapping[str, UnitSummary], facts: Facts, public: Collection[str], modules: Iterable[ModuleSummary]
) -> tuple[frozenset[str], SeededCalls]:
    """The functions that return the key of a seed to their callers, and the calls after which it is needed."""
    known = callers_of(units)
    able = candidates(units, facts, public, modules, known)
    if not able:
        return NOTHING, {}
    thirsty, drawing, pure = key_functions(units), draining(units, known), unconsumed(units, known)
    around = {name: units[name] for callee in able for name in known.get(callee, ())}  # where they are called
    while True:
        able = grounded(units, able)
        givers = able & pure
        while more := {n for n in able - givers - drawing if any(c.callee in givers for c in units[n].call_graph.calls)}:
            givers |= more
        while more := {c.callee for u, c in needed(around, able, givers, thirsty) if c.callee not in givers}:
            givers |= more
        calls = list(needed(around, givers, givers, thirsty))
        bad = {c.callee for _u, c in calls if not fits(units[c.callee], c)}
        bad |= {
            c.callee
            for u in around.values()
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
    """Whether a function returns nothing now and would return only a key."""
    return unit.results == 0 and not constructs(unit)


def alone(call: CallFact) -> bool:
    """Whether a call is a whole statement."""
    return call.order is not None and call.order.targets == 0


def fits(unit: UnitSummary, call: CallFact) -> bool:
    """Whether the statement of a call can bind the key that it returns."""
    if call.order is None:
        return False
    return call.order.targets in (0, 1, unit.results) or (unit.results == 1 and call.order.targets > 1)


def candidates(
    units: Mapping[str, UnitSummary],
    facts: Facts,
    public: Collection[str],
    modules: Iterable[ModuleSummary],
    known: Mapping[str, Collection[str]],
) -> set[str]:
    """The functions that seed the state, directly or through calls, and whose calls are all known. `known`: see `callers_of`."""
    modules = list(modules)
    unchanged = {m.name for m in modules if m.text.unchanged}
    seeding = callers(units, {name for name, unit in units.items() if unit.streams.state.sows}, known)
    able = [name for name in seeding if may_return_keys(units[name]) and units[name].module not in unchanged]
    if not able:
        return set()
    escaped = {facts.canonical(e) for u in units.values() for e in u.call_graph.escapes}
    escaped |= {facts.canonical(e) for m in modules for e in m.unsure}
    unresolved = {n for u in units.values() for n in u.call_graph.unresolved}
    in_unchanged = {c.callee for u in units.values() if u.module in unchanged for c in u.call_graph.calls}
    fixed = {facts.canonical(p) for p in public} | {*public}
    drawing, found = draining(units, known), set()
    for name in able:
        unit, short = units[name], name.rpartition(".")[2]
        plain = name not in facts.several and name not in escaped and name not in fixed
        plain = plain and not (unit.results and (name in in_unchanged or (name in facts.outside and name not in drawing)))
        if constructs(unit):
            plain = plain and unit.cls not in escaped and opens(facts, unit.cls)
        elif unit.cls:
            above = facts.classes[unit.cls].bases
            plain = (
                plain and (unit.cls, short) not in facts.hierarchy.overridden and not any(facts.method(b, short) for b in above)
            )
        if plain and not (unit.cls and short in unresolved):
            found.add(name)
    return found


def may_return_keys(unit: UnitSummary) -> bool:
    """Whether a function, judged by itself, can return one more value."""
    fixed = unit.streams.variables or unit.block is not None or unit.effects.mutates or unit.signature.registered
    return unit.extends and not fixed and (not unit.special or constructs(unit))


def grounded(units: Mapping[str, UnitSummary], able: set[str]) -> set[str]:
    """The functions in `able` that seed the state directly, or call one of these."""
    found = {name for name in able if units[name].streams.state.sows}
    while more := {name for name in able - found if any(c.callee in found for c in units[name].call_graph.calls)}:
        found |= more
    return found


def opens(facts: Facts, cls: str) -> bool:
    """Whether objects of a class can get another attribute: all bases are known, and nothing lists the attributes."""
    fact = facts.classes.get(cls)
    if fact is None or not ends_in_object(facts, cls):
        return False
    line = [facts.classes[name] for name in facts.hierarchy.kin[cls] if name in facts.classes]
    return not any(c.fields or not ASKED.isdisjoint({*c.attrs, *c.methods}) for c in line)


def key_functions(units: Mapping[str, UnitSummary]) -> set[str]:
    """The functions that may draw from the state as their callers left it."""
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
    """The calls of functions in `able` after which the state that they leave is drawn from: by the caller, by what it calls next,
    or by whoever gets the key from it."""
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
    """Whether a unit draws from the state as a call of a function in `seeding` leaves it."""
    return any(c.callee in seeding and is_followed(unit, c, thirsty) for c in unit.call_graph.calls)


def follows(later: CallFact, call: CallFact) -> bool:
    """Whether `later` may run after `call` with no certain seed in between."""
    at, then = call.order, later.order
    if at is None or then is None:
        return True
    again = later is not call or at.start < at.order
    return again and then.order >= at.start and then.seeded < at.order


def key_attribute(units: Mapping[str, UnitSummary], facts: Facts) -> str:
    """The attribute in which objects store the key of the seed that their constructor set: a name that the project does not
    use."""
    used = {a for c in facts.classes.values() for a in (*c.attrs, *c.methods, *c.fields)}
    used |= {s.rpartition(".")[2] for u in units.values() for s in (*u.attributes.attr_stores, *u.effects.reads)}
    return next(n for n in ("key", "rng_key", "random_key", "jax_random_key", "_jax_random_key") if n not in used)


def unconsumed(units: Mapping[str, UnitSummary], known: Mapping[str, Collection[str]] | None = None) -> set[str]:
    """The units that seed NumPy's state and do not draw from it afterwards: they seed it for others."""
    drawing = draining(units, known)
    return {
        name
        for name, unit in units.items()
        if unit.streams.state.seeds
        and not unit.streams.state.drains
        and not any(c.drains and c.callee in drawing for c in unit.call_graph.calls)
    }


def draining(units: Mapping[str, UnitSummary], known: Mapping[str, Collection[str]] | None = None) -> set[str]:
    """The units that draw from NumPy's state, seeded or not, directly or through calls."""
    return callers(units, {u.name for u in units.values() if u.streams.state.own}, known)


def callers(units: Mapping[str, UnitSummary], names: set[str], known: Mapping[str, Collection[str]] | None = None) -> set[str]:
    """The given units and all their direct and indirect callers. `known`: see `callers_of`."""
    return reachable(names, callers_of(units) if known is None else known)


def callers_of(units: Mapping[str, UnitSummary]) -> Mapping[str, set[str]]:
    """The direct callers of each function."""
    of: dict[str, set[str]] = defaultdict(set)
    for unit in units.values():
        for call in unit.call_graph.calls:
            of[call.callee].add(unit.name)
    return of
