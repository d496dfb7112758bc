"""The modules that draw from NumPy's random state."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping

from ..analysis.state.project_facts import Facts
from ..summaries.units import ModuleSummary, UnitSummary
from . import key_passing

# Imports that draw nothing from NumPy's random state. SciPy, scikit-learn and others may draw from it.
OWN_RANDOMNESS = sys.stdlib_module_names | {"numpy", "jax", "jaxlib", "matplotlib", ""}


def draws_on_host(
    units: Mapping[str, UnitSummary], refused: Collection[str], modules: Iterable[ModuleSummary], facts: Facts
) -> bool:
    """Whether something draws from NumPy's random state on the host: refused functions (also keys for others), converted
    functions that use it as a generator, and libraries."""
    if any(u.streams.state.hosts for u in units.values()):
        return True
    if {i.partition(".")[0] for m in modules for i in m.imports} - OWN_RANDOMNESS - facts.packages:
        return True
    keyed = key_passing.key_functions(units, refused)
    kept = [u for u in units.values() if u.name in refused]
    return any(
        u.streams.state.draws or u.streams.state.drains or any(c.callee in keyed for c in u.call_graph.calls) for u in kept
    )


def draws_for_outside(units: Mapping[str, UnitSummary], refused: Collection[str], facts: Facts) -> bool:
    """Whether converted functions draw keys from NumPy's random state, for callers outside of the project."""
    return not facts.outside.isdisjoint(key_passing.key_functions(units, refused))
