"""The connected components of the import graph: only modules in the same one can pass functions to each other.

A script of the documentation, or a build file, may be in the same folder as a package and still be unrelated to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ..summaries.units import ModuleSummary


def connected(modules: Sequence[ModuleSummary]) -> Mapping[str, str]:
    """For each module the representative of its component, the first name in it."""
    leaders = {module.name: module.name for module in modules}

    def leader(name: str) -> str:
        while leaders[name] != name:
            leaders[name] = name = leaders[leaders[name]]
        return name

    for name, others in imported_modules(modules, with_packages=True).items():
        for other in others:
            first, second = sorted((leader(name), leader(other)))
            leaders[second] = first
    return {name: leader(name) for name in leaders}


def imported_modules(modules: Sequence[ModuleSummary], *, with_packages: bool = False) -> dict[str, set[str]]:
    """For each module those of the project that it may import, by whichever name. `with_packages`: and the package that it is in."""
    endings: dict[str, set[str]] = defaultdict(set)  # a script imports modules of its folder by a shorter name
    for module in modules:
        for ending in _endings(module.name):
            endings[ending].add(module.name)
    found: dict[str, set[str]] = {module.name: set() for module in modules}
    for module in modules:
        package = [module.name.rpartition(".")[0]] if with_packages else []
        for imported in (*module.imports, *module.stars, *package):
            for beginning in _beginnings(imported):
                found[module.name] |= endings.get(beginning, set())
    return found


def _beginnings(dotted: str) -> Iterator[str]:
    """`a.b.c`, `a.b` and `a`: the module that an import may mean, and the packages loaded on the way."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]


def _endings(dotted: str) -> Iterator[str]:
    while dotted:
        yield dotted
        dotted = dotted.partition(".")[2]
