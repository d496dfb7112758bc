"""Join the summaries of all units into facts for the next worklist pass, and finally into a plan for each function. No syntax
here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, Value, replace
from ..analysis.branches.branch_analysis import depending
from ..analysis.state.call_results import as_called
from ..analysis.state.project_facts import Facts, FunctionFact
from ..summaries.units import MODULE, UFUNC_TYPE, ModuleSummary, UnitSummary, written_name
from ..syntax.decorators import OF_LIBRARIES, Effect, worst
from . import class_hierarchy, data_frames, indirect_calls, key_passing, outside_callers, seed_propagation
from .caller_arguments import JoinedArguments, joined_arguments, parameters_from_callers
from .cost_model import work_with_calls
from .import_components import connected
from .memo import Memo
from .plans import plan_all
from .random_libraries import draws_for_outside, draws_on_host
from .reachable_reads import CalleeMemos, ReachableReads
from .settings import Settings
from .traceability import with_bounds


@dataclass(frozen=True, slots=True)
class LinkMemos:
    """What is known from earlier links of one project."""

    classes: class_hierarchy.ClassMemos = field(default_factory=class_hierarchy.ClassMemos)
    callees: CalleeMemos = field(default_factory=CalleeMemos)
    arguments: JoinedArguments = field(default_factory=lambda: Memo(joined_arguments))
    opened: Memo[dict[str, Value], dict[str, Value]] = field(default_factory=lambda: Memo(of_any_dtype))
    functions: Memo[UnitSummary, FunctionContext, FunctionFact] = field(default_factory=lambda: Memo(fact_of))


def link(
    modules: Iterable[ModuleSummary],
    settings: Settings,
    before: Facts | None = None,
    assumed: Mapping[class_hierarchy.Attribute, Value] = MappingProxyType({}),
    memos: LinkMemos | None = None,
) -> Facts:
    """The facts about every function, class and variable of the project that follow from the summaries; `decide` adds the plans.
    `before`: the facts of the previous worklist pass; `assumed`: the values that attributes are assumed to have."""
    modules, memos = list(modules), memos or LinkMemos()
    facts = Facts(aliases=aliases(modules))
    if before is not None and before.aliases == facts.aliases:
        facts.canonical_names = before.canonical_names
    facts.random.seeds = any(m.text.seeds and not m.text.tests for m in modules)
    facts.random.compared = not settings.random_on_host and any(
        (m.text.seeds or m.text.makes_generators) and not m.text.tests for m in modules
    )
    facts.random.random_on_host = settings.random_on_host
    facts.program.static_trip_counts = settings.static_trip_counts
    facts.program.fast = settings.fast
    facts.program.recorded = settings.recorded
    facts.modules = frozenset(m.name for m in modules)
    facts.packages = frozenset(m.partition(".")[0] for m in facts.modules)
    facts.program.decorators = decorators(modules, facts)
    facts.exported = imported_by_others(facts)
    facts.program.pandas = data_frames.may_meet(modules)
    facts.hierarchy.methods = frozenset(
        method for m in modules for _name, _bases, methods in m.classes for method, _full in methods
    )
    facts.program.ufunc_asked = any(name == UFUNC_TYPE for m in modules for name, _count in m.text.mentioned)
    together = connected(modules)
    using = {together[m.name] for m in modules if any(i.partition(".")[0] in ("numpy", "jax", "autograd") for i in m.imports)}
    facts.program.arrays = frozenset(name for name, component in together.items() if component in using)
    units = {u.name: u for m in modules for u in m.units}
    facts.several = several(units)
    needed_by_python(facts, units, before)
    facts.hierarchy.frozen = NOTHING.union(*(m.frozen for m in modules))
    class_hierarchy.find(facts, modules, units, assumed, before, memos.classes)
    clones = {clone for m in modules for clone, _name in m.clones}  # code outside of the project may pass them any array
    public = settings.public | {facts.canonical(name) for name in settings.public} | clones
    facts.shared = outside_callers.shared(units, modules, facts)
    facts.outside = outside_callers.find(units, facts, public) | facts.shared.keys()
    facts.random.seeded_identically = key_passing.same(units)
    facts.random.lone_seeds = key_passing.lone(units)
    facts.random.state_seeders, facts.random.seeded_for = seed_propagation.find(units, facts, settings.public, modules)
    for module in modules:
        for name, value in module.variables:
            known = value if name not in module.rebound else replace(value, elements=None)
            facts.variables[f"{module.name}.{name}"] = replace(known, device=False)
    facts.host.reads = ReachableReads(units, memos.callees)
    for unit in units.values():
        if not unit.name.endswith(MODULE):
            facts.functions[unit.name] = memos.functions(unit.name, unit, context(unit, facts))
    facts.params = {
        name: memos.opened(name, given) if name in public else given
        for name, given in parameters_from_callers(units, memos.arguments).items()
    }  # external callers of public functions may pass arrays of other dtypes
    facts.program.called_once = mentioned_once(modules, units, facts) - public
    return facts


def decide(facts: Facts, modules: Iterable[ModuleSummary], settings: Settings) -> None:
    """Add the plan of each unit to facts that have reached the fixed point."""
    modules = list(modules)
    units = {u.name: u for m in modules for u in m.units}
    together = connected(modules)
    facts.plans = plans = plan_all(units, facts, settings, modules, together)
    narrow: dict[str, frozenset[str]] = {}
    for module in modules:
        narrow[together[module.name]] = narrow.get(together[module.name], frozenset()) | module.text.narrow
    facts.program.narrow = {m.name: narrow[together[m.name]] for m in modules}
    facts.random.draws_on_host = draws_on_host(units, {p.name for p in plans.values() if p.refused}, modules, facts)
    facts.random.draws_for_outside = draws_for_outside(units, {p.name for p in plans.values() if p.refused}, facts)
    facts.host.on_device = made_by_jax(units, modules, {p.name for p in plans.values() if p.refused})
    kept = (units[p.name] for p in plans.values() if p.refused and p.host_writes)
    facts.host.host_methods = frozenset(written_name(u.name.rpartition(".")[2]) for u in kept if u.cls)
    changing = (units[p.name] for p in plans.values() if p.refused and not p.jax)
    facts.host.of_converted = of_converted(u for u in units.values() if not plans[u.name].refused)
    if settings.fast:
        facts.work = work_with_calls({name: units[name] for name, plan in plans.items() if plan.traceable})
        converted = {p.name for p in plans.values() if not (p.refused or p.jax or p.inputs.shell.returns_numpy)}
        facts.host.returning_jax = indirect_calls.of_converted(units, modules, converted, together)
    facts.host.converts = any(u.host.numpy_used for u in units.values() if not plans[u.name].refused)
    facts.host.host_paths = frozenset(t for u in changing for t in u.effects.changes)


def of_converted(units: Iterable[UnitSummary]) -> frozenset[str]:
    """What converted units may store in attributes, and what their methods may return."""
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


def decorators(modules: Iterable[ModuleSummary], facts: Facts) -> dict[str, Effect]:
    """What the decorators do that the project defines, also under the names of variables."""
    modules = list(modules)
    found = {**OF_LIBRARIES, **dict(pair for m in modules for pair in m.decorators)}
    for name, targets in (pair for m in modules for pair in m.renamed):
        known = [target if _ends(target, found) else _canonical(target, facts) for target in targets]
        for end in {end for target in known for end in _ends(target, found)}:
            effect = worst(found.get(f"{target}{end}") for target in known)
            if effect is not None:
                found[f"{name}{end}"] = effect
    return found


def _ends(target: str, known: Iterable[str]) -> set[str]:
    """What follows a name in longer ones: the attributes, results and elements of what it stands for."""
    return {name.removeprefix(target) for name in known if name.startswith(target) and name[len(target) :][:1] in ("", *".([")}


def _canonical(target: str, facts: Facts) -> str:
    function, call, path = target.partition("()")
    return f"{facts.canonical(function)}{call}{path}"


def made_by_jax(units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary], refused: Collection[str]) -> frozenset[str]:
    """The module variables that only converted modules bind, and only to results of JAX."""
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
    """For each module, the names in it that other modules import."""
    found: dict[str, set[str]] = defaultdict(set)
    for target in facts.aliases.values():
        owner, dot, name = target.rpartition(".")
        while dot:
            if owner in facts.modules:
                found[owner].add(name)
            owner, dot, more = owner.rpartition(".")
            name = f"{more}.{name}"
    return {module: frozenset(names) for module, names in found.items()}


def needed_by_python(facts: Facts, units: Mapping[str, UnitSummary], before: Facts | None) -> None:
    """Find the functions whose branches stay Python's. One that is needed again, after it was not, stays needed: what it
    gives may itself decide whether Python needs it, and the rounds would not end. Where values end a loop, or the tests depend on
    one that cannot be unrolled, no static arguments would help."""
    required = NOTHING.union(*(u.call_graph.python_results for u in units.values()))
    found = frozenset(name for name in required if name in units and _may_be_static(units[name]))
    if before is not None:
        found |= before.host.needed_again
        facts.host.not_needed = before.host.not_needed | (before.host.python_results - found)
    facts.host.needed_again = found & facts.host.not_needed
    facts.host.python_results = found


def _may_be_static(unit: UnitSummary) -> bool:
    """Whether the branches of a unit are known when JAX traces it, if some of its parameters are static."""
    tests = unit.tracing.branching
    if not tests or any(iterations.traced for iterations in unit.tracing.trip_counts):
        return False
    return not any(bound.endswith("[]") for bound in with_bounds(unit, tests))


def several(units: Iterable[str]) -> dict[str, frozenset[str]]:
    """Names with more than one definition, as under `if` and `else`: which one a call runs is unknown."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in units:
        owner, _dot, short = name.rpartition(".")
        plain, _at, number = short.partition("@")
        if number.isdigit():
            found[f"{owner}.{plain}"] |= {name, f"{owner}.{plain}"}
    return {name: frozenset(names) for name, names in found.items()}


