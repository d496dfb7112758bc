"""Join the summaries of all units into facts for the next look, and at the end into one plan for each function. No syntax."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from ...rules.core.dtypes import category
from ...rules.core.findings import Kind
from ...rules.facts.function_plan import DonationPlan, FunctionPlan, InputPlan, KeyPlan
from ...rules.facts.values import NOTHING, STRINGS, UNKNOWN, Value, replace
from ..analysis.branches.branch_analysis import depending
from ..analysis.loops import loop_analysis
from ..analysis.state.call_results import as_called
from ..analysis.state.lattice import join, join_all
from ..analysis.state.project_facts import Facts, FunctionFact
from ..summaries.donation import holds
from ..summaries.units import MODULE, UFUNC_TYPE, ModuleSummary, UnitSummary, written_name
from . import class_hierarchy, key_passing, seed_propagation
from .import_components import joined
from .reachable_reads import ReachableReads
from .refusal_propagation import Settings, is_jax, refusals

NUMPY_ONLY = ("NJ1", "NJ6", "NJ701")  # kept for what arrays of NumPy do, and those of JAX do not


# imports that draw nothing from NumPy's random state; SciPy, scikit-learn and others may
OWN_RANDOMNESS = sys.stdlib_module_names | {"numpy", "jax", "jaxlib", "matplotlib", ""}


def link(
    modules: Iterable[ModuleSummary],
    settings: Settings,
    before: Facts | None = None,
    assumed: Mapping[class_hierarchy.Attribute, Value] = MappingProxyType({}),
) -> Facts:
    """Facts about every function, class and variable of the project, as far as the summaries know them; `decide` adds plans.
    `before`: those of the round before this one; `assumed`: what attributes are taken to be."""
    modules = list(modules)
    facts = Facts(aliases=aliases(modules))
    if before is not None and before.aliases == facts.aliases:
        facts.canonical_names = before.canonical_names
    facts.random.seeds = any(m.text.seeds and not m.text.tests for m in modules)
    facts.random.random_on_host = settings.random_on_host
    facts.program.static_turns = settings.static_turns
    facts.modules = frozenset(m.name for m in modules)
    facts.packages = frozenset(m.partition(".")[0] for m in facts.modules)
    facts.exported = imported_by_others(facts)
    facts.program.pandas = any(m.text.pandas for m in modules)
    facts.hierarchy.methods = frozenset(
        method for m in modules for _name, _bases, methods in m.classes for method, _full in methods
    )
    facts.program.ufunc_asked = any(name == UFUNC_TYPE for m in modules for name, _count in m.text.mentioned)
    facts.program.arrays = any(i.partition(".")[0] in ("numpy", "jax", "autograd") for m in modules for i in m.imports)
    units = {u.name: u for m in modules for u in m.units}
    facts.several = several(units)
    wanted = NOTHING.union(*(u.call_graph.python_results for u in units.values()))
    facts.host.python_results = frozenset(name for name in wanted if name in units and units[name].tracing.branching)
    facts.hierarchy.frozen = NOTHING.union(*(m.frozen for m in modules))
    class_hierarchy.find(facts, modules, units, assumed, before)
    facts.random.seeded_alike = key_passing.alike(units)
    facts.random.lone_seeds = key_passing.lone(units)
    facts.random.sowers, facts.random.sown = seed_propagation.find(units, facts, settings.public, modules)
    for module in modules:
        for name, value in module.variables:
            known = value if name not in module.rebound else replace(value, elements=None)
            facts.variables[f"{module.name}.{name}"] = replace(known, device=False)
    facts.host.reads = ReachableReads(units)
    for unit in units.values():
        if not unit.name.endswith(MODULE):
            facts.functions[unit.name] = function_fact(unit, facts)
    public = settings.public | {facts.canonical(name) for name in settings.public}
    facts.params = {
        name: {p: replace(v, dtype="") if v.kind is Kind.ARRAY else v for p, v in given.items()} if name in public else given
        for name, given in parameters_from_callers(units).items()
    }  # whoever else calls what is public may give arrays of other dtypes
    facts.program.called_once = mentioned_once(modules, units, facts) - public
    return facts


def decide(facts: Facts, modules: Iterable[ModuleSummary], settings: Settings) -> None:
    """Put into facts that are settled what becomes of each unit."""
    modules = list(modules)
    units = {u.name: u for m in modules for u in m.units}
    facts.plans = plans = plan_all(units, facts, settings, modules)
    together = joined(modules)
    narrow: dict[str, frozenset[str]] = {}
    for module in modules:
        narrow[together[module.name]] = narrow.get(together[module.name], frozenset()) | module.text.narrow
    facts.program.narrow = {m.name: narrow[together[m.name]] for m in modules}
    facts.random.draws_on_host = draws_on_host(units, {p.name for p in plans.values() if p.refused}, modules, facts)
    facts.host.on_device = made_by_jax(units, modules, {p.name for p in plans.values() if p.refused})
    kept = (units[p.name] for p in plans.values() if p.refused and p.host_writes)
    facts.host.host_methods = frozenset(written_name(u.name.rpartition(".")[2]) for u in kept if u.cls)
    changing = (units[p.name] for p in plans.values() if p.refused and not p.jax)
    facts.host.of_converted = of_converted(u for u in units.values() if not plans[u.name].refused)
    facts.host.converts = any(u.host.numpy_used for u in units.values() if not plans[u.name].refused)
    facts.host.host_places = frozenset(t for u in changing for t in u.effects.changes)


def of_converted(units: Iterable[UnitSummary]) -> frozenset[str]:
    """What converted units may put into attributes, and their methods may give."""
    found = set[str]()
    for unit in units:
        found |= {
            f"attr:?.{name.rpartition('.')[2]}"
            for name in (*(a for a, _v in unit.attributes.attrs), *unit.attributes.attr_stores)
        }
        if unit.cls:
            short = written_name(unit.name.rpartition(".")[2])
            found |= {f".{short}", f"attr:?.{short}"}
    return frozenset(found)


def made_by_jax(units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary], refused: Collection[str]) -> frozenset[str]:
    """The variables that converted modules, and nobody else, bind to what JAX makes."""
    bound = {t[7:] for u in units.values() for t in (*u.effects.changes, *u.attributes.binds) if t.startswith("global:")}
    bound |= {a for u in units.values() for a in u.attributes.attr_stores}
    return frozenset(
        f"{module.name}.{name}"
        for module in modules
        if f"{module.name}.{MODULE}" not in refused
        for name, value in module.variables
        if name not in module.rebound and f"{module.name}.{name}" not in bound
        if all(v.device and v.origin.isdisjoint(refused) for v in value.elements or (value,))
    )


def imported_by_others(facts: Facts) -> dict[str, frozenset[str]]:
    """For each module the names of it that other modules import."""
    found: dict[str, set[str]] = defaultdict(set)
    for target in facts.aliases.values():
        owner, dot, name = target.rpartition(".")
        while dot:
            if owner in facts.modules:
                found[owner].add(name)
            owner, dot, more = owner.rpartition(".")
            name = f"{more}.{name}"
    return {module: frozenset(names) for module, names in found.items()}


def draws_on_host(
    units: Mapping[str, UnitSummary], refused: Collection[str], modules: Iterable[ModuleSummary], facts: Facts
) -> bool:
    """Whether somebody who stays NumPy draws from its random state: kept functions, also keys for others, and libraries."""
    if {i.partition(".")[0] for m in modules for i in m.imports} - OWN_RANDOMNESS - facts.packages:
        return True
    keyed = key_passing.takers(units, refused)
    kept = [u for u in units.values() if u.name in refused]
    return any(
        u.streams.state.draws or u.streams.state.drains or any(c.callee in keyed for c in u.call_graph.calls) for u in kept
    )


def several(units: Iterable[str]) -> dict[str, frozenset[str]]:
    """Names that are defined more than once, as under `if` and `else`: it is not known which definition a call runs."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in units:
        owner, _dot, short = name.rpartition(".")
        plain, _at, number = short.partition("@")
        if number.isdigit():
            found[f"{owner}.{plain}"] |= {name, f"{owner}.{plain}"}
    return {name: frozenset(names) for name, names in found.items()}


