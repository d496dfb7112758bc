"""Which functions take a key, decided for the whole project; and which are left as NumPy because they share a generator with a
refused function."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING
from ..analysis.random.generator_attributes import ANY
from ..analysis.random.generator_spawning import SYSTEM
from ..analysis.state.project_facts import Facts
from ..summaries.units import MODULE, YIELDS, UnitSummary
from .outside_callers import described
from .seed_propagation import callers, goes_on, unconsumed

Refusal = tuple[str, str]


def starts_anew(unit: UnitSummary, units: Mapping[str, UnitSummary]) -> bool:
    """Whether a unit gets no key from a caller: module code, and a `main` without parameters, unless its module has generators in
    variables or may seed before the call."""
    if unit.name.endswith(MODULE):
        return True
    module = units.get(f"{unit.module}.{MODULE}")
    if module is not None and (
        module.streams.variables or any(c.drains and c.callee == unit.name for c in module.call_graph.calls)
    ):
        return False
    return unit.name.rpartition(".")[2] == "main" and not unit.cls and not unit.params


def key_functions(units: Mapping[str, UnitSummary], refused: Collection[str]) -> set[str]:
    """The functions that get a key: before any seed, they draw from NumPy's global state or call a function that does."""
    callers: dict[str, set[str]] = defaultdict(set)
    for unit in units.values():
        for call in unit.call_graph.calls:
            if not call.seeded:
                callers[call.callee].add(unit.name)
    work = [u.name for u in units.values() if u.streams.state.draws]
    found: set[str] = set()
    while work:
        name = work.pop()
        if name in found or name in refused or starts_anew(units[name], units):
            continue
        found.add(name)
        work += callers[name]
    return found


def rooted(units: Mapping[str, UnitSummary], keyed: Collection[str]) -> set[str]:
    """The units that create a key from the system's entropy. It must differ on each call, but jit would create it once."""
    return {
        u.name
        for u in units.values()
        if starts_anew(u, units)
        and (u.streams.state.draws or any(c.callee in keyed and not c.seeded for c in u.call_graph.calls))
    }


def refuse(
    units: Mapping[str, UnitSummary],
    refused: dict[str, Refusal],
    facts: Facts,
    escaped: set[str],
    unresolved: set[str],
    public: frozenset[str],
    unchanged: Mapping[str, str],
) -> bool:
    """Add refusals until all units that exchange generators are converted together or refused together; return whether any was
    added."""
    before = len(refused)
    random = {name: unit for name, unit in units.items() if unit.streams.any}
    for name, why in unplanned_variables(units).items():
        refused.setdefault(name, why)
    while True:
        count = len(refused)
        for name, why in unplanned_seeds(units, refused, facts).items():
            refused.setdefault(name, why)
        keyed = key_functions(units, refused)
        for name in sorted(keyed | random.keys()):
            if name not in refused and (
                reason := fixed(units[name], name in keyed, units, facts, escaped, unresolved, public, unchanged)
            ):
                refused[name] = ("NJ301", f"it draws random numbers, and {reason}")
        for unit in random.values():
            _together(unit, units, refused)
        _attributes(random, refused)
        if len(refused) == count:
            return count > before


def unplanned_variables(units: Mapping[str, UnitSummary]) -> dict[str, Refusal]:
    """Refusals for users of a generator in a module variable. Its key can be passed like that of the global state, but only
    within its module."""
    users = [u for u in units.values() if u.streams.variables]
    every = {v for u in users for v in u.streams.variables}
    if not every:
        return {}
    shown = min(every).rpartition(".")[2]
    module = min(every).rpartition(".")[0]
    why = ""
    again = next((u for u in units.values() if u.streams.rebound & every), None)
    if again is not None:
        short = again.name.rpartition(".")[2]
        why = f"it draws from `{shown}`, a variable of the module, which `{short}` rebinds: take it as an argument"
    elif len(every) > 1 or any(u.streams.state.plain for u in units.values()):
        why = f"it draws from `{shown}`, a variable of the module, and others draw from other state: take it as an argument"
    else:
        keyed = key_functions(units, {})
        outside = next(
            (u for u in units.values() if u.module != module and any(c.callee in keyed for c in u.call_graph.calls)), None
        )
        if outside is not None:
            caller = outside.name.removesuffix(f".{MODULE}").rpartition(".")[2]
            why = f"it draws from `{shown}`, a variable of the module, for `{caller}` of another one: take it as an argument"
    return {u.name: ("NJ301", why) for u in users} if why else {}


