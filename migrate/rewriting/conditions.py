"""The conditions under which the functions of a file equal NumPy, and the functions that they call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import libcst as cst

from ...rules.assumptions import recorded_calls
from ...rules.context import Context
from ...rules.core.assumptions import Check, all_kinds
from ...rules.core.condition import Condition
from ...rules.core.diagnostic import Diagnostic
from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.inference import recorded_types
from ..context.unit_context import UnitContext
from ..summaries.units import MODULE
from ..syntax.locations import Position
from ..syntax.source import walk

ByUnit = Mapping[str, tuple[Condition, ...]]
CALLED = "called"  # not a kind: the words name the converted function that is called


class Found(NamedTuple):
    """A condition of a unit with its node."""

    unit: str
    kind: str
    node: cst.CSTNode
    words: str


def found_in(nodes: list[cst.CSTNode], context: UnitContext) -> Iterator[Found]:
    """The conditions of one unit; none if it stays NumPy, or was JAX before."""
    if context.plan.refused or context.plan.jax:
        return
    yield from _of_recorded_calls(context)
    yield from _of_known_calls(context)
    checks = by_type()
    types = _types(context)
    for node in nodes:
        if node in types:
            continue
        if isinstance(node, cst.Call):
            callee = context.calls.callee(node)
            if callee is not None and not callee.refused:
                yield Found(context.analysed.unit.name, CALLED, node, callee.name)
        for name, check in checks.get(type(node), ()):
            for assumption in check(node, context):
                yield Found(context.analysed.unit.name, name, assumption.node, assumption.words)


def _of_recorded_calls(context: UnitContext) -> Iterator[Found]:
    """What other calls must have in common with the recorded ones, from which the types of parameters are known."""
    definition, analysed = context.unit.definition, context.analysed
    if definition is not None:
        name = analysed.unit.name.removeprefix(f"{analysed.module.source.name}.")
        found = recorded_types.recorded(definition, name, analysed.module.source.path, analysed.facts)
        for param, kind in found.items():
            yield Found(analysed.unit.name, recorded_calls.kind.name, definition, recorded_types.words(param, kind))


def _of_known_calls(context: UnitContext) -> Iterator[Found]:
    """What calls from outside of the project must have in common with those in it, from which the ranks of parameters are known. Those of a
    script, which calls its functions itself, are all known."""
    definition, module, facts = context.unit.definition, context.analysed.module, context.analysed.facts
    name = context.analysed.unit.name
    script = module.summaries.get(f"{module.source.name}.{MODULE}")
    if definition is None or (script is not None and script.call_graph.calls):
        return
    owner = module.units.get(module.derived.owners.get(name, name), context.analysed.unit)
    for called in (owner.name, f"{owner.cls}.__init__" if owner.cls else ""):
        alone = module.known.local_evidence.get(called, {})
        for param, value in facts.params.get(called, {}).items() if called in facts.outside else ():
            if value.kind is Kind.ARRAY and value.rank > 0 and alone.get(param, UNKNOWN).rank < 0:
                yield Found(name, recorded_calls.kind.name, definition, recorded_types.known_words(param, value.rank))


@cache
def by_type() -> dict[type[cst.CSTNode], list[tuple[str, Check]]]:
    """The checks of all kinds by node type."""
    found: dict[type[cst.CSTNode], list[tuple[str, Check]]] = defaultdict(list)
    for kind in all_kinds().values():
        for node_type, checks in kind.checks.items():
            found[node_type] += [(kind.name, check) for check in checks]
    return found


def _types(context: Context) -> frozenset[cst.CSTNode]:
    """The nodes of annotations, which do not run."""
    definition = context.unit.definition
    if definition is None:
        return frozenset()
    annotations = [node for node, _parent in walk(definition) if type(node) is cst.Annotation]
    return frozenset(node for each in annotations for node, _parent in walk(each))


def placed(found: list[Found], where: Mapping[cst.CSTNode, Position]) -> tuple[ByUnit, ByUnit]:
    """The conditions by unit, each once, with its first place; and the calls of converted functions, by name."""
    assumed: dict[str, list[Condition]] = defaultdict(list)
    called: dict[str, list[Condition]] = defaultdict(list)
    for each in found:
        line, column = where[each.node][:2] if each.node in where else (1, 0)
        (called if each.kind == CALLED else assumed)[each.unit].append(Condition(each.kind, line, column + 1, each.words))
    return _each_once(assumed), _each_once(called)


def moved(made: ByUnit, columns: Callable[[Diagnostic], Diagnostic], owners: Mapping[str, str]) -> ByUnit:
    """The conditions with the places and the functions of the original file. `columns`: see `original_columns.of`."""
    found: dict[str, list[Condition]] = defaultdict(list)
    for unit, conditions in made.items():
        for one in conditions:
            at = columns(Diagnostic("", one.line, one.column, one.line, one.column, "", "", "", False))
            found[owners.get(unit, unit)].append(one._replace(line=at.line, column=at.column))
    return _each_once(found)


def _each_once(found: Mapping[str, list[Condition]]) -> ByUnit:
    made = {}
    for unit, conditions in found.items():
        first: dict[tuple[str, str], Condition] = {}
        for condition in sorted(conditions, key=_place):
            first.setdefault((condition.kind, condition.words), condition)
        made[unit] = tuple(first.values())
    return made


def _place(condition: Condition) -> tuple[int, int, str, str]:
    return condition.line, condition.column, condition.kind, condition.words
