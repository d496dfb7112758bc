"""Which units are compiled, and which stay NumPy though they could be converted.

A unit is *compiled*, on the *host* as NumPy and Python, as it was, or, where compiled code calls it, converted without `jit`. An
operation that Python dispatches to JAX takes tens of microseconds, and one of NumPy about one: so nothing else is converted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from ...rules.core.findings import Kind
from ...rules.core.refusals import PLACED
from ...rules.facts.function_plan import DonationPlan, FunctionPlan
from ...rules.facts.values import NOTHING, Value, replace
from ...rules.facts.work import Work
from ..analysis.interp.super_calls import above
from ..analysis.loops.loop_analysis import is_token
from ..analysis.state.call_facts import CallFact
from ..analysis.state.lattice import whole
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary, written_name
from .cost_model import cost_of, does_little, is_of_numbers, loses, makes_little, repeated_calls, work_with_calls
from .outside_callers import is_private
from .settings import Refusal, Settings
from .traceability import may_be_jitted, traceable_units

WITHOUT_ARRAYS = "it computes nothing with arrays"  # Python is as fast, and its integers are of any size
IN_32_BITS = (
    "not compiled: its program runs JAX in 32 bits; "
    'to convert it, write jax.config.update("jax_enable_x64", True) there, or use --precision float32'
)
TEST = "not compiled: it is a test, which compares what NumPy computes"
LITTLE = "it does little, which takes NumPy less time than to call compiled code"
ACCEPTS_LISTS = "it is a static method that accepts lists: annotate the parameters that are arrays (`x: np.ndarray`)"
FOR_EACH_VALUE = "jit would compile it for each value"
FOR_EACH_SIZE = "it makes arrays of given sizes and no more, and jit would compile it for each of them"


def on_host(modules: Iterable[ModuleSummary], facts: Facts) -> dict[str, Refusal]:
    """Why units stay NumPy that could be converted: neither are they compiled, nor does compiled code call them."""
    units = {u.name: u for m in modules for u in m.units}
    plans = facts.plans
    called = called_from(units, {name for name, plan in plans.items() if plan.jit})
    return {
        name: (PLACED, f"not compiled: {why_not(unit, plans[name])}")
        for name, unit in units.items()
        if not (plans[name].refused or plans[name].jit or unit.host.jax_used or name in called)
    }


def why_not(unit: UnitSummary, plan: FunctionPlan) -> str:
    """Why a unit is not compiled that could be converted."""
    if plan.eager:
        return plan.eager
    if plan.asked:
        asked = {whole(name) for name in plan.asked}
        names = sorted(name for name in asked if not is_token(name))
        if names:
            return f"Python needs the values of {', '.join(f'`{name}`' for name in names)}"
        causes = [loop.why for loop in unit.tracing.trip_counts if loop.token in asked and loop.why]
        return f"a loop stays in Python: {causes[0]}" if causes else "Python needs a trip count"
    if unit.cls and unit.host.arrays:
        small = cost_of(unit.work, len(unit.params))
        if small.numpy < small.compiled:
            return LITTLE
        return "it is a method, and jit does not trace objects" if unit.signature.receiver else ACCEPTS_LISTS
    if unit.special:
        return unit.special
    return WITHOUT_ARRAYS if not unit.host.arrays else "jit is switched off for it"


def called_from(units: Mapping[str, UnitSummary], compiled: Iterable[str]) -> frozenset[str]:
    """The units that compiled code may call, by name or as a value. JAX code of the project may be compiled if it has a decorator or
    is used as a value."""
    used = NOTHING.union(*(unit.call_graph.escapes for unit in units.values()))
    work = [*compiled, *(n for n, u in units.items() if u.host.jax_used and (u.signature.registered or n in used))]
    found = set[str]()
    while work:
        unit = units[work.pop()]
        new = ((unit.call_graph.callees | unit.call_graph.escapes) & units.keys()) - found
        found |= new
        work += new
    return frozenset(found)


def in_32_bits(
    units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary], together: Mapping[str, str]
) -> dict[str, Refusal]:
    """The units that stay NumPy because their program runs JAX code of its own with 32 bits, as JAX does unless it is told otherwise.

    With 64 bits for what is converted, that code would compute with other numbers; with 32 bits, what is converted would. A program
    is a package, or the files that import each other. `together`: see `connected`.
    """

    def belongs_to(module: str) -> tuple[str, str]:
        return together[module], f"{module.partition('.')[0]}."

    def programs(found: Iterable[ModuleSummary]) -> set[str]:
        return {part for m in found for part in belongs_to(m.name)}

    modules = tuple(modules)
    with_jax = programs(m for m in modules if not m.text.tests and any(u.host.jax_used for u in m.units))
    narrow = with_jax - programs(m for m in modules if not m.text.tests and m.text.sets_precision)
    return {
        name: (PLACED, IN_32_BITS)
        for name, unit in units.items()
        if unit.host.arrays and not unit.host.jax_used
        if not narrow.isdisjoint(belongs_to(unit.module))
    }


def of_test_cases(units: Mapping[str, UnitSummary], facts: Facts) -> dict[str, Refusal]:
    """The methods of test cases outside of test files. Rounding may differ where they compare numbers for equality, and their loops
    run once."""
    return {name: (PLACED, TEST) for name, unit in units.items() if unit.cls and is_test_case(unit.cls, facts)}


def is_test_case(cls: str, facts: Facts) -> bool:
    """Whether a class is derived from a `TestCase`, such as unittest's."""
    return any(name.rpartition(".")[2].endswith("TestCase") for name in (cls, *above(facts, cls)))