class FunctionContext(NamedTuple):
    """What the facts about a function depend on besides its summary. `python_result`: Python itself needs its result."""

    python_result: bool
    reads: frozenset[str]
    sows: bool
    seeded_for: frozenset[tuple[str, int]]


def context(unit: UnitSummary, facts: Facts) -> FunctionContext:
    return FunctionContext(
        unit.name in facts.host.python_results,
        facts.host.reads.get(unit.name, NOTHING) | unit.effects.reads if unit.effects.mutates else NOTHING,
        unit.name in facts.random.state_seeders,
        facts.random.seeded_for.get(unit.name, frozenset()),
    )


def function_fact(unit: UnitSummary, facts: Facts) -> FunctionFact:
    return fact_of(unit, context(unit, facts))


def fact_of(unit: UnitSummary, known: FunctionContext) -> FunctionFact:
    chosen = unit.tracing.branching and not known.python_result  # by JAX, whatever the arguments are
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
        known.reads,
        unit.signature.receiver,
        unit.signature.property,
        unit.streams.numbers,
        known.sows,
        known.seeded_for,
        unit.effects.augments,
        unit.signature.arrays_only,
        unit.signature.array_likes - {value.holds for call in unit.call_graph.calls for _parameter, value in call.args},
    )


def of_any_dtype(given: dict[str, Value]) -> dict[str, Value]:
    """Arguments, with arrays of unknown dtypes."""
    return {p: replace(v, dtype="") if v.kind is Kind.ARRAY else v for p, v in given.items()}


def aliases(modules: Iterable[ModuleSummary]) -> dict[str, str]:
    """The names under which things are re-exported: "pkg.f" for what `pkg/__init__.py` imports from "pkg.mod"."""
    modules = list(modules)
    found = {f"{m.name}.{name}": target for m in modules for name, target in m.exports if target != f"{m.name}.{name}"}
    return {name: target for name, target in from_stars(modules).items() if target} | found


def from_stars(modules: Iterable[ModuleSummary]) -> dict[str, str]:
    """The targets of the names that `from m import *` binds: "pkg.mod.f" for "pkg.f"; "" where that is not certain."""
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


def mentioned_once(modules: Iterable[ModuleSummary], units: Mapping[str, UnitSummary], facts: Facts) -> frozenset[str]:
    """The functions that the text of the whole project mentions exactly once and that nothing else can reach."""
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
