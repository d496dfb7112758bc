"""Which functions are called from outside: by code that the project does not contain, and by its files that are not converted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ...rules.core.findings import Kind
from ...rules.facts.function_plan import FunctionPlan
from ...rules.facts.values import NOTHING, replace
from ..analysis.state.project_facts import Facts
from ..summaries.units import MODULE, YIELDS, ModuleSummary, UnitSummary, written_name
from .host_demands import may_hold_arrays


def find(units: Mapping[str, UnitSummary], facts: Facts, public: Collection[str]) -> frozenset[str]:
    """The functions that are not private to the project: neither they nor their classes have a name with an underscore, or
    something imports them under a name without one."""
    renamed = {facts.canonical(name) for name in facts.aliases if not is_private(name.rpartition(".")[2])} | {*public}
    found = set()
    for name, unit in units.items():
        owner = name.rpartition(".")[0] if unit.cls else ""
        parts = written_name(name).removeprefix(f"{unit.module}.").split(".")
        named = not any(map(is_private, parts)) or name in renamed or (owner in renamed and not is_private(parts[-1]))
        if named and not name.endswith(MODULE):
            found.add(name)
    return frozenset(found)


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def described(unit: str, unchanged: str) -> str:
    """A unit in a file that stays as it is, as a part of a sentence. `unchanged`: see `ModuleText`."""
    module, _dot, short = unit.rpartition(".")
    return f"`{module if short == MODULE and unchanged != 'a test' else short}`, {unchanged}"


def not_selected(units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary]) -> Iterator[tuple[UnitSummary, str]]:
    """The units of the files that are not converted, because the user selected others, and how a sentence names them."""
    others = {m.name: m.text.unchanged for m in modules if not (m.text.selected or m.text.tests)}
    for unit in units.values() if others else ():
        if unit.module in others:
            yield unit, described(unit.name, others[unit.module])


def shared(units: Mapping[str, UnitSummary], modules: Sequence[ModuleSummary], facts: Facts) -> dict[str, str]:
    """The functions and methods that files which are not converted call or use as values, and who does. They expect what NumPy
    gives: nothing converts the results there."""
    found: dict[str, str] = {}
    users = [*not_selected(units, modules)]
    if not users:
        return found
    selected = {m.name: m for m in modules if not m.text.unchanged}
    methods: dict[str, list[str]] = defaultdict(list)
    for name, unit in units.items():
        if unit.cls and unit.module in selected:
            methods[written_name(name.rpartition(".")[2])].append(name)
    for unit, who in users:
        names = {call.callee for call in unit.call_graph.calls} | {*map(facts.canonical, unit.call_graph.escapes)}
        names = {n for name in names for n in (name, *facts.several.get(name, ()))}
        names |= {method for short in unit.call_graph.unresolved for method in methods[short]}
        for name in sorted(names):
            if name in units and units[name].module in selected:
                found.setdefault(name, who)
            opened = name.removesuffix(".*")
            if opened in selected and opened != name:
                for inner in selected[opened].units:
                    found.setdefault(inner.name, who)
    for module in modules:
        for star in module.stars if not (module.text.selected or module.text.tests) else ():
            for unit in selected[star].units if star in selected else ():
                found.setdefault(unit.name, described(f"{module.name}.{MODULE}", module.text.unchanged))
    return {name: who for name, who in found.items() if not name.endswith(MODULE)}


def depending(units: Mapping[str, UnitSummary], modules: Sequence[ModuleSummary], facts: Facts) -> dict[str, str]:
    """Why units stay NumPy for the sake of files that are not converted: what these get would change, and no shell prevents it."""
    found: dict[str, str] = {}
    users = [*not_selected(units, modules)]
    if not users:
        return found
    outer = {unit.name for unit, _who in users}
    used = {facts.canonical(e) for name, u in units.items() if name not in outer for e in u.call_graph.escapes}
    for name, who in facts.shared.items():
        unit = units[name]
        if unit.effects.mutates:
            found[name] = f"it changes its arguments, and {who}, calls it"
        elif changed := unit.effects.items | unit.effects.touches:
            found[name] = f"it changes {', '.join(f'`{p}`' for p in sorted(changed))}, and {who}, calls it"
        elif unit.special == YIELDS or unit.result.kind is Kind.FUNCTION:
            found[name] = f"{who}, gets NumPy arrays from what it returns"
        elif (unit.cls or written_name(name) in facts.several) and may_hold_arrays(unit.result):
            found[name] = f"{who}, gets NumPy arrays from it"
        elif name in used and may_hold_arrays(unit.result):
            found[name] = f"it is used as a value, and {who}, gets NumPy arrays from it"
    for name, who in _reached(units, facts).items():
        if (why := units[name].tracing.impure) and name not in outer:
            found.setdefault(name, f"{why}, and {who}, may see that")
    read, seen = dict[str, str](), dict[str, str]()
    for name, who in (*((unit.name, who) for unit, who in users), *facts.shared.items()):
        for token in sorted(facts.host.reads.get(name, NOTHING) | units[name].effects.reads):  # also those of its callees
            read.setdefault(token.rpartition(".")[2], who)
            if token.startswith("global:"):
                seen.setdefault(facts.canonical(token.removeprefix("global:")), who)
        seen |= {g: who for g in map(facts.canonical, units[name].attributes.reads_globals) if g not in seen}
    for name, unit in units.items():
        if name in outer:
            continue
        stored = [(s.rpartition(".")[2], v) for s, v in (*unit.attributes.attrs, *unit.attributes.stored)]
        for attribute, value in stored:
            if attribute in read and may_hold_arrays(value):
                found.setdefault(name, f"{read[attribute]}, reads `{attribute}`, a NumPy array")
    for module in modules:
        for variable, value in module.variables:
            if f"{module.name}.{variable}" in seen and module.text.selected and may_hold_arrays(value):
                who = seen[f"{module.name}.{variable}"]
                found.setdefault(f"{module.name}.{MODULE}", f"{who}, reads `{variable}`, a NumPy array")
    return {name: why for name, why in found.items() if name in units}


def returning_numpy(
    units: Mapping[str, UnitSummary],
    plans: Mapping[str, FunctionPlan],
    facts: Facts,
    modules: Sequence[ModuleSummary],
    clones: Collection[str],
) -> dict[str, FunctionPlan]:
    """The plans of the compiled functions that return NumPy arrays to callers outside of the project who pass NumPy arrays, as before:
    those of packages, and of other modules that have functions which stay NumPy and get these arrays next. Scripts have no such callers.

    Converted code that is not compiled expects arrays of JAX, whatever it passes: functions that it calls return these to all. `clones`:
    the compiled versions of functions that stay NumPy, which are called with arrays of JAX.
    """
    packages = {m.name for m in modules if m.name == m.package}
    packaged = {m.name for m in modules if any(m.name == p or m.name.startswith(f"{p}.") for p in packages)}
    of_numpy = {u.module for u in units.values() if u.host.arrays and u.name in facts.outside and plans[u.name].refused}
    called = packaged | {m.name for m in modules if m.name in of_numpy and not m.text.script}
    eager = {c for name, plan in plans.items() if not (plan.refused or plan.jit) for c in units[name].call_graph.callees}
    opened = facts.outside - eager
    made = {}
    for name, plan in plans.items():
        unit, shell = units[name], plan.inputs.shell
        if not plan.jit or plan.jax or name in clones or unit.module not in called or (shell.core and not shell.changed):
            continue  # a shell for files that are not converted does so already
        if name in opened and unit.result.kind is not Kind.NONE and not plan.random.gives:
            made[name] = replace(plan, inputs=replace(plan.inputs, shell=shell._replace(returns_numpy=True)))
    return made


def _reached(units: Mapping[str, UnitSummary], facts: Facts) -> dict[str, str]:
    """The functions that files which are not converted call, directly or through others: they may put arrays into containers that
    these files have."""
    found = dict(facts.shared)
    work = [*found]
    while work:
        name = work.pop()
        for callee in sorted(units[name].call_graph.callees & units.keys()):
            if callee not in found:
                found[callee] = found[name]
                work.append(callee)
    return found