def unplanned_seeds(units: Mapping[str, UnitSummary], refused: Mapping[str, Refusal], facts: Facts) -> dict[str, Refusal]:
    """Refusals for units that seed NumPy's state for others, and units that draw what another one seeded: a key would miss the
    seed.

    They are left as NumPy, and pass keys drawn from NumPy's state to the functions that they call.
    """
    found: dict[str, Refusal] = {}
    state_seeders = facts.random.state_seeders
    seeder = next((u.name.removesuffix(f".{MODULE}").rpartition(".")[2] for u in units.values() if u.streams.state.seeds), "")
    if seeder:
        why = f"which `{seeder}` seeds: pass it a generator instead"
        found |= {u.name: ("NJ301", f"{u.streams.state.borrows}, {why}") for u in units.values() if u.streams.state.borrows}
    for unit in units.values():
        if kept := sorted(unit.streams.state.seeded_by & refused.keys()):
            found[unit.name] = ("NJ301", f"`{kept[0].rpartition('.')[2]}`, which stays NumPy, seeds NumPy's random state for it")
    seeding = {u.name for u in units.values() if u.streams.state.seeds and refused.get(u.name, ("", ""))[0] != "NJ215"}
    if not seeding:
        return found
    keyed = key_functions(units, refused)
    giving = state_seeders - refused.keys()
    seeding_callers = (unconsumed(units) & seeding) - giving
    for name in sorted(seeding_callers):
        if units[name].streams.variables:  # a generator of the module, used by its importers
            short = name.removesuffix(f".{MODULE}").rpartition(".")[2]
            why = f"it uses the generator of a module, which `{short}` seeds for others: pass them a generator instead"
            found |= {
                u.name: ("NJ301", why)
                for u in units.values()
                if u.streams.state.draws or u.streams.state.drains or u.streams.state.seeds
            }
        else:
            found[name] = (
                "NJ301",
                "it seeds NumPy's random state for others: create a generator from the seed, and pass it to them",
            )
    seeded_for, unsure = callers(units, seeding_callers), callers(units, reaching(units, facts, seeding - giving))
    modules = {u.name for u in units.values() if u.name in seeding_callers and u.name.endswith(MODULE)}
    for name, unit in units.items():
        if not (unit.streams.state.draws or any(c.callee in keyed and not c.seeded for c in unit.call_graph.calls)):
            continue
        anew = starts_anew(unit, units)
        lost = name in unsure and (not unit.streams.state.seeds or goes_on(unit, unsure, keyed))
        other = name in seeded_for and name not in seeding_callers
        if other or (anew and (lost or (not unit.streams.state.seeds and modules - {name}))):
            reached = seeded_for if other else unsure
            direct = next((c.callee for c in unit.call_graph.calls if c.callee in reached), min(reached))
            short = direct.removesuffix(f".{MODULE}").rpartition(".")[2]
            found[name] = ("NJ301", f"it draws from NumPy's random state, which `{short}` seeds: pass it a generator instead")
    return found


def reaching(units: Mapping[str, UnitSummary], facts: Facts, names: set[str]) -> set[str]:
    """The given units and those that use them as values, because a function that gets them may call them."""
    return names | {u.name for u in units.values() if not names.isdisjoint(map(facts.canonical, u.call_graph.escapes))}


def same(units: Mapping[str, UnitSummary]) -> bool:
    """Whether generators of both of NumPy's kinds may have the same seed: their streams differ, but two keys of that seed would
    not."""
    legacy = {seed for u in units.values() for seed in u.streams.legacy}
    modern = {seed for u in units.values() for seed in u.streams.modern}
    return bool(legacy and modern) and ("?" in legacy | modern or not legacy.isdisjoint(modern))


def lone(units: Mapping[str, UnitSummary]) -> frozenset[str]:
    """The seeds from which exactly one place creates generators. "" stands for unknown seeds; those from SYSTEM are never
    shared."""
    made = [seed for u in units.values() for seed in u.streams.modern]
    if not made:
        return frozenset({SYSTEM, ""})
    return frozenset({SYSTEM} | (set(made) if len(made) == 1 else {s for s in made if "?" not in made and made.count(s) == 1}))


def fixed(
    unit: UnitSummary,
    keyed: bool,
    units: Mapping[str, UnitSummary],
    facts: Facts,
    escaped: set[str],
    unresolved: set[str],
    public: frozenset[str],
    unchanged: Mapping[str, str],
) -> str:
    """Why a function cannot take keys; "" if it can."""
    short = unit.name.rpartition(".")[2]
    if not (keyed or unit.streams.params or unit.streams.lent or unit.streams.returns) or unit.name.endswith(MODULE):
        return ""
    lazily = unit.special == YIELDS and not _seeded_late(unit, units)
    if unit.special and not (short == "__init__" and not unit.streams.returns) and not lazily:
        return unit.special
    if unit.name in escaped or (short == "__init__" and unit.cls in escaped):
        return "it is used as a value, so that its callers are not known"
    if unit.cls and short in unresolved:
        return f"`.{short}()` is called on objects of unknown class"
    if unit.cls and short != "__init__":  # its class is known at each call
        if (unit.cls, short) in facts.hierarchy.overridden or any(facts.method(b, short) for b in facts.classes[unit.cls].bases):
            return "subclasses override it"
    if unit.name in public and (unit.streams.lent or unit.streams.returns):
        return "it is public, so its parameters and its result must not change"
    for caller in units.values():
        for call in caller.call_graph.calls:
            if call.callee != unit.name:
                continue
            takes = unit.streams.params | unit.streams.numbers | unit.streams.lent
            plain = {p for p, v in call.args if v.kind is Kind.NONE or (v.kind is Kind.SCALAR and p in unit.streams.numbers)}
            if caller.module in unchanged and (keyed or unit.streams.returns or any(p in takes - plain for p, _v in call.args)):
                return f"{described(caller.name, unchanged[caller.module])}, calls it"
            for parameter, value in call.args:
                known = parameter in plain or (unit.name, parameter) in caller.streams.gives | caller.streams.lends
                known = known or (
                    (value.holds, unit.name, parameter) in caller.streams.once and parameter in unit.streams.numbers
                )
                if parameter in takes and not known and caller.module not in unchanged:
                    return f"`{caller.name.rpartition('.')[2]}` gives `{parameter}` something that may not be a generator"
                if parameter == "*" and (keyed or unit.streams.params):
                    return "it is called with * or ** arguments"
    return ""