def may_take_arrays(work: Work) -> bool:
    """Whether operations of a unit may be on arrays, as those with the items of a parameter over which it iterates."""
    return bool(work.arrays or work.looped_arrays)


def compilable(
    units: Mapping[str, UnitSummary],
    variables: Mapping[str, Value],
    rebound: frozenset[str],
    settings: Settings,
    python_results: frozenset[str],
) -> Collection[str]:
    """The units that may become JAX: all of them, or, where only compiled code does, those that jit may compile and what they call.

    Code on the host gets NumPy arrays, which it may change and keep: no unit on the host must be refused for the sake of arrays that
    it exchanges with others.
    """
    if not settings.fast:
        return units.keys()
    blocked = {name for name, unit in units.items() if unit.block is not None} | settings.kept.keys()
    traceable, _hindered = traceable_units(units, blocked, variables, rebound, settings, python_results)
    compiled = {name for name in traceable if may_be_jitted(units[name], settings)}
    return compiled | called_from(units, compiled)


def slower_compiled(
    units: Mapping[str, UnitSummary], plans: Mapping[str, FunctionPlan], measured: Mapping[str, str], clones: Collection[str]
) -> dict[str, str]:
    """Why calls of functions from Python are slower if these are compiled, as estimated or `measured`. Python does not call the
    `clones` of functions."""
    repeated = repeated_calls(units)
    compiled = {name for name, plan in plans.items() if plan.jit and name not in clones}
    work = work_with_calls({name: unit for name, unit in units.items() if plans[name].traceable})
    slower = {name: WITHOUT_ARRAYS for name in compiled if not (units[name].host.arrays or may_take_arrays(units[name].work))}
    slower |= {name: why for name in compiled if (why := loses(work[name], len(units[name].params), name in repeated))}
    slower |= calling_masked(units, compiled, slower)
    slower |= {name: FOR_EACH_SIZE for name in compiled if sized_only(units[name], plans[name]) and makes_little(work[name])}
    slower |= recompiled(units, plans, compiled, repeated)
    while again := recompiled(units, plans, compiled, repeated, slower):
        slower |= again
    slower |= {name: why for name, why in compiled_for_each_value(units, plans, compiled).items() if name not in slower}
    slower |= {name: measured[written_name(name)] for name in compiled if written_name(name) in measured}
    return slower | calling_faster(units, work, compiled, slower)


def sized_only(unit: UnitSummary, plan: FunctionPlan) -> bool:
    """Whether jit compiles a unit again for each of its inputs, as it gets sizes only."""
    return bool(unit.params) and frozenset(plan.static_args) >= frozenset(unit.params)


def not_worth_it(
    units: Mapping[str, UnitSummary], plans: Mapping[str, FunctionPlan], slower: Mapping[str, str]
) -> dict[str, FunctionPlan]:
    """The plans of the functions that are not compiled after all, because that would make them slower.

    A function that compiled code calls is compiled with it, whatever a call from Python costs.
    """
    compiled = {name for name, plan in plans.items() if plan.jit}
    while dropped := (slower.keys() & compiled) - called_from(units, compiled):
        compiled -= dropped
    return {
        name: replace(plans[name], jit=False, eager=why, donation=DonationPlan())
        for name, why in slower.items()
        if name not in compiled
    }


