"""Rounds that repeat: summaries of units that depend on each other may alternate for ever, and the rounds between need not be run.

A round is determined by what the rounds before it left, so that equal rounds are followed by equal ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...rules.facts.values import Value
from ..analysis.state.project_facts import ClassFact, Facts
from ..linking.class_hierarchy import Attribute
from ..summaries.units import ModuleSummary


class Carried(NamedTuple):
    """What the next link reads of the facts of a round, see `linker.link`."""

    aliases: Mapping[str, str]
    classes: Mapping[str, ClassFact]
    wide: Mapping[Attribute, Value]
    python_results: frozenset[str]
    not_needed: frozenset[str]
    needed_again: frozenset[str]


class Round(NamedTuple):
    """What a round leaves. `interpreted`: the units that it interpreted, and how often."""

    summaries: Mapping[str, ModuleSummary]
    carried: Carried
    assumed: Mapping[Attribute, Value]
    interpreted: Mapping[str, int]


def round_of(
    summaries: Mapping[str, ModuleSummary], facts: Facts, assumed: Mapping[Attribute, Value], interpreted: Mapping[str, int]
) -> Round:
    host, hierarchy = facts.host, facts.hierarchy
    carried = Carried(facts.aliases, {**facts.classes}, hierarchy.wide, host.python_results, host.not_needed, host.needed_again)
    return Round({**summaries}, carried, assumed, interpreted)


def period(rounds: Sequence[Round]) -> int:
    """After how many rounds they repeat; 0 where that is not certain.

    The last rounds must equal those before in what they leave, and they must start from the same: then each unit was last interpreted
    with the same facts, too. A unit that is interpreted twice in a round has learned something, which a later round may use.
    """
    for length in range(1, len(rounds) // 2 + 1):
        last, before = rounds[-length - 1 :], rounds[-2 * length - 1 : -length]
        learned = any(times > 1 for each in last[1:] for times in each.interpreted.values())
        if len(before) == length + 1 and not learned and last[0][:3] == before[0][:3] and last[1:] == before[1:]:
            return length
    return 0


def skipped(rounds: Sequence[Round], left: int) -> int:
    """How many of the rounds that are left need not be run, because they end where the last one did."""
    length = period(rounds)
    return left // length * length if length else 0
