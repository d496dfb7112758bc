"""What runs in forked processes stays NumPy.

JAX starts threads, and `fork` copies the memory of a process but no thread: a copy that calls JAX may wait forever for one that it
does not have. Python forks on Linux, before version 3.14, unless another start method is chosen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ...rules.core.refusals import PLACED
from ..analysis.interp.super_calls import above
from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary
from .indirect_calls import called_as
from .reachability import reachable
from .reachable_reads import ESCAPED, callees_of
from .settings import Refusal

PROCESSES = frozenset({"multiprocessing.Process", "multiprocess.Process"})
FORKED = (
    "not compiled: it runs in a forked process, in which JAX may wait forever; start processes by "
    '`multiprocessing.get_context("spawn")` to convert it'
)


def in_child_processes(
    units: Mapping[str, UnitSummary], facts: Facts, modules: Iterable[ModuleSummary], together: Mapping[str, str]
) -> dict[str, Refusal]:
    """The units that may run in a forked process. `together`: see `connected`."""
    forking = _forking(units, facts, together)
    if not forking:
        return {}
    roots = set[str]()
    callees: dict[str, frozenset[str]] = callees_of(units)
    may_call = called_as(units, modules)
    escaped = callees[ESCAPED]
    for name, unit in units.items():
        if together[unit.module] not in forking:
            continue
        roots |= unit.children.given | ({name, *unit.call_graph.escapes} if unit.children.others else set())
        if unit.call_graph.unknown_calls:
            fitting = {e for e in escaped if may_call(unit.call_graph.unknown_calls, units[e])}
            callees[name] = (callees[name] - {ESCAPED}) | fitting
    roots |= {f"{cls}.run" for cls in facts.classes if _is_process(cls, facts)}
    return {name: (PLACED, FORKED) for name in reachable(roots, callees) & units.keys() if units[name].host.arrays}


def _forking(units: Mapping[str, UnitSummary], facts: Facts, together: Mapping[str, str]) -> set[str]:
    """The components of the import graph that fork."""
    found: dict[str, list[UnitSummary]] = defaultdict(list)
    for unit in units.values():
        found[together[unit.module]].append(unit)
    processes = {together[m] for cls in facts.classes if _is_process(cls, facts) if (m := cls.rpartition(".")[0]) in together}
    return {
        component
        for component, members in found.items()
        if component in processes or any(u.children.forks for u in members)
        if not any(u.children.anew for u in members)
    }


def _is_process(cls: str, facts: Facts) -> bool:
    return not PROCESSES.isdisjoint(above(facts, cls))