def calling_faster(
    units: Mapping[str, UnitSummary], work: Mapping[str, Work], compiled: Collection[str], slower: Mapping[str, str]
) -> dict[str, str]:
    """The compiled functions that do little, and that call one which others may call and which computes a few numbers: compiled for
    them, it would be slower for the others, whatever these pass."""
    found: dict[str, str] = {}
    small = [name for name in compiled if name not in slower and does_little(work[name], len(units[name].params))]
    while True:
        numbers = {name for name in slower if is_of_numbers(work[name])}
        faster = {name for name in (*numbers, *found) if not is_private(name.rpartition(".")[2])}
        new = {
            name: f"it does little, and calls `{min(called).rpartition('.')[2]}`, which is faster in NumPy"
            for name in small
            if name not in found and (called := units[name].call_graph.callees & faster)
        }
        if not new:
            return found
        found |= new


def recompiled(
    units: Mapping[str, UnitSummary],
    plans: Mapping[str, FunctionPlan],
    compiled: Collection[str],
    repeated: Collection[str],
    slower: Collection[str] = (),
) -> dict[str, str]:
    """The compiled functions that Python calls again and again, with another static argument or an array of another shape each time.

    Those that are `slower` count as Python, and are left out of the result. What they call, their loops for example, may be worth
    compiling for a few values.
    """

    def given(caller: str) -> Iterator[CallFact]:
        return iter(units[caller].call_graph.calls if caller in units and (caller not in compiled or caller in slower) else ())

    def arguments(call: CallFact, parameters: frozenset[str], arrays: bool = False) -> frozenset[str]:
        if not arrays:  # a number that is an item of an argument has another value where the argument has
            return frozenset(p for p, v in call.args if not parameters.isdisjoint(map(whole, v.deps)))
        depends = ((p, v) for p, v in call.args if not v.deps.isdisjoint(parameters))
        return frozenset(p for p, v in depends if v.kind is not Kind.SCALAR and v.rank != 0)

    def reached(found: Iterable[tuple[str, frozenset[str]]], arrays: bool) -> Mapping[str, set[str]]:
        """The parameters of functions, those that callers pass on too."""
        differing: dict[str, set[str]] = defaultdict(set)
        work = [*found]
        while work:
            name, parameters = work.pop()
            new = parameters - differing[name]
            differing[name] |= new
            if new:
                work += ((call.callee, arguments(call, new, arrays)) for call in given(name))
        return differing

    calls = [call for name in units for call in given(name)]
    many = reached(((call.callee, call.varying) for call in calls if call.counted), arrays=False)
    values = many if slower else reached(((call.callee, call.varying) for call in calls), arrays=False)
    sized = (
        (call.callee, frozenset(parameter for parameter, deps in call.sized if not deps.isdisjoint(many[name])))
        for name in [*many]
        for call in given(name)
    )
    resized = ((call.callee, call.resized) for name in units for call in given(name) if call.looped or name in repeated)
    shapes = reached([*sized, *resized], arrays=True)
    why = {name: f"another `{min(found)}` each time" for name in compiled if (found := values[name] & {*plans[name].static_args})}
    why |= {
        name: f"a `{min(found)}` of another shape each time" for name in compiled if name not in why and (found := shapes[name])
    }
    return {
        name: f"Python calls it in a loop with {each}, for which jit would compile it again"
        for name, each in why.items()
        if name not in slower
    }


def compiled_for_each_value(
    units: Mapping[str, UnitSummary], plans: Mapping[str, FunctionPlan], compiled: Collection[str]
) -> dict[str, str]:
    """The compiled functions with a static argument that may be any number, because they or what they call compare it by order."""
    measured = {name: unit.tracing.measured for name, unit in units.items()}
    changed = True
    while changed:
        before = dict(measured)
        for name, unit in units.items():
            given = (v.deps for c in unit.call_graph.calls for p, v in c.args if p in measured.get(c.callee, NOTHING))
            measured[name] = before[name].union(*given)
        changed = measured != before
    return {
        name: f"{FOR_EACH_VALUE} of `{min(found)}`, which it compares"
        for name in compiled
        if (found := measured[name].intersection(plans[name].static_args))
    }


def calling_masked(units: Mapping[str, UnitSummary], compiled: Collection[str], slower: Mapping[str, str]) -> dict[str, str]:
    """The compiled functions that call one whose masks would make it slower by more than a constant, directly or not."""
    found: dict[str, str] = {}
    while True:
        bad = {name for name in compiled if units[name].work.masked} | found.keys()
        new = {
            name: f"it calls `{min(called).rpartition('.')[2]}`: {(found | dict(slower))[min(called)]}"
            for name in compiled
            if name not in bad and (called := units[name].call_graph.callees & bad)
        }
        if not new:
            return found
        found |= new
