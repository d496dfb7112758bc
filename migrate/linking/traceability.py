"""Which units JAX can trace, and what prevents it for the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, Value
from ..summaries.units import MODULE, UnitSummary
from .settings import Settings

CALLS = ", which jit cannot trace"  # the end of the reason where a callee is the reason


def may_be_jitted(unit: UnitSummary, settings: Settings) -> bool:
    """Whether a unit may get `jit`: a function at module level, or a static method, that computes with arrays or branches on scalars.

    Functions already written for JAX are left alone: their authors knew where jit belongs.
    """
    takes_object = unit.cls and unit.signature.receiver
    outside = takes_object or unit.special or unit.host.jax_used or unit.name.endswith(MODULE) or unit.name in settings.unjitted
    return (unit.host.arrays or bool(unit.tracing.branching)) and not outside


def _leaf(value: Value, static: frozenset[str]) -> bool:
    """Whether jit may return the value without turning a Python value into an array."""
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
    """The units that jit can trace, with the parameters that must be static. Such a unit is pure, its control flow does not
    depend on traced values, and its callees can be traced with its arguments. The parameters include the tokens of the loops that
    are unrolled; under jit all other loops are compiled, and so are branches.

    The second result says why each other unit cannot be traced: a reason in words, or the values that Python needs.
    """
    asked = {
        name: unit.tracing.static | (unit.tracing.branching if name in python_results else NOTHING)
        for name, unit in units.items()
    }
    objects, hashable = object_arguments(units)
    for name, parameter in hashable:
        asked[name] |= {parameter}
    hindered: dict[str, tuple[str, frozenset[str]]] = {}
    for name, unit in units.items():
        if (
            name in refused
            or name.endswith(MODULE)
            or not (may_be_jitted(unit, settings) or not (unit.tracing.trip_counts or unit.tracing.branching))
        ):
            hindered[name] = ("", NOTHING)
        elif name in objects:
            hindered[name] = (f"`{objects[name]}` is an object, which jit cannot trace", NOTHING)
        elif why := hindrance(unit, variables, rebound, asked[name], name in python_results):
            hindered[name] = (why, NOTHING)
    static = {
        name: asked[name] | {iterations.token for iterations in unit.tracing.trip_counts if iterations.why}
        for name, unit in units.items()
        if name not in hindered
    }
    arrays = array_arguments(units, refused)
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
                    whom = "itself" if call.callee == name else f"`{short}`{CALLS}"
                    bad[name] = (f"it calls {whom}", NOTHING)
                    break
                if units[call.callee].tracing.guarded:
                    bad[name] = (f"only NumPy can test what `{short}` assumes", NOTHING)
                    break
                for parameter, value in call.args:
                    if parameter in static[call.callee]:
                        if value.traced:
                            bad.setdefault(name, (f"Python needs the `{parameter}` that it passes to `{short}`", NOTHING))
                        static[name] |= value.deps
        for name in bad:
            del static[name]
        hindered |= bad
        if not bad and static == before and all(_resolved(units[name], static) for name in static):
            return static, hindered


def hindrance(
    unit: UnitSummary, variables: Mapping[str, Value], rebound: frozenset[str], static: frozenset[str], python_result: bool
) -> str:
    """Why jit cannot trace a unit, judged by the unit alone; "" if nothing prevents it."""
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


def array_arguments(units: Mapping[str, UnitSummary], refused: Collection[str]) -> set[tuple[str, str]]:
    """The (function, parameter) pairs that get an array or a result of JAX: these are not hashable, as static arguments must
    be."""
    return {
        (call.callee, parameter)
        for unit in units.values()
        for call in unit.call_graph.calls
        for parameter, value in call.args
        if value.kind is Kind.ARRAY or (value.device and unit.name not in refused)
    }


def object_arguments(units: Mapping[str, UnitSummary]) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """For each function a parameter that gets an object; and the (function, parameter) pairs that get functions, classes, modules
    or text."""
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
        if not (value.name.startswith("numpy.random.") and parameter in unit.streams.params)  # it becomes a key
    }
    named = (Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.STRING)
    return objects, {(unit.name, p) for unit, p, value in given if value.kind in named and p in unit.params}


def with_bounds(unit: UnitSummary, static: frozenset[str]) -> frozenset[str]:
    """The static parameters, extended by what the trip counts of unrolled loops depend on; "[]" marks a loop that cannot be
    unrolled."""
    iterations = {t.token: t for t in unit.tracing.trip_counts}
    found, work = set(static), [iterations[p] for p in static if p in iterations]
    while work:
        unrolled = work.pop()
        if unrolled.traced or not unrolled.unrollable:
            found.add(f"{unrolled.token}[]")
        for dependence in unrolled.deps - found:
            found.add(dependence)
            work += [iterations[dependence]] if dependence in iterations else []
    return frozenset(found)


def _may_change(value: Value | None) -> bool:
    """Whether a module variable is an object, whose state may change although the name is not rebound."""
    return value is not None and value.kind in (Kind.OBJECT, Kind.UNKNOWN) and not value.name.startswith("numpy.")


def _resolved(unit: UnitSummary, static: Mapping[str, frozenset[str]]) -> bool:
    return all(
        value.deps <= static[unit.name]
        for call in unit.call_graph.calls
        if call.callee in static
        for p, value in call.args
        if p in static[call.callee]
    )


def _is_data(unit: UnitSummary, parameter: str) -> bool:
    """Whether a parameter that would have to be static certainly cannot be: it is an array, or not hashable."""
    kind = dict(unit.signature.kinds).get(parameter, "")
    if kind.startswith("scalar") and parameter in unit.signature.sequence_uses:  # `weights=False`, or a list of them
        return True
    return parameter.endswith("[]") or kind.startswith(("array", "list", "dict", "object"))