def function_fact(unit: UnitSummary, facts: Facts) -> FunctionFact:
    chosen = unit.tracing.branching and unit.name not in facts.host.python_results  # by JAX, whatever is given to it
    return FunctionFact(
        unit.name,
        unit.params,
        unit.signature.vararg,
        as_called(depending(unit.result, NOTHING, True) if chosen else unit.result),
        unit.effects.mutates,
        unit.effects.retains,
        unit.effects.touches,
        unit.effects.changes,
        unit.effects.items,
        unit.effects.read_later,
        facts.host.reads.get(unit.name, NOTHING) | unit.effects.reads if unit.effects.mutates else NOTHING,
        unit.signature.receiver,
        unit.signature.property,
        unit.streams.numbers,
        unit.name in facts.random.sowers,
        facts.random.sown.get(unit.name, frozenset()),
        unit.effects.augments,
        unit.signature.arrays_only,
    )


def aliases(modules: Iterable[ModuleSummary]) -> dict[str, str]:
    """Names under which things are re-exported: "pkg.f" for what `pkg/__init__.py` imports from "pkg.mod"."""
    modules = list(modules)
    found = {f"{m.name}.{name}": target for m in modules for name, target in m.exports if target != f"{m.name}.{name}"}
    return {name: target for name, target in from_stars(modules).items() if target} | found


