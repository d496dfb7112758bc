"""What can be reached in a graph: the functions that calls lead to, the files that imports lead to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import TypeVar

from ..summaries.units import UnitSummary

Node = TypeVar("Node", bound=Hashable)


def reachable(starts: Iterable[Node], edges: Mapping[Node, Collection[Node]]) -> set[Node]:
    """The starts, and all that edges lead to from them. What has no entry in `edges` has none."""
    return _closure(starts, lambda node: edges.get(node, ()))


def reached_by_calls(starts: Iterable[str], units: Mapping[str, UnitSummary]) -> set[str]:
    """Some units, and those that they call, directly or through others."""
    return _closure(starts, lambda name: units[name].call_graph.callees & units.keys() if name in units else ())


def _closure(starts: Iterable[Node], following: Callable[[Node], Collection[Node]]) -> set[Node]:
    found = set(starts)
    work = [*found]
    while work:
        new = set(following(work.pop())) - found
        found |= new
        work += new
    return found
