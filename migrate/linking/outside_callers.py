"""Which functions code outside of the project may call."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..analysis.state.project_facts import Facts
from ..summaries.units import MODULE, UnitSummary, written_name


def find(units: Mapping[str, UnitSummary], facts: Facts, public: Collection[str]) -> frozenset[str]:
    """The functions that are not private to the project: neither they nor their classes have a name with an underscore, or
    something imports them under a name without one."""
    renamed = {facts.canonical(name) for name in facts.aliases if not is_private(name.rpartition(".")[2])} | {*public}
    found = set()
    for name, unit in units.items():
        owner = name.rpartition(".")[0] if unit.cls else ""
        parts = written_name(name).removeprefix(f"{unit.module}.").split(".")
        named = not any(map(is_private, parts)) or name in renamed or (owner in renamed and not is_private(parts[-1]))
        if named and not name.endswith(MODULE):
            found.add(name)
    return frozenset(found)


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
