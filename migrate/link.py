"""Join the summaries of all units into facts for the next look, and at the end into one plan for each function. No syntax."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..rules.facts import NOTHING, UNKNOWN, FunctionPlan, Value
from ..rules.model import Kind
from .analysis.domain import join
from .analysis.state import ClassFact, Facts, FunctionFact
from .summarise import MODULE, ModuleSummary, UnitSummary

Refusal = tuple[str, str]  # code, reason


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for, as far as linking is concerned."""

    kept: Mapping[str, Refusal] = field(default_factory=dict)
    unjitted: frozenset[str] = NOTHING
    public: frozenset[str] = NOTHING


def link(modules: Iterable[ModuleSummary], settings: Settings) -> Facts:
    """Facts about every function, class and variable of the project, with the plans that follow from the summaries so far."""
    modules = list(modules)
    facts = Facts()
    facts.aliases = aliases(modules)
    facts.modules = frozenset(m.name for m in modules)
    facts.pandas = any(m.pandas for m in modules)
    units = {u.name: u for m in modules for u in m.units}
    plans = plan_all(units, facts, settings, modules)
    for module in modules:
        for name, bases, methods in module.classes:
            attrs: dict[str, Value] = {}
            for _method, qualified in methods:
                for attr, value in units[qualified].attrs if qualified in units else ():
                    attrs[attr] = join(attrs[attr], value) if attr in attrs else value
            facts.classes[name] = ClassFact(name, tuple(facts.canonical(b) for b in bases), attrs, dict(methods))
        for name, value in module.variables:
            known = value if name not in module.rebound else replace(value, elements=None)
            facts.variables[f"{module.name}.{name}"] = replace(known, device=False)
    for unit in units.values():
        if not unit.name.endswith(MODULE):
            facts.functions[unit.name] = function_fact(unit)
    facts.params = parameters_from_callers(units)
    facts.plans = plans
    return facts


def function_fact(unit: UnitSummary) -> FunctionFact:
    return FunctionFact(unit.name, unit.params, unit.vararg, unit.result, unit.mutates, unit.retains, bool(unit.cls))


def aliases(modules: Iterable[ModuleSummary]) -> dict[str, str]:
    """Names under which things are re-exported: "pkg.f" for what `pkg/__init__.py` imports from "pkg.mod"."""
    return {f"{m.name}.{name}": target for m in modules for name, target in m.exports if target != f"{m.name}.{name}"}


def parameters_from_callers(units: Mapping[str, UnitSummary]) -> dict[str, dict[str, Value]]:
    """What all calls that are known give for a parameter; nothing for functions that escape."""
    found: dict[str, dict[str, Value]] = defaultdict(dict)
    unsure: set[str] = set()
    for unit in units.values():
        unsure |= unit.escapes
        for call in unit.calls:
            if any(p == "*" for p, _v in call.args):
                unsure.add(call.callee)
            for parameter, value in call.args:
                given = Value(value.kind, value.dtype, value.rank, origin=value.origin)
                if value.kind in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.OBJECT):
                    given = Value(value.kind, name=value.name)
                before = found[call.callee].get(parameter)
                found[call.callee][parameter] = given if before is None else join(before, given)
    return {name: values for name, values in found.items() if name not in unsure}


# --- plans ---------------------------------------------------------------------------------------------------------------


def plan_all(units: Mapping[str, UnitSummary], facts: Facts, settings: Settings, modules: list[ModuleSummary]) -> dict[str, FunctionPlan]:
    """One plan for each unit: refusals spread along calls whose contract would change, and to nobody else."""
    refused = refusals(units, settings, facts, modules)
    rebound = frozenset(f"{m.name}.{name}" for m in modules for name in m.rebound)
    traceable = traceable_units(units, refused, settings, rebound)
    plans = {}
    for name, unit in units.items():
        why = refused.get(name)
        if why is not None:
            plans[name] = FunctionPlan(name, unit.params, refused=why[1], refused_code=why[0], host_writes=unit.host_writes, results=unit.results)
            continue
        returns = tuple(p for p in unit.params if p in unit.mutates)
        can = name in traceable
        static = tuple(p for p in unit.params if p in traceable[name]) if can else ()
        jit = can and not unit.cls and not name.endswith(MODULE) and unit.arrays and name not in settings.unjitted and not unit.special
        plans[name] = FunctionPlan(name, unit.params, returns, unit.results, unit.already, static, jit, can)
    return plans


