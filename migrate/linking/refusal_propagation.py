"""Which functions are left as NumPy and why: refusals, and their propagation to functions that share arrays with refused code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from ...rules.core.findings import Kind
from ...rules.core.refusals import NOT_CONVERTED
from ...rules.facts.values import NOTHING
from ..analysis.state.lattice import makers, parameters_in
from ..analysis.state.project_facts import Facts
from ..summaries.units import MODULE, ModuleSummary, UnitSummary, written_name
from ..summaries.value_flow import REBOUND, WRITTEN, PassedValue
from . import equal_seeds, host_demands, key_passing, outside_callers
from .exchanges import Exchanges, exchanges_of
from .host_demands import has_owners, made_from, may_hold_arrays, requires, short_name
from .settings import Refusal, Settings
from .shared_arrays import aliased_parameters, passed_to_objects, stored_in

ARRAY_PROTOCOL = frozenset({"__array__", "__array_ufunc__", "__array_function__", "__array_wrap__", "__array_finalize__"})


def refusals(
    units: Mapping[str, UnitSummary],
    settings: Settings,
    facts: Facts,
    modules: list[ModuleSummary],
    together: Mapping[str, str],
    compilable: Collection[str],
    groups: Iterable[equal_seeds.Group],
) -> tuple[dict[str, Refusal], frozenset[str], dict[str, set[str]]]:
    """The reason for each refused unit; the units that need NumPy arrays for another unit's sake; and for each unit the functions
    whose results it passes to refused code. `compilable`: the units that may become JAX at all; no other is refused for the sake of
    arrays that it exchanges. `groups`: streams with equal seeds."""
    refused: dict[str, Refusal] = {}
    escaped = {facts.canonical(e) for u in units.values() for e in u.call_graph.escapes}
    escaped |= {facts.canonical(e) for m in modules for e in m.unsure}
    bound = {t[7:] for u in units.values() for t in u.effects.changes if t.startswith("global:")}
    bound |= {a for u in units.values() for a in u.attributes.attr_stores}
    escaped |= bound & units.keys()  # `module.f = other`: a call may run the other
    escaped |= {name for name, unit in units.items() if unit.signature.registered}
    opened = {e.removesuffix(".*") for e in escaped if e.endswith(".*")}
    escaped |= {name for name, unit in units.items() if unit.module in opened}
    unresolved = {n for u in units.values() for n in u.call_graph.unresolved}
    tests = {m.name for m in modules if m.text.tests}
    unchanged = {m.name: m.text.unchanged for m in modules if m.text.unchanged}
    array_classes = {u.cls for u in units.values() if u.cls and u.name.rpartition(".")[2] in ARRAY_PROTOCOL}
    for name, unit in units.items():
        if unit.module in tests:
            refused[name] = ("NJ215", "tests stay as they are")
        elif unit.module in unchanged:
            refused[name] = (NOT_CONVERTED, "its file is not converted")
        elif (kept := settings.kept.get(name) or settings.kept.get(written_name(name))) is not None:
            refused[name] = kept
        elif unit.block is not None:
            refused[name] = unit.block
        elif unit.cls in array_classes:
            refused[name] = ("NJ102", "NumPy treats objects of its class as arrays, and JAX does not")
    own = frozenset(refused)
    for name, unit in units.items():
        short = name.rpartition(".")[2]
        if unit.effects.mutates and name not in own:
            changed = ", ".join(f"`{p}`" for p in sorted(unit.effects.mutates))
            if unit.special:
                refused[name] = ("NJ208", f"it changes {changed}, and {unit.special}")
            elif written_name(name) in facts.several:
                refused[name] = ("NJ208", f"it changes {changed}, and `{written_name(short)}` is defined more than once")
            elif name in escaped:
                refused[name] = ("NJ208", f"it changes {changed}, and is used as a value, so that its callers are not known")
            elif unit.cls and short in unresolved:
                refused[name] = ("NJ208", f"it changes {changed}, and `.{short}()` is called on objects of unknown class")
            elif name in settings.public or name in {facts.canonical(p) for p in settings.public}:
                refused[name] = ("NJ208", f"it changes {changed}, and is public, so its results must not change")
    for unit in units.values():
        for name, why in unit.call_graph.refuses:
            if name in units:
                refused.setdefault(name, why)
        for parameter in sorted(unit.effects.augments.intersection(unit.signature.list_arguments)):
            given = f"an example or its default is a list for `{parameter}`, which `op=` extends or makes an array"
            refused.setdefault(unit.name, ("NJ203", given))
    for name, parameter, other in aliased_parameters(units):
        changes, reads = units[name].effects.mutates, (parameter, other) in units[name].effects.read_later
        if parameter in changes and (reads or other in changes or units[name].effects.retains):
            twice = f"it changes `{parameter}`, which may be the array that its caller got for `{other}`, too"
            refused.setdefault(name, ("NJ204", twice))
    callers: dict[str, set[str]] = defaultdict(set)
    for unit in units.values():
        for used in unit.host.host_uses if unit.module in tests else ():
            if used in units:
                refused.setdefault(
                    used,
                    ("NJ215", f"`{unit.name.rpartition('.')[2]}`, a test, uses its result as only a NumPy array can be used"),
                )
        for call in unit.call_graph.calls:
            callers[call.callee].add(unit.name)
            if unit.module in tests and call.callee in units and units[call.callee].effects.mutates:
                refused.setdefault(
                    call.callee, ("NJ215", f"it changes its arguments, and `{unit.name.rpartition('.')[2]}`, a test, calls it")
                )
            callee = units.get(call.callee)
            if callee is not None and call.rewritable and callee.effects.mutates and call.callee not in refused:
                refused[call.callee] = ("NJ209", f"it changes its arguments, and {call.rewritable}")
    for name, reason in outside_callers.depending(units, modules, facts).items():
        refused.setdefault(name, (NOT_CONVERTED, reason))
    refused = {name: why for name, why in refused.items() if name in own or name in compilable}
    public = settings.public | {facts.canonical(p) for p in settings.public}
    needs_host = host_demands.needs_host(units, escaped)
    exchanges = exchanges_of(units, modules, facts, escaped, together)
    while True:
        hosts, passed_on = propagate(units, refused, callers, escaped, tests, facts, together, needs_host, exchanges, compilable)
        more = equal_seeds.unkept(groups, refused, compilable)
        refused |= more
        if not key_passing.refuse(units, refused, facts, escaped, unresolved, public, unchanged) and not more:
            return refused, hosts, passed_on


def propagate(
    units: Mapping[str, UnitSummary],
    refused: dict[str, Refusal],
    callers: Mapping[str, set[str]],
    escaped: set[str],
    tests: set[str],
    facts: Facts,
    together: Mapping[str, str],
    needs_host: Mapping[str, frozenset[str]],
    exchanges: Exchanges,
    compilable: Collection[str],
) -> tuple[frozenset[str], dict[str, set[str]]]:
    """Refuse, up to the fixed point, every unit that creates an array which refused code changes in place: it must stay a NumPy
    array.

    Returns the units that must get NumPy arrays although they change none themselves, and for each unit the functions whose
    results it passes to code that changes them.
    """
    setters = defaultdict(dict, exchanges.setters)  # a question adds the attribute
    changers, binders, storers, by_last = exchanges.changers, exchanges.binders, exchanges.storers, exchanges.by_last
    named, blind, rebound, groups = exchanges.named, exchanges.blind, exchanges.rebound, exchanges.groups
    viewers, may_call = exchanges.viewers, exchanges.may_call
    touched = {name: set(unit.effects.touches) for name, unit in units.items()}
    hosts: set[str] = set()
    passed_on: dict[str, set[str]] = defaultdict(set)
    done: set[str] = set()
    demanded: set[str] = set()
    followed: set[frozenset[str]] = set()
    met: set[tuple[str, tuple[str, ...], frozenset[str]]] = set()  # methods by name, signature and what they need
    needed: set[str] = set()  # units whose results are changed by refused code
    work = [name for name in refused if name not in units or not is_jax(units[name])]

    def refuse(name: str, why: str) -> None:
        if name in compilable and name not in refused and not is_jax(units[name]):
            refused[name] = ("NJ209", why)
            hosts.add(name)  # what it makes of its arguments is changed in place
            work.append(name)

    def need(name: str, short: str) -> None:
        """Record that refused code changes the result of a unit, which others may alias."""
        if name not in units:
            return
        if has_owners(units[name].result) and not rebound[name]:
            refuse(name, f"`{short}`, which stays NumPy, changes its result, which has other owners")
        supply(name)

    def supply(name: str) -> None:
        """Record that the result of a unit is changed. If the unit is refused, it gets NumPy arrays from the functions that
        create them."""
        if name in units and name not in needed:
            needed.add(name)
            work.extend([name] if name in refused else [])

    def touch(name: str, memory: frozenset[str]) -> None:
        params = parameters_in(memory)
        if not params <= touched[name]:
            touched[name] |= params
            work.append(name)

    def change(tokens: frozenset[str], short: str) -> None:
        """Refuse what would conflict with refused code changing the arrays of these variables and attributes in place."""
        for token in sorted(tokens):
            if token in done or not token.startswith(("global:", "attr:")):
                continue
            done.add(token)
            owner, _dot, last = token.partition(":")[2].rpartition(".")
            if last == "*":  # any attribute
                change(frozenset(f"attr:{key}" for key in [*setters] if owner in ("?", key.rpartition(".")[0])), short)
                continue
            for name in sorted(viewers[token]):
                refuse(name, f"`{short}`, which stays NumPy, changes `{last}`, and it creates a view of it")
            if token.startswith("global:"):
                same = facts.variables.get(f"{owner}.{last}")  # imported from elsewhere, and rebound
                change(NOTHING if same is None else same.memory, short)
                for maker in sorted(NOTHING if same is None else same.origin):
                    need(maker, short)
                for name in (f"{owner}.{MODULE}", *sorted(binders[token])):
                    refuse(name, f"`{short}`, which stays NumPy, changes `{last}`")
                continue
            stores = setters[f"{owner}.{last}"]
            for name in (*stores, *sorted(changers[token])):
                refuse(name, f"`{short}`, which stays NumPy, changes the attribute `{last}`")
            for name, value in stores.items():
                hosts.add(name)
                touch(name, value.memory)
                change(value.memory, short)
                for maker in sorted(value.origin):
                    need(maker, short)
            for name, cls in storers[last]:
                if cls in ("?", owner):
                    refuse(name, f"`{short}`, which stays NumPy, changes the attribute `{last}`")
                    hosts.add(name)
                    touch(name, frozenset(f"param:{p}" for p in units[name].params))
            if (method := units.get(f"{owner}.{last}")) is not None:  # a property
                change(method.result.memory, short)
            elif not stores:
                refuse(f"{owner.rpartition('.')[0]}.{MODULE}", f"`{short}`, which stays NumPy, changes `{owner}.{last}`")

    def alone(source: str) -> bool:
        """Whether the array of an attribute has no alias outside of its object, whichever class of the project has it."""
        last = source.rpartition(".")[2]
        tokens = [*by_last[last]]
        for maker in named[f".{last}"]:
            made = made_from(maker.result) if maker.signature.property else None
            if made is None:
                return False
            tokens += [t[5:] for t in made]
        return all(m.startswith("new:") for t in tokens for v in setters[t].values() for m in v.memory) and not any(
            t.rpartition(".")[2] in storers for t in tokens
        )

    def demand(given: Iterable[PassedValue], who: str) -> None:
        """Refuse the units behind what methods and attributes of objects of unknown class give to refused code that needs NumPy
        arrays."""
        todo = {source for h in given for source in h.sources if source not in demanded}
        while todo:
            source = min(todo)  # deterministic, so that the reasons are the same in every run
            todo.remove(source)
            if source in demanded:
                continue
            demanded.add(source)
            makers = [unit for unit in named[source] if may_hold_arrays(unit.result)]
            for unit in makers:
                refuse(
                    unit.name,
                    f"`{who}`, which stays NumPy, needs NumPy arrays, and may get the result of `{source}()` of its objects",
                )
                if (arrays := made_from(unit.result)) is not None:
                    change(arrays, who)
                elif (reads := facts.host.reads[unit.name]) not in followed:  # one set is shared by all units of a cycle of calls
                    followed.add(reads)
                    change(frozenset(t for t in reads if t.startswith("attr:")), who)
            if source.startswith("attr:"):
                owner, _dot, last = source[5:].rpartition(".")
                held = [t for t in by_last[last] if owner == "?" or t == source[5:]]
                change(frozenset(f"attr:{t}" for t in held), who)
                todo |= {f".{last}"} if owner == "?" else set()  # a property
                makers += [units[name] for t in held for name, v in setters[t].items() if v.kind is not Kind.ARRAY]
                makers += [units[name] for name, cls in storers[last] if owner == "?" or cls in ("?", owner)]
            elif source.startswith("global:"):
                makers += [units[name] for name in binders[source]]
                makers += [u for u in (units.get(f"{source[7:].rpartition('.')[0]}.{MODULE}"),) if u is not None]
            todo |= {f".{name}" for unit in makers if unit.result.kind is not Kind.ARRAY for name in unit.call_graph.unresolved}

    def meet(kept: UnitSummary, short: str) -> None:
        """Follow the arrays that flow into or out of a refused unit where the callee, or the origin of the arrays, is unknown."""
        required = needs_host[kept.name] | touched[kept.name]
        same = (short, kept.params, required)  # what follows is the same for all methods of this name and signature
        anew = bool(kept.cls and required) and same not in met
        met.add(same)
        for unit, passed in blind[f".{short}"] if anew else ():
            if hits := [h for h in passed if requires(kept, h.position, required)]:
                why = f"it calls `.{short}()` of an object of unknown class, which stays NumPy and may change its argument"
                refuse(unit.name, why)
                demand(hits, f".{short}()")
        for unit, passed in blind[kept.name]:
            if unit.name in refused:
                demand([h for h in passed if requires(kept, h.position, required)], f"{short}()")
        for given in kept.effects.passed_values:
            bound_alone = kept.module in tests and all(map(alone, given.sources))  # as it is rebound, it is changed
            if given.callee == WRITTEN or (given.callee == REBOUND and not bound_alone):
                demand([given], short)
            if demanded.issuperset(given.sources):
                continue
            for callee in named[given.callee] or [u for u in (units.get(given.callee),) if u is not None]:
                if callee.name not in refused or is_jax(callee):
                    continue
                if requires(callee, given.position, needs_host[callee.name] | touched[callee.name]):
                    demand([given], f".{short_name(callee.name)}()" if callee.cls else f"{short_name(callee.name)}()")

    for group in groups.values() if facts.program.fast else ():
        for name in group.used:  # code on the host gets a copy
            if has_owners(units[name].result) and any(may_call(shapes, units[name]) for shapes in group.calling):
                refuse(
                    name, "it is used as a value, and returns an array that has other owners, which code on the host may change"
                )

    while work:
        kept = units.get(work.pop())
        if kept is None:
            continue
        short = written_name(kept.name.rpartition(".")[2])
        if kept.name in needed:
            hosts.add(kept.name)
            change(kept.result.memory, short)
        for caller in sorted(callers[kept.name]) if touched[kept.name] else ():
            for given in passed_to_objects(units[caller], kept, touched[kept.name]):
                refuse(caller, f"it passes an array to `{short}`, which stays NumPy and changes it")
                touch(caller, given.memory)
                change(given.memory, short)
                passed_on[caller] |= given.origin
                for maker in sorted(given.origin):
                    need(maker, short)
        meet(kept, short)
        if kept.name in escaped and (kept.effects.touches or (kept.host.host_writes and not facts.program.fast)):
            near = groups[together[kept.module]]  # modules that may get it as a value
            calling = [unit for shapes, found in near.calling.items() if may_call(shapes, kept) for unit in found]
            for name in near.used if calling and not facts.program.fast else ():  # the result of one may flow into the next
                refuse(name, f"it is used as a value, as `{short}` is, which stays NumPy and needs NumPy arrays")
            ways = {
                u.name: f"calls a function passed by a caller, which may be `{short}`, which stays NumPy and changes its argument"
                for u in calling
            }
            ways |= {
                u.name: f"uses `{short}`, which stays NumPy and changes its argument, as a value" for u in near.users[kept.name]
            }
            for name in sorted(ways, key=near.order.__getitem__) if kept.effects.touches else ():
                refuse(name, f"it {ways[name]}")
        change(kept.effects.changes, short)
        for call in kept.call_graph.calls:
            if call.shared:
                refuse(call.callee, f"`{short}`, which stays NumPy, changes an array that it returns")
            for parameter in sorted(call.changed):
                change(stored_in(units, call.callee, parameter, facts), short)
        if not facts.program.fast:  # else what attributes and variables hold are NumPy arrays
            change(frozenset(u for u in kept.host.host_uses if ":" in u), short)
        used = kept.host.host_uses if kept.module not in tests else NOTHING
        for name in sorted(used | makers(kept.result) if kept.name in needed else used):
            need(name, short)
    return frozenset(hosts), passed_on


def is_jax(unit: UnitSummary) -> bool:
    """Whether a unit is JAX code already: its results cannot be changed in place, and it changes no array of others."""
    return unit.host.jax_used and not unit.effects.touches and not any(t.startswith("global:") for t in unit.effects.changes)
