"""What can be reached in a graph: the functions that calls lead to, the files that imports lead to."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

from ..summaries.units import UnitSummary

Node = TypeVar("Node", bound=Hashable)


def reachable(starts: Iterable[Node], edges: Mapping[Node, Collection[Node]]) -> set[Node]:
    """The starts, and all that edges lead to from them. What has no entry in `edges` has none."""
    found = set(starts)
    work = [*found]
    while work:
        new = set(edges.get(work.pop(), ())) - found
        found |= new
        work += new
    return found


def reached_by_calls(starts: Iterable[str], units: Mapping[str, UnitSummary]) -> set[str]:
    """Some units, and those that they call, directly or through others."""
    return reachable(starts, {name: unit.call_graph.callees & units.keys() for name, unit in units.items()})