def from_stars(modules: Iterable[ModuleSummary]) -> dict[str, str]:
    """What `from m import *` gives, by name: "pkg.f" for "pkg.mod.f"; "" where that is not certain."""
    by_name = {m.name: m for m in modules}
    given = {m.name: {n: f"{m.name}.{n}" for n in m.names if not n.startswith("_")} for m in by_name.values()}
    found: dict[str, str] = {}
    for _depth in range(len(by_name)):
        before = len(found)
        for module in by_name.values():
            for star in module.stars:
                for name, target in given.get(star, {}).items():
                    full = f"{module.name}.{name}"
                    known = found.setdefault(full, "" if name in module.names else target)
                    if known != target:
                        found[full] = ""
                    given[module.name].setdefault(name, full)
        if len(found) == before:
            break
    return found


def parameters_from_callers(units: Mapping[str, UnitSummary]) -> dict[str, dict[str, Value]]:
    """What all calls that are known give for a parameter; nothing for functions that escape."""
    found: dict[str, dict[str, Value]] = defaultdict(dict)
    unsure: set[str] = set()
    for unit in units.values():
        unsure |= unit.call_graph.escapes
        for call in unit.call_graph.calls:
            if any(p == "*" for p, _v in call.args):
                unsure.add(call.callee)
            for parameter, value in call.args:
                given, before = as_parameter(value), found[call.callee].get(parameter)
                both = given if before is None else join(before, given)
                text = before is not None and STRINGS in (before.name, given.name)  # from some calls
                found[call.callee][parameter] = replace(both, name=STRINGS) if text else both
    return {name: values for name, values in found.items() if name not in unsure}


def as_parameter(value: Value) -> Value:
    """What a function knows of an argument, without who holds it."""
    if value.kind in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.OBJECT):
        return Value(value.kind, name=value.name)
    given = Value(value.kind, value.dtype, value.rank, origin=value.origin)
    if value.kind is Kind.DICT and value.elements:
        given = replace(given, elements=(join_all(map(bare, value.elements)),))
    if value.kind in (Kind.LIST, Kind.TUPLE, Kind.DICT) and holds_text(value):
        return replace(given, name=STRINGS)
    return replace(given, name=value.name) if value.kind in (Kind.LIST, Kind.DICT) else given  # of generators