def _seeded_late(unit: UnitSummary, units: Mapping[str, UnitSummary]) -> bool:
    """Whether a generator function, which takes its key when called, may draw after a later seed."""
    callers = [
        u for u in units.values() for c in u.call_graph.calls if c.callee == unit.name and u.streams.state.seeds and not c.seeded
    ]
    return unit.streams.state.seeds or bool(callers)


def accepts(unit: UnitSummary, units: Mapping[str, UnitSummary], refused: Collection[str], depth: int = 20) -> frozenset[str]:
    """The parameters that may get keys once the unit is converted, including those that it only passes to such a parameter."""
    if unit.name in refused or not depth:
        return NOTHING
    passed = {
        own
        for own, callee, parameter in unit.streams.once
        if callee in units and parameter in accepts(units[callee], units, refused, depth - 1)
    }
    return unit.streams.params | unit.streams.numbers | passed


def _together(unit: UnitSummary, units: Mapping[str, UnitSummary], refused: dict[str, Refusal]) -> None:
    """Refuse a unit, or those it exchanges generators with, where this cannot be planned. On the way into or out of refused code
    a key is made a generator, or a generator a key."""
    for callee, parameter in sorted(unit.streams.gives):
        other = units.get(callee)
        stays = callee in refused
        if unit.name not in refused and (other is None or not (stays or parameter in accepts(other, units, refused))):
            refused[unit.name] = (
                "NJ301",
                f"it passes a generator to `{callee.rpartition('.')[2]}`, which may get others, too",
            )
            if other is not None and parameter in other.params:
                refused[callee] = (
                    "NJ301",
                    f"`{unit.name.rpartition('.')[2]}` gives `{parameter}` a generator, others something else",
                )
    for callee, parameter in sorted(unit.streams.lends):
        other = units.get(callee)
        short, own = callee.rpartition(".")[2], unit.name.rpartition(".")[2]
        if unit.name not in refused and (other is None or callee in refused or parameter not in other.streams.lent):
            refused[unit.name] = ("NJ301", f"it passes generators to `{short}`, which stays NumPy or may get others, too")
        if unit.name in refused and other is not None and parameter in other.streams.lent:
            refused.setdefault(callee, ("NJ301", f"it draws from generators of `{own}`, which stays NumPy"))
    for name in sorted(unit.streams.takes & units.keys()):
        if name in refused and unit.name not in refused:
            refused[unit.name] = ("NJ301", f"it takes a generator from `{name.rpartition('.')[2]}`, which stays NumPy")
        elif unit.name in refused and name not in refused:
            refused[name] = ("NJ301", f"it creates a generator for `{unit.name.rpartition('.')[2]}`, which stays NumPy")


def _attributes(random: Mapping[str, UnitSummary], refused: dict[str, Refusal]) -> None:
    """Refuse all units that share the generator of an attribute if one of them is refused."""
    users: dict[str, list[str]] = defaultdict(list)
    for unit in random.values():
        for token in sorted(unit.streams.attrs):
            users[token].append(unit.name)
    sets = {token for unit in random.values() for token in unit.streams.sets}
    for token in [t for t in users if t.startswith(f"attr:{ANY}.")]:
        attr = token.rpartition(".")[2]
        same = [t for t in users if t != token and t.startswith("attr:") and t.rpartition(".")[2] == attr]
        for name in users[token] if same or token in sets else ():
            why = f"np2jax cannot tell the class of the object whose `{attr}` is a generator"
            refused.setdefault(name, ("NJ301", why))
        for other in same:
            users[other] = [*users[other], *users[token]]
    for token, names in users.items():
        if token.startswith("attr:") and token not in sets and not token.startswith(f"attr:{ANY}."):
            why = f"np2jax cannot see where the generator is created: `{token.rpartition('.')[2]}`"
            for name in names:
                refused.setdefault(name, ("NJ301", why))
        kept = next((n for n in names if n in refused), None)
        if kept is None:
            continue
        attr = token.rpartition(".")[2]
        for name in names:
            refused.setdefault(
                name, ("NJ301", f"it shares the generator `{attr}` with `{kept.rpartition('.')[2]}`, which stays NumPy")
            )
