"""The conditions of all functions, with those of the functions that they call."""

from __future__ import annotations

from collections.abc import Mapping

from ...rules.core.condition import Condition
from ..linking.reachability import reachable
from ..rewriting.rewriter import Rewritten
from ..summaries.units import written_name

CALL = "call"


def of_units(rewritten: Mapping[str, Rewritten]) -> dict[str, tuple[Condition, ...]]:
    """The conditions by unit. A function that calls one with conditions has the condition that those of that one hold."""
    found = {unit: made for result in rewritten.values() for unit, made in result.assumed.items()}
    owners = {name: owner for result in rewritten.values() for name, owner in result.moved.items()}
    calls = {
        unit: [(one, callee) for one in made if (callee := owners.get(one.words, one.words)) != unit]
        for result in rewritten.values()
        for unit, made in result.called.items()
    }
    callers: dict[str, list[str]] = {}
    for unit, made in calls.items():
        for _one, callee in made:
            callers.setdefault(callee, []).append(unit)
    assumed = reachable(found, callers)
    return {unit: (*found.get(unit, ()), *_of_calls(calls.get(unit, ()), assumed)) for unit in assumed}


def _of_calls(calls: list[tuple[Condition, str]] | tuple[()], assumed: set[str]) -> tuple[Condition, ...]:
    made = {callee: one for one, callee in reversed(calls) if callee in assumed}
    return tuple(
        sorted(one._replace(kind=CALL, words=f"the conditions of `{short(callee)}` hold") for callee, one in made.items())
    )


def short(name: str) -> str:
    return written_name(name).rpartition(".")[2]
