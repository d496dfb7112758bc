"""A changed file, parsed again: units whose text did not change keep their facts."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import fields, replace

import libcst as cst

from ..summaries.unit_discovery import read
from ..summaries.units import Module, Unit, UnitTables
from ..syntax import liveness
from ..syntax.source import Source


def reread(source: Source, before: Module, interpreted: Mapping[cst.CSTNode, Module]) -> Module:
    """The module for `source`, with known facts of unchanged units.

    `interpreted`: the version of the file in which each function was last interpreted, by node. `before`: one of these versions;
    used for module-level code, which may be unchanged where functions change.
    """
    made = read(source)
    for name, unit in made.units.items():
        module = before if unit.is_module else interpreted.get(unit.node)
        if module is None or name not in module.runs or not _same(name, unit, made, module):
            continue
        if name in module.derived.ranks:
            continue  # what was supposed in that version may not be supposed now
        run = made.runs[name] = copy(module.runs[name])
        run.source, run.scopes, run.unit = made.source, made.scopes, replace(run.unit, owner=unit.node)
        if name in module.summaries:
            made.summaries[name] = module.summaries[name]
        for table in fields(UnitTables):
            known = getattr(module.known, table.name)
            if name in known:
                getattr(made.known, table.name)[name] = known[name]
        if unit.is_module:
            run.live = made.known.live[name] = liveness.live(unit.node)
            run.unit.local = made.scopes.assigned(unit.node)
    return made


def _same(name: str, unit: Unit, now: Module, before: Module) -> bool:
    """Whether a unit is unchanged. The nodes of module-level code are those that belong to no function."""
    return before.units[name].node is unit.node or (unit.is_module and before.nodes[name][1:] == now.nodes[name][1:])
