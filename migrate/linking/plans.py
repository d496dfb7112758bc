"""The plan of each function: whether it is converted, and whether it gets `jit`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import count

from ...rules.core.findings import Kind
from ...rules.core.refusals import PLACED
from ...rules.facts.function_plan import ChangedPlan, DonationPlan, FunctionPlan, InputPlan, KeyPlan, ShellPlan
from ...rules.facts.values import NOTHING, Value, replace
from ..analysis.loops import loop_analysis
from ..analysis.state.project_facts import Facts
from ..summaries.donation import holds
from ..summaries.units import ModuleSummary, UnitSummary
from . import equal_seeds, key_passing, outside_callers, seed_propagation
from .caller_arguments import (
    accepting_lists,
    arrays_of,
    dtypes_from_callers,
    given_lists_of_lists,
    lists_from_callers,
    lists_from_host,
    lists_when_traced,
)
from .child_processes import in_child_processes
from .cloning import before_cloning, clones_of, libraries_with_jax, with_versions
from .indirect_calls import opaque
from .lost_exceptions import caught_by_callers
from .other_compilers import compiled_by_others
from .placement import FOR_EACH_VALUE, compilable, in_32_bits, not_worth_it, of_test_cases, slower_compiled
from .random_libraries import draws_for_outside, draws_on_host
from .refusal_propagation import is_jax, refusals
from .settings import Settings
from .traceability import may_be_jitted, traceable_units

NUMPY_ONLY = ("NJ1", "NJ6", "NJ701")  # refused because they rely on what only NumPy arrays can do


def plan_all(
    units: Mapping[str, UnitSummary],
    facts: Facts,
    settings: Settings,
    modules: list[ModuleSummary],
    together: Mapping[str, str],
) -> dict[str, FunctionPlan]:
    """The plan of each unit. Refusals propagate only along calls whose contract would change. `together`: see `connected`."""
    rebound = frozenset(f"{m.name}.{name}" for m in modules for name in m.rebound)
    rebound |= {t[7:] for u in units.values() for t in u.effects.changes if t.startswith("global:")}
    stored = {a for u in units.values() for a in u.attributes.attr_stores} | {
        a[5:] for u in units.values() for a in u.effects.changes
    }
    rebound |= {
        g for u in units.values() for g in u.attributes.reads_globals if g in stored or f"?.{g.rpartition('.')[2]}" in stored
    }
    variables = {f"{m.name}.{name}": value for m in modules for name, value in m.variables}
    if settings.float64:
        settings = replace(settings, kept={**in_32_bits(units, modules, together), **settings.kept})
    elsewhere = {**in_child_processes(units, facts, modules, together), **compiled_by_others(units)}
    accepting = accepting_lists(units)
    nested = given_lists_of_lists(units, accepting)
    elsewhere |= {name: (PLACED, f"not compiled: a call passes a list of lists for `{p}`") for name, p in sorted(nested)}
    settings = replace(settings, kept={**caught_by_callers(units, modules, together), **elsewhere, **settings.kept})
    possible: Collection[str] = NOTHING  # what JAX can trace, whatever uses it as a value
    if settings.fast:
        possible = compilable(units, variables, rebound | stored, settings, facts.host.python_results)
        kept = {**opaque(units, modules, facts, together), **of_test_cases(units, facts), **settings.kept}
        settings = replace(settings, kept=kept)
    may_become_jax = compilable(units, variables, rebound | stored, settings, facts.host.python_results)
    groups = equal_seeds.find(units, facts, modules)
    refused, hosts, passed_on = refusals(units, settings, facts, modules, together, may_become_jax, groups)
    ordered = equal_seeds.ordered(groups, refused)
    keyed = key_passing.key_functions(units, refused)
    eager = set[str]()
    if draws_on_host(units, refused, modules, facts) or draws_for_outside(units, refused, facts):
        eager = {u.name for u in units.values() if u.streams.state.seeds}
    eager |= key_passing.rooted(units, keyed)
    traceable, hindered = traceable_units(
        units, refused.keys() | eager, variables, rebound | stored, settings, facts.host.python_results
    )
    dtypes = dtypes_from_callers(units)
    listed, given = lists_from_callers(units, documented=True), lists_from_callers(units, documented=False)
    accepting = accepting if settings.fast else {}
    passed = {(name, p) for name, p in listed | given if accepting.get((name, p)) and p not in arrays_of(units[name])}
    for pair in (*lists_when_traced(units, traceable), *passed):
        accepting.pop(pair, None)
    keeps = seed_propagation.key_attribute(units, facts) if facts.random.state_seeders else ""
    marked = {m.name for m in modules if settings.donates and not m.text.unmarked}
    streams = {u.module: min(u.streams.variables).rpartition(".")[2] for u in units.values() if u.streams.variables}
    names = {m.name: m.names for m in modules}
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
                changed=ChangedPlan(name in hosts, frozenset(passed_on.get(name, ()))),
                results=unit.results,
                inputs=InputPlan(arrays=arrays_of(unit)),
            )
            continue
        returns = tuple(p for p in unit.params if p in unit.effects.mutates)
        can = name in traceable
        static = tuple(p for p in unit.params if p in traceable[name]) if can else ()
        unrolled = tuple(sorted(p for p in traceable[name] if loop_analysis.is_token(p))) if can else ()
        jit = (
            can
            and (name not in facts.random.state_seeders or unit.results > 0)
            and may_be_jitted(unit, settings)
            and is_worth_it(unit, static)
            and may_return_arrays(unit, static, unrolled)
        )
        generators = tuple(sorted(key_passing.accepts(unit, units, refused)))
        opened = name in facts.outside
        takes_lists = opened and jit and not is_jax(unit)  # code that is JAX already accepts none
        outer = tuple(p for p in unit.params if takes_lists and p not in static and (name, p) in accepting)
        floated = tuple(p for p in unit.params if jit and settings.fast and p not in static and p in unit.signature.floated)
        lists = tuple(p for p in unit.params if ((name, p) in listed or (name, p) in given) and p not in outer)
        why = hindered.get(name, ("", NOTHING)) if may_be_jitted(unit, settings) else ("", NOTHING)
        if can and is_worth_it(unit, static) and not may_return_arrays(unit, static, unrolled):
            why = ("jit would make the number that it returns an array", NOTHING)
        filled = returns if jit and settings.fast and opened and can_fill(unit, facts) else ()
        outer = tuple(p for p in outer if p not in filled)  # an update of a copy would be lost
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
            inputs=InputPlan(
                filled=frozenset(arrays_of(unit)) - unit.effects.augments,
                lists=lists,
                list_arguments=tuple(p for p in lists if (name, p) in given),
                dtypes=dtypes.get(name, ()),
                floated=floated,
                shell=ShellPlan(
                    key=unit.streams.key if opened and name in keyed else "",
                    stream=streams.get(unit.module, ""),
                    generators=generators if opened else (),
                    lists=outer,
                    depths=tuple((p, depth) for p in outer if (depth := accepting[name, p])),
                    floated=floated if opened else (),
                    shapes=tuple(p for p in static if opened and jit and settings.fast and p in unit.signature.shape_likes),
                    core=core_name(unit, names[unit.module]) if name in facts.shared or filled else "",
                    changed=filled,
                ),
            ),
            random=KeyPlan(
                key=unit.streams.key if name in keyed else "",
                gives=unit.streams.key if name in facts.random.state_seeders else "",
                keeps=keeps if name in facts.random.state_seeders and seed_propagation.constructs(unit) else "",
                generators=generators,
                ordered=name in ordered,
            ),
            jax=unit.host.jax_used,
            donation=DonationPlan(marked=jit and unit.module in marked),
        )
        if unit.cls and jit and plans[name].inputs.shell.is_needed:  # a class has no place for the core
            plans[name] = replace(plans[name], jit=False, donation=DonationPlan())
    if settings.fast:
        clones = clones_of(modules)
        slower = slower_compiled(units, plans, settings.slower, clones)
        plans |= not_worth_it(units, plans, slower)
        unpaid = {*settings.slower, *(name for name, why in slower.items() if why.startswith(FOR_EACH_VALUE))}
        plans |= before_cloning(units, plans, facts, possible, slower, unpaid, libraries_with_jax(modules, plans, together))
        plans |= with_versions(units, plans, clones, facts.outside, listed | given)
        plans |= {name: without_list_shell(plan, listed | given) for name, plan in plans.items() if not plan.jit}
    compiled = {name for name, plan in plans.items() if plan.jit}
    read = {(name, p) for name, p in accepting if p not in units[name].effects.mutates}  # an update of a copy would be lost
    depths: dict[str, tuple[tuple[str, int], ...]] = {}
    for (name, p), depth in accepting.items():
        depths[name] = depths.get(name, ()) + (((p, depth),) if depth else ())
    for name, parameters in lists_from_host(units, read, facts.outside, compiled).items():
        plans[name] = replace(plans[name], inputs=replace(plans[name].inputs, host_lists=parameters, depths=depths[name]))
    shapes = {(name, p) for name in compiled for p in units[name].signature.shape_likes.intersection(plans[name].static_args)}
    for name, parameters in lists_from_host(units, shapes, facts.outside, compiled).items():
        plans[name] = replace(plans[name], inputs=replace(plans[name].inputs, host_shapes=parameters))
    if settings.fast:
        plans |= outside_callers.returning_numpy(units, plans, facts, modules, clones)
    return plans | donating(units, plans, facts)


def can_fill(unit: UnitSummary, facts: Facts) -> bool:
    """Whether a function that changes its arguments can have a shell that fills those of NumPy."""
    in_module = unit.name == f"{unit.module}.{unit.name.rpartition('.')[2]}" and not unit.cls
    return in_module and unit.name not in facts.random.state_seeders


def core_name(unit: UnitSummary, taken: Collection[str]) -> str:
    """The name for the core of a function that converted code calls, and others by its shell; "" if it returns nothing."""
    if unit.cls or (unit.result.kind is Kind.NONE and not unit.effects.mutates):
        return ""
    stem = f"_{unit.name.rpartition('.')[2].lstrip('_')}"
    return next(name for number in count(1) if (name := stem if number == 1 else f"{stem}_{number}") not in taken)


def without_list_shell(plan: FunctionPlan, lists: Collection[tuple[str, str]]) -> FunctionPlan:
    """The plan of a function that has no jit, and so no core: it converts lists where it uses them."""
    kept = tuple(p for p in plan.params if p in plan.inputs.lists or (p in plan.inputs.shell.lists and (plan.name, p) in lists))
    return replace(
        plan,
        inputs=replace(plan.inputs, lists=kept, floated=(), shell=replace(plan.inputs.shell, lists=(), floated=(), shapes=())),
    )


def donating(units: Mapping[str, UnitSummary], plans: Mapping[str, FunctionPlan], facts: Facts) -> dict[str, FunctionPlan]:
    """The plans of functions whose calls may overwrite arrays. A private function mentioned in one place donates in all its
    calls; others donate in calls from their module, through a second name."""
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


def is_worth_it(unit: UnitSummary, static: Sequence[str]) -> bool:
    """Whether there is anything to compile: arrays, or a branch on a traced value."""
    return unit.host.arrays or bool(unit.tracing.branching - {*static})


def may_return_arrays(unit: UnitSummary, static: Sequence[str], unrolled: Sequence[str]) -> bool:
    """Whether jit may turn the result of a unit into an array: it is no Python scalar without jit, or this cannot be avoided."""
    compiled = unit.tracing.branching - {*static, *unrolled}
    return len(unrolled) < len(unit.tracing.trip_counts) or bool(compiled) or not _may_be_python(unit.result)


def _may_be_python(value: Value) -> bool:
    """Whether a result is a Python scalar if the arguments are: jit would make it an array."""
    return value.kind is Kind.ARRAY and value.number
