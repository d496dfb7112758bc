"""Modules that imports join, directly or through others: only among them can one hand its functions to another.

A script of the documentation, or a build file, may stand in the same folder as a package, and have nothing to do with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ..summaries.units import ModuleSummary


def connected(modules: Sequence[ModuleSummary]) -> Mapping[str, str]:
    """For each module the first of those that it is joined with."""
    leaders = {module.name: module.name for module in modules}

    def leader(name: str) -> str:
        while leaders[name] != name:
            leaders[name] = name = leaders[leaders[name]]
        return name

    endings: dict[str, set[str]] = defaultdict(set)  # as a script of the same folder may call a module
    for module in modules:
        for ending in _endings(module.name):
            endings[ending].add(module.name)
    for module in modules:
        for imported in (*module.imports, *module.stars, module.name.rpartition(".")[0]):
            for beginning in _beginnings(imported):
                for other in endings.get(beginning, ()):
                    first, second = sorted((leader(module.name), leader(other)))
                    leaders[second] = first
    return {name: leader(name) for name in leaders}


def _beginnings(dotted: str) -> Iterator[str]:
    """`a.b.c`, `a.b` and `a`: what an import may take, and the packages that it loads on the way."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]


def _endings(dotted: str) -> Iterator[str]:
    while dotted:
        yield dotted
        dotted = dotted.partition(".")[2]