def holds_text(value: Value) -> bool:
    """Whether a list, a tuple or a dict holds text, at any depth."""
    return value.name == STRINGS or any(e.kind is Kind.STRING or holds_text(e) for e in value.elements or ())


def bare(value: Value) -> Value:
    """What a value is, without who holds it."""
    return Value(value.kind, value.dtype, value.rank)


def mentioned_once(modules: Iterable[ModuleSummary], units: Mapping[str, UnitSummary], facts: Facts) -> frozenset[str]:
    """Functions that the text of the whole project names once, and that nothing may reach otherwise."""
    counts: Counter[str] = Counter()
    starred: set[str] = set()
    for module in modules:
        starred.update(module.stars)
        for name, count in module.text.mentioned:
            dotted = facts.canonical(name)
            while dotted and dotted not in units:
                dotted = dotted.rpartition(".")[0]
            counts[dotted] += count
    return frozenset(
        name
        for name, count in counts.items()
        if count == 1 and name in units and not units[name].cls and units[name].module not in starred
    )


def lists_from_callers(units: Mapping[str, UnitSummary], documented: bool) -> set[tuple[str, str]]:
    """Functions and parameters that may get a list or a tuple: documented so, given so by a call, which may stand
    in the examples of a docstring, or handed on by a caller."""
    found = {
        (unit.name, p) for unit in units.values() for p in (unit.signature.lists if documented else unit.signature.given_lists)
    }
    handed: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for unit in units.values():
        for call in unit.call_graph.calls:
            for parameter, value in call.args:
                if value.kind in (Kind.LIST, Kind.TUPLE) or value.name == "range":
                    found.add((call.callee, parameter))
                elif value.holds and (value.kind is Kind.UNKNOWN or not documented):
                    handed[unit.name, value.holds].append((call.callee, parameter))
    work = list(found)
    while work:
        for further in handed[work.pop()]:
            if further not in found:
                found.add(further)
                work.append(further)
    return found


# --- plans ---------------------------------------------------------------------------------------------------------------