def refusals(units: Mapping[str, UnitSummary], settings: Settings, facts: Facts, modules: list[ModuleSummary]) -> dict[str, Refusal]:
    refused: dict[str, Refusal] = {}
    escaped = {facts.canonical(e) for u in units.values() for e in u.escapes}
    unresolved = {n for u in units.values() for n in u.unresolved}
    tests = {m.name for m in modules if m.tests}
    for name, unit in units.items():
        short = name.rpartition(".")[2]
        if unit.module in tests:
            refused[name] = ("NJ215", "tests stay as they are")
        elif name in settings.kept:
            refused[name] = settings.kept[name]
        elif unit.block is not None:
            refused[name] = unit.block
        elif unit.mutates:
            changed = ", ".join(f"`{p}`" for p in sorted(unit.mutates))
            if unit.special:
                refused[name] = ("NJ208", f"it changes {changed}, and {unit.special}")
            elif name in escaped:
                refused[name] = ("NJ208", f"it changes {changed}, and is used as a value, so that its callers are not known")
            elif unit.cls and short in unresolved:
                refused[name] = ("NJ208", f"it changes {changed}, and `.{short}()` is called on objects whose class is not known")
            elif name in settings.public or name in {facts.canonical(p) for p in settings.public}:
                refused[name] = ("NJ208", f"it changes {changed}, and is public, so that its results must stay as they are")
    callers: dict[str, set[str]] = defaultdict(set)
    for unit in units.values():
        for used in unit.host_uses if unit.module in tests else ():
            if used in units:
                refused.setdefault(used, ("NJ215", f"`{unit.name.rpartition('.')[2]}`, a test, uses its result as only a NumPy array can be used"))
        for call in unit.calls:
            callers[call.callee].add(unit.name)
            if unit.module in tests and call.callee in units and units[call.callee].mutates:
                refused.setdefault(call.callee, ("NJ215", f"it changes its arguments, and `{unit.name.rpartition('.')[2]}`, a test, calls it"))
            callee = units.get(call.callee)
            if callee is not None and call.rewritable and callee.mutates and call.callee not in refused:
                refused[call.callee] = ("NJ209", f"it changes its arguments, and {call.rewritable}")
    work = list(refused)
    while work:  # whoever gives an array to a kept function that changes it must keep NumPy's array
        name = work.pop()
        kept = units.get(name)
        if kept is None or not kept.touches:
            continue
        for caller in callers[name]:
            if caller not in refused and _hands_over(units[caller], name, kept):
                refused[caller] = ("NJ209", f"it hands an array to `{name.rpartition('.')[2]}`, which is kept and changes it")
                work.append(caller)
    attribute_conflicts(units, refused, callers)
    return refused


def _hands_over(caller: UnitSummary, callee: str, kept: UnitSummary) -> bool:
    for call in caller.calls:
        if call.callee == callee:
            for parameter, value in call.args:
                if value.kind in (Kind.ARRAY, Kind.UNKNOWN) and parameter in kept.touches:
                    return True
    return False


def attribute_conflicts(units: Mapping[str, UnitSummary], refused: dict[str, Refusal], callers: Mapping[str, set[str]]) -> None:
    """A kept method that writes into attributes wants NumPy arrays there: what sets them is kept with it."""
    by_class: dict[str, list[UnitSummary]] = defaultdict(list)
    for unit in units.values():
        if unit.cls:
            by_class[unit.cls].append(unit)
    for methods in by_class.values():
        wanting = [m.name for m in methods if m.name in refused and m.host_writes]
        if wanting:
            for method in methods:
                if method.name not in refused and method.attrs:
                    short = wanting[0].rpartition(".")[2]
                    refused[method.name] = ("NJ209", f"it sets attributes that `{short}`, which is kept, changes in place")


def _leaf(value: Value, static: frozenset[str]) -> bool:
    """Whether jit may return it, without a Python value becoming an array."""
    if value.elements is not None:
        return all(_leaf(e, static) for e in value.elements)
    if value.kind is Kind.SCALAR:
        return value.traced or bool(value.deps - static)
    return value.kind in (Kind.ARRAY, Kind.NONE, Kind.UNKNOWN, Kind.TUPLE, Kind.LIST)


def traceable_units(units: Mapping[str, UnitSummary], refused: Mapping[str, Refusal], settings: Settings, rebound: frozenset[str]) -> dict[str, frozenset[str]]:
    """Units that jit can trace, with the parameters that must be static: pure, whose control flow does not depend on values,
    and whose callees can be traced with what is given to them."""
    static = {
        name: unit.static
        for name, unit in units.items()
        if not (name in refused or unit.impure or unit.not_static or unit.loops or unit.vararg or unit.special)
        and not name.endswith(MODULE)
        and not unit.reads_globals & rebound
        and _leaf(unit.result, unit.static)
    }
    while True:
        bad = {name for name in static if any(_is_data(units[name], p) for p in static[name])}
        for name in static.keys() - bad:
            for call in units[name].calls:
                if call.callee not in units:
                    continue
                if call.callee not in static or call.callee == name:
                    bad.add(name)
                    break
                for parameter, value in call.args:
                    if parameter in static[call.callee]:
                        if value.traced:
                            bad.add(name)
                        static[name] |= value.deps
        for name in bad:
            del static[name]
        if not bad and all(_settled(units[name], static) for name in static):
            return static


def _settled(unit: UnitSummary, static: Mapping[str, frozenset[str]]) -> bool:
    return all(
        value.deps <= static[unit.name] for call in unit.calls if call.callee in static for p, value in call.args if p in static[call.callee]
    )


def _is_data(unit: UnitSummary, parameter: str) -> bool:
    """Whether a parameter that would have to be static certainly holds what cannot be: an array, or what has no hash."""
    return dict(unit.kinds).get(parameter, "").startswith(("array", "list", "dict", "object"))


__all__ = ["UNKNOWN", "Iterable", "Settings", "link"]
