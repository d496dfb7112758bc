"""Which functions of the project a unit may call through a function value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from ...rules.core.findings import Kind
from ...rules.core.refusals import PLACED
from ...rules.facts.values import NOTHING
from ..analysis.state.call_signatures import CallShape
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary
from .settings import Refusal

BINDERS = frozenset("MethodType curry partial partialmethod".split())  # what binds arguments of a function ahead of its call


def called_as(
    units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary]
) -> Callable[[frozenset[CallShape], UnitSummary], bool]:
    """A predicate: whether calls of unknown functions may call one that is used as a value. One must fit its parameters."""
    modules = tuple(modules)
    binders = any(name.rpartition(".")[2] in BINDERS for m in modules for name, _count in m.text.mentioned)
    held = [value for m in modules for _class, found in m.class_values for _name, value in found]
    hung = any(value.kind in (Kind.FUNCTION, Kind.UNKNOWN) for value in held)  # in a class it is a method and receives `self`
    hung = hung or any(
        value.kind is Kind.FUNCTION or (value.kind is Kind.UNKNOWN and store.endswith(".*"))
        for unit in units.values()
        for store, value in unit.attributes.stored
    )

    def may_call(shapes: frozenset[CallShape], function: UnitSummary) -> bool:
        bound = (0, 1) if hung or function.cls else (0,)
        short = 0 if binders or function.signature.registered else function.signature.required
        return any(fits(shape, function, more, short) for shape in shapes for more in bound)

    return may_call


def of_converted(
    units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary], converted: Collection[str], together: Mapping[str, str]
) -> dict[str, frozenset[CallShape]]:
    """For each module that converted functions may reach as values, how it calls unknown functions that may be one of them.
    `together`: see `connected`."""
    modules = tuple(modules)
    may_call = called_as(units, modules)
    escaped = frozenset[str]().union(*(u.call_graph.escapes for u in units.values()))
    used = [u for u in units.values() if u.name in converted and (u.name in escaped or u.signature.registered)]
    found = {}
    for module in modules:
        near = [u for u in used if together[u.module] == together[module.name]]
        if not near:
            continue
        shapes = frozenset[CallShape]().union(*(u.call_graph.unknown_calls for u in module.units))
        found[module.name] = frozenset(shape for shape in shapes if any(may_call(frozenset({shape}), u) for u in near))
    return found


def opaque(
    units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary], facts: Facts, together: Mapping[str, str]
) -> dict[str, Refusal]:
    """The functions that are used as values and that something may call with objects, lists or text, which jit does not take."""
    modules = tuple(modules)
    may_call = called_as(units, modules)
    holding = {
        name
        for fact in facts.classes.values()
        for name, value in fact.attrs.items()
        if value.kind in (Kind.FUNCTION, Kind.UNKNOWN)
    }
    shapes: dict[str, set[CallShape]] = defaultdict(set)
    for unit in units.values():
        shapes[together[unit.module]] |= {shape for name, shape in unit.call_graph.opaque_calls if not name or name in holding}
    given = NOTHING.union(*(u.call_graph.given_away for u in units.values()))
    used = given.union(*(u.call_graph.escapes for u in units.values()))
    return {
        name: (PLACED, "not compiled: it is used as a value, and may be called with other arguments than arrays and numbers")
        for name, unit in units.items()
        if unit.host.arrays and not unit.host.jax_used and not unit.cls
        if name in given or (name in used and may_call(frozenset(shapes[together[unit.module]]), unit))
    }


def fits(shape: CallShape, function: UnitSummary, more: int, required: int) -> bool:
    """Whether a call of this shape fits the parameters of a function, with `more` arguments before the written ones."""
    given = shape.positional + more + len(shape.keywords)
    if shape.open:
        return True
    return given >= required and (
        function.signature.vararg or (given <= len(function.params) and shape.keywords <= {*function.params})
    )
