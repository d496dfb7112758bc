"""What callers pass to the parameters of functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from ...rules.core.dtypes import category
from ...rules.core.findings import Kind
from ...rules.facts.values import BIG, NOTHING, OBJECTS, PYTHON, STRINGS, SUBCLASS, WIDE, Value, parameter_of, replace
from ..analysis.state.lattice import join, join_all
from ..summaries.units import UnitSummary
from .memo import Memo
from .reachability import reachable

Arguments = tuple[tuple[str, Value], ...]  # of one call, by parameter
JoinedArguments = Memo[tuple[Arguments, ...], dict[str, Value]]  # by function


def parameters_from_callers(
    units: Mapping[str, UnitSummary], joined: JoinedArguments | None = None
) -> dict[str, dict[str, Value]]:
    """The join of the arguments of all known calls, by function and parameter. Functions that escape are left out.
    `joined`: a memo of earlier links."""
    joined = joined or Memo(joined_arguments)
    given: dict[str, list[Arguments]] = defaultdict(list)
    unsure: set[str] = set()
    for unit in units.values():
        unsure |= unit.call_graph.escapes
        for call in unit.call_graph.calls:
            if call.args:
                given[call.callee].append(call.args)
    unsure |= {name for name, calls in given.items() if any(p == "*" for args in calls for p, _v in args)}
    return {name: joined(name, tuple(calls)) for name, calls in given.items() if name not in unsure}


def joined_arguments(calls: tuple[Arguments, ...]) -> dict[str, Value]:
    """The join of the arguments of some calls of one function, by parameter."""
    found: dict[str, Value] = {}
    for args in calls:
        for parameter, value in args:
            given, before = as_parameter(value), found.get(parameter)
            both = given if before is None else join(before, given)
            some = {before.name, given.name} if before is not None else NOTHING  # in some of the calls
            kept = next(
                (name for name in (STRINGS, PYTHON) if name in some and (name == STRINGS or both.kind is Kind.SCALAR)), ""
            )
            found[parameter] = replace(both, name=kept) if kept else both
    return found


def as_parameter(value: Value) -> Value:
    """What a function knows about an argument, without its aliases."""
    if value.kind in (Kind.FUNCTION, Kind.CLASS, Kind.MODULE, Kind.OBJECT):
        return Value(value.kind, name=value.name)
    given = Value(value.kind, value.dtype, value.rank, origin=value.origin)
    if value.kind is Kind.DICT and value.elements:
        given = replace(given, elements=(join_all(map(bare, value.elements)),))
    if value.kind in (Kind.LIST, Kind.TUPLE, Kind.DICT) and holds_text(value):
        return replace(given, name=STRINGS)
    named = value.kind in (Kind.LIST, Kind.DICT) or value.name in (
        BIG,
        OBJECTS,
        PYTHON,
        SUBCLASS,
        WIDE,
    )  # lists and dicts of generators
    return replace(given, name=value.name) if named else given


def holds_text(value: Value) -> bool:
    """Whether a list, a tuple or a dict contains text, at any depth."""
    return value.name == STRINGS or any(e.kind is Kind.STRING or holds_text(e) for e in value.elements or ())


def is_list(value: Value) -> bool:
    return value.kind in (Kind.LIST, Kind.TUPLE) or value.name == "range"


def arrays_of(unit: UnitSummary) -> tuple[str, ...]:
    """The parameters that are arrays, by their use or documentation."""
    return tuple(name for name, kind in unit.signature.kinds if kind.startswith("array"))


def bare(value: Value) -> Value:
    """The kind, dtype and rank of a value, without its aliases."""
    return Value(value.kind, value.dtype, value.rank)


def lists_from_callers(units: Mapping[str, UnitSummary], documented: bool) -> set[tuple[str, str]]:
    """The (function, parameter) pairs that may get a list or a tuple: the documentation says so, a call passes one (perhaps in an
    example of a docstring), or a caller passes on its own parameter that may be one."""
    found = {
        (unit.name, p) for unit in units.values() for p in (unit.signature.lists if documented else unit.signature.list_arguments)
    }
    passed: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for unit in units.values():
        for call in unit.call_graph.calls:
            for parameter, value in call.args:
                if is_list(value):
                    found.add((call.callee, parameter))
                elif value.holds and (value.kind is Kind.UNKNOWN or not documented):
                    passed[unit.name, value.holds].append((call.callee, parameter))
    return reachable(found, passed)


def accepting_lists(units: Mapping[str, UnitSummary]) -> dict[tuple[str, str], int]:
    """The (function, parameter) pairs for which the function, and all functions to which it passes the argument, accept lists. The
    values: the depth of nested lists that they accept, 0 where any will do."""
    found = {(unit.name, p): depth for unit in units.values() for p, depth in unit.signature.list_depths}
    found |= {(unit.name, p): 0 for unit in units.values() for p in unit.signature.array_likes}
    givers: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for unit in units.values():
        for call in unit.call_graph.calls:
            for parameter, value in call.args:
                own = unit.name, value.holds
                if own in found and not value.device:
                    givers[call.callee, parameter].append(own)
    work = list(givers)
    while work:
        taken = work.pop()
        depth = found.get(taken)
        for giver in (g for g in givers.get(taken, ()) if g in found):
            if depth is None or (depth and found[giver] not in (0, depth)):
                del found[giver]
            elif depth and not found[giver]:
                found[giver] = depth
            else:
                continue
            work.append(giver)
    return found


def given_lists_of_lists(units: Mapping[str, UnitSummary], accepting: Mapping[tuple[str, str], int]) -> set[tuple[str, str]]:
    """The (function, parameter) pairs that get a list some of whose items are lists where the function takes it item by item, as the
    documentation says that it is an array. `x[i] * 2` repeats such an item, and the lists may have different lengths."""
    found = set[tuple[str, str]]()
    while True:
        new = {
            (call.callee, parameter)
            for name, unit in units.items()
            for call in unit.call_graph.calls
            for parameter, value in call.args
            if (value.nested and (is_list(value) or value.listed)) or (name, value.holds) in found
            if (callee := units.get(call.callee)) is not None
            if accepting.get((call.callee, parameter)) == 1 and parameter in arrays_of(callee)
        } - found
        if not new:
            return found
        found |= new


def lists_from_host(
    units: Mapping[str, UnitSummary], accepting: Collection[tuple[str, str]], outside: Collection[str], compiled: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """For each compiled function, the parameters to which functions on the host pass lists, or arguments of theirs that may be lists.

    What else these functions do with the argument does not matter: they keep the list, and only the compiled function gets an array.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for name in units.keys() - {*compiled}:
        for call in units[name].call_graph.calls:
            if call.callee in compiled:
                lists = {p for p, v in call.args if is_list(v) and p in arrays_of(units[call.callee])}
                found[call.callee] |= {p for p in lists if (call.callee, p) in accepting}
    listed = {(name, p) for name in outside if name in units for p in units[name].signature.untyped}
    work = sorted({name for name, _p in listed} - {*compiled})
    while work:
        name = work.pop()
        for call in units[name].call_graph.calls:
            passed = {p for p, v in call.args if (name, parameter_of(v)) in listed}
            if call.callee in compiled:
                if call.callee not in outside:
                    found[call.callee] |= {p for p in passed if (call.callee, p) in accepting}
            elif new := {(call.callee, p) for p in passed & units[call.callee].signature.untyped} - listed:
                listed |= new
                work.append(call.callee)
    return {name: tuple(p for p in units[name].params if p in parameters) for name, parameters in found.items() if parameters}


def lists_when_traced(units: Mapping[str, UnitSummary], traceable: Iterable[str]) -> set[tuple[str, str]]:
    """The (function, parameter) pairs that compiled code may pass a list of traced values, of which NumPy makes no array."""
    return {
        (call.callee, parameter)
        for name in traceable
        for call in units[name].call_graph.calls
        for parameter, value in call.args
        if value.kind in (Kind.LIST, Kind.TUPLE) or value.listed
    }


def dtypes_from_callers(units: Mapping[str, UnitSummary]) -> dict[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """For each function, its array parameters with the dtypes that calls pass; "" stands for an unknown dtype."""
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