def dtypes_from_callers(units: Mapping[str, UnitSummary]) -> dict[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """For each function the parameters that are arrays, and the dtypes that the calls give them; "" for one that is not known."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for unit in units.values():
        for call in unit.call_graph.calls:
            for parameter, value in call.args:
                if value.kind in (Kind.ARRAY, Kind.UNKNOWN):
                    found[call.callee][parameter].add("bool_" if category(value.dtype) == 0 else value.dtype)
    return {
        name: tuple((p, tuple(sorted(dtypes))) for p, dtypes in sorted(params.items()) if dtypes != {""})
        for name, params in found.items()
    }


def plan_all(
    units: Mapping[str, UnitSummary], facts: Facts, settings: Settings, modules: list[ModuleSummary]
) -> dict[str, FunctionPlan]:
    """One plan for each unit: refusals spread along calls whose contract would change, and to nobody else."""
    refused, hosts, hand_on = refusals(units, settings, facts, modules)
    rebound = frozenset(f"{m.name}.{name}" for m in modules for name in m.rebound)
    rebound |= {t[7:] for u in units.values() for t in u.effects.changes if t.startswith("global:")}
    stored = {a for u in units.values() for a in u.attributes.attr_stores} | {
        a[5:] for u in units.values() for a in u.effects.changes
    }
    rebound |= {
        g for u in units.values() for g in u.attributes.reads_globals if g in stored or f"?.{g.rpartition('.')[2]}" in stored
    }
    variables = {f"{m.name}.{name}": value for m in modules for name, value in m.variables}
    keyed = key_passing.takers(units, refused)
    eager = {u.name for u in units.values() if u.streams.state.seeds} if draws_on_host(units, refused, modules, facts) else set()
    eager |= key_passing.rooted(units, keyed)
    traceable, hindered = traceable_units(
        units, refused.keys() | eager, variables, rebound | stored, settings, facts.host.python_results
    )
    dtypes = dtypes_from_callers(units)
    listed, given = lists_from_callers(units, documented=True), lists_from_callers(units, documented=False)
    keeps = seed_propagation.key_attribute(units, facts) if facts.random.sowers else ""
    marked = {m.name for m in modules if settings.donates and not m.text.unmarked}
    plans = {}
    for name, unit in units.items():
        refusal = refused.get(name)
        if refusal is not None:
            plans[name] = FunctionPlan(
                name,
                unit.params,
                refused=refusal[1],
                refused_code=refusal[0],
                host_writes=not is_jax(unit) and (unit.host.host_writes or name in hosts or refusal[0].startswith(NUMPY_ONLY)),
                jax=is_jax(unit),
                host_results=name in hosts,
                hands_on=frozenset(hand_on.get(name, ())),
                results=unit.results,
                inputs=InputPlan(arrays=tuple(p for p, kind in unit.signature.kinds if kind.startswith("array"))),
            )
            continue
        returns = tuple(p for p in unit.params if p in unit.effects.mutates)
        can = name in traceable
        static = tuple(p for p in unit.params if p in traceable[name]) if can else ()
        unrolled = tuple(sorted(p for p in traceable[name] if loop_analysis.is_token(p))) if can else ()
        jit = (
            can
            and (name not in facts.random.sowers or unit.results > 0)
            and may_be_jitted(unit, settings)
            and is_worth_it(unit, static)
            and may_return_arrays(unit, static, unrolled)
        )
        lists = tuple(p for p in unit.params if (name, p) in listed or (name, p) in given)
        why = hindered.get(name, ("", NOTHING)) if may_be_jitted(unit, settings) else ("", NOTHING)
        if can and is_worth_it(unit, static) and not may_return_arrays(unit, static, unrolled):
            why = ("jit would make the number that it returns an array", NOTHING)
        plans[name] = FunctionPlan(
            name,
            unit.params,
            returns,
            unit.results,
            unit.already,
            static,
            unrolled,
            jit,
            can,
            *why,
            inputs=InputPlan(lists=lists, given_lists=tuple(p for p in lists if (name, p) in given), dtypes=dtypes.get(name, ())),
            random=KeyPlan(
                key=unit.streams.key if name in keyed else "",
                gives=unit.streams.key if name in facts.random.sowers else "",
                keeps=keeps if name in facts.random.sowers and seed_propagation.constructs(unit) else "",
                generators=tuple(sorted(key_passing.accepts(unit, units, refused))),
            ),
            jax=unit.host.jax_used,
            donation=DonationPlan(marked=jit and unit.module in marked),
        )
    return plans | donating(units, plans, facts)


def donating(units: Mapping[str, UnitSummary], plans: Mapping[str, FunctionPlan], facts: Facts) -> dict[str, FunctionPlan]:
    """The plans of functions whose calls may overwrite arrays: all calls of a private function that one place names, and of others
    those of the same module, which call them by a second name."""
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for unit in units.values():
        for donation in unit.effects.donations:
            same = donation.callee in units and units[donation.callee].module == unit.module
            if same and holds(donation, plans[unit.name], plans):
                found[donation.callee].append(donation.parameters)
    made = {}
    for name, given in found.items():
        plan = plans[name]
        common = frozenset.intersection(*given) or given[0]
        parameters = tuple(p for p in plan.returns if p in common)
        private = name.rpartition(".")[2].startswith("_") and name in facts.program.called_once
        made[name] = (
            replace(plan, donation=replace(plan.donation, donates=parameters))
            if private
            else replace(plan, donation=replace(plan.donation, donating=parameters))
        )
    return made


def may_be_jitted(unit: UnitSummary, settings: Settings) -> bool:
    """Whether jit may stand at a unit: a function of its own that computes with arrays, or branches on numbers.

    Whoever wrote a function for JAX knew where to put jit.
    """
    outside = unit.cls or unit.special or unit.host.jax_used or unit.name.endswith(MODULE) or unit.name in settings.unjitted
    return (unit.host.arrays or bool(unit.tracing.branching)) and not outside


def is_worth_it(unit: UnitSummary, static: Sequence[str]) -> bool:
    """Whether there is anything to compile: arrays, or a branch on what is traced."""
    return unit.host.arrays or bool(unit.tracing.branching - {*static})


def may_return_arrays(unit: UnitSummary, static: Sequence[str], unrolled: Sequence[str]) -> bool:
    """Whether what a unit returns is an array under jit that is none of Python's numbers without: or that cannot be helped."""
    compiled = unit.tracing.branching - {*static, *unrolled}
    return len(unrolled) < len(unit.tracing.turns) or bool(compiled) or not _may_be_python(unit.result)


def _may_be_python(value: Value) -> bool:
    """Whether a result is a number of Python's, where the arguments are: jit would make an array of it."""
    return value.kind is Kind.ARRAY and value.number


def _leaf(value: Value, static: frozenset[str]) -> bool:
    """Whether jit may return it, without a Python value becoming an array."""
    if value.elements is not None:
        return all(_leaf(e, static) for e in value.elements)
    if value.kind is Kind.SCALAR:
        return value.traced or bool(value.deps - static)
    return value.kind in (Kind.ARRAY, Kind.NONE, Kind.UNKNOWN, Kind.TUPLE, Kind.LIST)


def traceable_units(
    units: Mapping[str, UnitSummary],
    refused: Collection[str],
    variables: Mapping[str, Value],
    rebound: frozenset[str],
    settings: Settings,
    python_results: frozenset[str],
) -> tuple[dict[str, frozenset[str]], dict[str, tuple[str, frozenset[str]]]]:
    """Units that jit can trace, with the parameters that must be static: pure, whose control flow does not depend on values,
    and whose callees can be traced with what is given to them. The tokens of loops that are unrolled stand among the
    parameters: a loop is compiled where jit stands, and so is a branch.

    Beside them, why each of the others cannot be traced: in words, or by what Python needs the values of.
    """
    asked = {
        name: unit.tracing.static | (unit.tracing.branching if name in python_results else NOTHING)
        for name, unit in units.items()
    }
    objects, hashable = given_objects(units)
    for name, parameter in hashable:
        asked[name] |= {parameter}
    hindered: dict[str, tuple[str, frozenset[str]]] = {}
    for name, unit in units.items():
        if (
            name in refused
            or name.endswith(MODULE)
            or not (may_be_jitted(unit, settings) or not (unit.tracing.turns or unit.tracing.branching))
        ):
            hindered[name] = ("", NOTHING)
        elif name in objects:
            hindered[name] = (f"`{objects[name]}` is an object, which jit cannot trace", NOTHING)
        elif why := hindrance(unit, variables, rebound, asked[name], name in python_results):
            hindered[name] = (why, NOTHING)
    static = {
        name: asked[name] | {turns.token for turns in unit.tracing.turns if turns.why}
        for name, unit in units.items()
        if name not in hindered
    }
    arrays = given_arrays(units, refused)
    while True:
        static = {name: with_bounds(units[name], found) for name, found in static.items()}
        before = dict(static)
        bad: dict[str, tuple[str, frozenset[str]]] = {}
        for name in static:
            if data := frozenset(p for p in static[name] if _is_data(units[name], p) or (name, p) in arrays):
                bad[name] = ("", data)
        for name in [name for name in static if name not in bad]:
            for call in units[name].call_graph.calls:
                if call.callee not in units:
                    continue
                short = call.callee.rpartition(".")[2]
                if call.callee not in static or call.callee == name:
                    whom = "itself" if call.callee == name else f"`{short}`, which jit cannot trace"
                    bad[name] = (f"it calls {whom}", NOTHING)
                    break
                for parameter, value in call.args:
                    if parameter in static[call.callee]:
                        if value.traced:
                            bad.setdefault(name, (f"Python needs the `{parameter}` that it passes to `{short}`", NOTHING))
                        static[name] |= value.deps
        for name in bad:
            del static[name]
        hindered |= bad
        if not bad and static == before and all(_settled(units[name], static) for name in static):
            return static, hindered


def hindrance(
    unit: UnitSummary, variables: Mapping[str, Value], rebound: frozenset[str], static: frozenset[str], python_result: bool
) -> str:
    """Why jit cannot trace a unit, as far as the unit itself tells, "" where nothing is against it."""
    hinders = unit.special or unit.tracing.impure or unit.tracing.not_static or unit.tracing.loops
    if hinders or unit.signature.vararg:
        return hinders or "it takes any number of arguments"
    if changing := sorted(unit.attributes.reads_globals & rebound):
        return f"`{changing[0].rpartition('.')[2]}` is bound or changed elsewhere, which jit would not see"
    if unit.call_graph.callees & rebound:
        return "it calls a name that is also bound elsewhere"
    if objects := sorted(g for g in unit.attributes.reads_globals if _may_change(variables.get(g))):
        return f"`{objects[0].rpartition('.')[2]}` is an object, which may change, and jit would not see it"
    if not _leaf(unit.result, static):
        return "jit would make its result an array, but it is a Python value"
    return "Python needs its result, which depends on a branch" if "" in unit.tracing.branching and python_result else ""


def given_arrays(units: Mapping[str, UnitSummary], refused: Collection[str]) -> set[tuple[str, str]]:
    """Functions and parameters that a call gives an array, or what JAX made: neither has a hash, as a static argument must have."""
    return {
        (call.callee, parameter)
        for unit in units.values()
        for call in unit.call_graph.calls
        for parameter, value in call.args
        if value.kind is Kind.ARRAY or (value.device and unit.name not in refused)
    }


def given_objects(units: Mapping[str, UnitSummary]) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """A parameter of each function that a call gives an object, and what calls give functions, classes, modules and text."""
    given = [
        (units[c.callee], p, value)
        for u in units.values()
        for c in u.call_graph.calls
        if c.callee in units
        for p, value in c.args
    ]
    objects = {
        unit.name: parameter
        for unit, parameter, value in given
        if value.kind is Kind.OBJECT and parameter in unit.params[bool(unit.signature.receiver) :]
        if not (value.name.startswith("numpy.random.") and parameter in unit.streams.params)  # which becomes a key
    }
    named = (Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.STRING)
    return objects, {(unit.name, p) for unit, p, value in given if value.kind in named and p in unit.params}


def with_bounds(unit: UnitSummary, static: frozenset[str]) -> frozenset[str]:
    """What must be static, with what the turns of unrolled loops depend on; "[]" where a loop cannot be unrolled."""
    turns = {t.token: t for t in unit.tracing.turns}
    found, work = set(static), [turns[p] for p in static if p in turns]
    while work:
        unrolled = work.pop()
        if unrolled.traced or not unrolled.unrollable:
            found.add(f"{unrolled.token}[]")
        for dependence in unrolled.deps - found:
            found.add(dependence)
            work += [turns[dependence]] if dependence in turns else []
    return frozenset(found)


def _may_change(value: Value | None) -> bool:
    """Whether a variable of a module is an object, whose state may change without anybody binding the name."""
    return value is not None and value.kind in (Kind.OBJECT, Kind.UNKNOWN) and not value.name.startswith("numpy.")


def _settled(unit: UnitSummary, static: Mapping[str, frozenset[str]]) -> bool:
    return all(
        value.deps <= static[unit.name]
        for call in unit.call_graph.calls
        if call.callee in static
        for p, value in call.args
        if p in static[call.callee]
    )


def _is_data(unit: UnitSummary, parameter: str) -> bool:
    """Whether a parameter that would have to be static certainly holds what cannot be: an array, or what has no hash."""
    return parameter.endswith("[]") or dict(unit.signature.kinds).get(parameter, "").startswith(
        ("array", "list", "dict", "object")
    )


__all__ = ["UNKNOWN", "Iterable", "Settings", "link"]
