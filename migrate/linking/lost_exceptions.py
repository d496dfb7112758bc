"""Functions stay NumPy where a caller waits for an exception, or a warning, that NumPy raises in them and JAX does not.

A handler that names the exception (`except LinAlgError:`) waits for it in all that its calls reach. One for any exception waits for
that of a singular matrix in the function that it calls itself: what further functions assume is among their conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..summaries.caught_exceptions import OF_ARITHMETIC
from ..summaries.units import MODULE, AwaitedException, ModuleSummary, UnitSummary
from .indirect_calls import called_as
from .reachability import reachable
from .reachable_reads import ESCAPED, callees_of
from .settings import Refusal

INSTEAD = {"IndexError": "JAX reads the first or the last element", "RuntimeWarning": "JAX does not warn"}


def caught_by_callers(
    units: Mapping[str, UnitSummary], modules: Iterable[ModuleSummary], together: Mapping[str, str]
) -> dict[str, Refusal]:
    """The units whose exceptions others catch. `together`: see `connected`."""
    found = dict[str, Refusal]()
    told = {together[unit.module] for unit in units.values() if unit.call_graph.exceptions.everywhere}
    for name, unit in units.items():
        computes = not unit.call_graph.exceptions.raised.isdisjoint(OF_ARITHMETIC) and not name.endswith(MODULE)
        if computes and together[unit.module] in told:
            found[name] = ("NJ701", "`np.seterr` tells NumPy to raise for invalid values, which JAX never does")
    if not any(unit.call_graph.exceptions.awaited for unit in units.values()):
        return found
    callees, may_call = callees_of(units), called_as(units, modules)
    escaped = callees.pop(ESCAPED)

    def called(awaited: AwaitedException) -> set[str]:
        names = set(awaited.callees).union(*(callees.get(f"<{m}>", ()) for m in awaited.methods))
        return names | {e for e in escaped if awaited.shapes and may_call(awaited.shapes, units[e])}

    for name, unit in units.items():
        for awaited in unit.call_graph.exceptions.awaited:
            direct = called(awaited)
            for reached in reachable(direct, callees) & units.keys():
                errors = awaited.named | (awaited.direct if reached in direct else frozenset())
                if lost := sorted(errors & units[reached].call_graph.exceptions.raised):
                    short = name.rpartition(".")[2]
                    by = f"`{short}`" if short != MODULE else "code that calls it"
                    instead = INSTEAD.get(lost[0], "JAX gives NaN or infinity instead")
                    found.setdefault(reached, ("NJ701", f"it may raise {lost[0]}, for which {by} waits: {instead}"))
    return found
