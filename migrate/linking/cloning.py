"""Which functions get two versions: NumPy's, which code on the host calls, and a compiled one for JAX code.

NumPy runs a small function faster than a call of compiled code takes. But compiled code that calls it needs a version that JAX can
trace, and so does code that passes it arrays of JAX, to differentiate it or to run it on a GPU.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ...rules.facts.function_plan import FunctionPlan, VersionsPlan
from ...rules.facts.values import replace
from ...rules.facts.work import Work
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary
from .cost_model import cost_of, work_with_calls
from .placement import called_from

LEAST = 0.5  # microseconds that NumPy takes for a function that tests its arguments
TEST = 1.0  # microseconds of them for each argument: a test takes about 0.1
MOST_TESTED = 4  # arguments
NOT_ARRAYS = ("scalar:bool", "scalar:int", "string", "none", "list", "dict", "tuple", "object", "function")


def clones_of(modules: Iterable[ModuleSummary]) -> dict[str, str]:
    """The compiled copies of functions, and these functions."""
    return {clone: name for module in modules for clone, name in module.clones}


def before_cloning(
    units: Mapping[str, UnitSummary],
    plans: Mapping[str, FunctionPlan],
    facts: Facts,
    traceable: Collection[str],
    slower: Collection[str],
    unpaid: Collection[str],
    imports_jax: Collection[str],
) -> dict[str, FunctionPlan]:
    """The plans of the functions of which a compiled version beside the NumPy one may pay, and of those that would call it. JAX can
    trace the former, and NumPy runs them faster, or something calls them as only NumPy functions can be called.

    `traceable`: the functions that JAX can trace, if everything is converted that may be; `slower`: those that jit makes slower;
    `unpaid`: those of them that are slower whatever they get; `imports_jax`: the modules for which JAX is imported anyway, and whose
    functions code outside of the project calls.
    """
    possible = {name for name in traceable if is_plain(units[name]) and (not plans[name].jit or name in slower)}
    work = work_with_calls({name: units[name] for name in traceable})
    tested = {
        name: chosen_by(units[name], ())
        for name in possible
        if name in facts.outside and units[name].module in imports_jax and name not in unpaid
    }
    paying = {name for name in tested if may_choose(tested[name], work[name])}
    compiled = {name for name, plan in plans.items() if plan.jit}
    called = called_from(units, compiled | paying)
    host = [unit.call_graph for name, unit in units.items() if name not in compiled | called]
    used = facts.outside.union(*(graph.escapes for graph in host), *({call.callee for call in graph.calls} for graph in host))
    cloned = paying | (possible & called & used)
    calling = {name for name in (compiled | called) - cloned if name in plans and not plans[name].refused}
    made = {name: VersionsPlan(may_clone=name in cloned, calls_clones=name in calling) for name in cloned | calling}
    return {name: replace(plans[name], versions=versions) for name, versions in made.items()}


def libraries_with_jax(
    modules: Iterable[ModuleSummary], plans: Mapping[str, FunctionPlan], together: Mapping[str, str]
) -> frozenset[str]:
    """The modules that are not scripts, of which something is compiled, or of modules that they import, directly or not.

    `together`: see `connected`."""
    modules = list(modules)
    compiled = {together[module.name] for module in modules if any(plans[unit.name].jit for unit in module.units)}
    return frozenset(m.name for m in modules if together[m.name] in compiled and not m.text.script)


def is_plain(unit: UnitSummary) -> bool:
    """Whether both versions of a function would have the same parameters and results: it neither draws nor changes its arguments."""
    draws = unit.streams.state.draws or unit.streams.state.seeds or unit.streams.params
    kept = unit.cls or unit.special or unit.signature.decorated
    return unit.host.arrays and not (kept or draws or unit.effects.touches or unit.effects.mutates)


def chosen_by(unit: UnitSummary, static: Collection[str]) -> tuple[str, ...]:
    """The parameters that may be arrays of JAX."""
    kinds = dict(unit.signature.kinds)
    return tuple(p for p in unit.params if p not in static and not kinds.get(p, "").startswith(NOT_ARRAYS))


def may_choose(tested: Collection[str], work: Work) -> bool:
    """Whether a function can test these arguments in little time beside its work."""
    return 0 < len(tested) <= MOST_TESTED and cost_of(work, 0).numpy >= LEAST + TEST * len(tested)


def chosen_from_outside(
    units: Mapping[str, UnitSummary], plans: Mapping[str, FunctionPlan], clones: Mapping[str, str], outside: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """The compiled clones that code outside of the project reaches through their functions, with the parameters that these test."""
    work = work_with_calls({name: unit for name, unit in units.items() if plans[name].jit})
    tested = {
        clone: chosen_by(units[clone], plans[clone].static_args)
        for clone, name in clones.items()
        if plans[clone].jit and name in outside
    }
    return {clone: chosen for clone, chosen in tested.items() if may_choose(chosen, work[clone])}


def with_versions(
    units: Mapping[str, UnitSummary],
    plans: Mapping[str, FunctionPlan],
    clones: Mapping[str, str],
    outside: Collection[str],
    lists: Collection[tuple[str, str]],
) -> dict[str, FunctionPlan]:
    """The plans of the functions that have a compiled version beside them, and that code outside of the project may call.

    `lists`: functions with the parameters for which the project passes lists."""
    found = {}
    for clone, chosen in chosen_from_outside(units, plans, clones, outside).items():
        plan = plans[clones[clone]]
        if plan.refused:
            shell = plans[clone].inputs.shell
            accepted = tuple(p for p in plan.params if p in shell.lists or (p in chosen and (plan.name, p) in lists))
            shell = shell._replace(lists=accepted)
            versions = VersionsPlan(clone=clone.rpartition(".")[2], chosen_by=chosen, shell=shell)
            found[plan.name] = replace(plan, versions=versions)
    return found


__all__ = ["before_cloning", "chosen_from_outside", "clones_of", "with_versions"]
