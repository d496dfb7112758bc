"""What another compiler gets stays as it is: Numba compiles NumPy's functions, and none of JAX's."""

from __future__ import annotations

from collections.abc import Mapping

from ..summaries.units import UnitSummary
from .settings import Refusal


def compiled_by_others(units: Mapping[str, UnitSummary]) -> dict[str, Refusal]:
    """The units that another compiler gets, and those that they call, which it compiles with them."""
    given = {name: compiler for unit in units.values() for name, compiler in unit.call_graph.compiled}
    found: dict[str, Refusal] = {}
    work = sorted(given.items())
    while work:
        name, compiler = work.pop()
        if name in units and name not in found:
            found[name] = ("NJ501", f"`{compiler}` compiles it already")
            work += [(callee, compiler) for callee in sorted(units[name].call_graph.callees)]
    return found
