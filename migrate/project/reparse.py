"""A file with another text: the units that stand there as they did are known as they were."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import libcst as cst

from ..summaries.unit_discovery import read
from ..summaries.units import Module, Unit
from ..syntax import liveness
from ..syntax.source import Source

KNOWN = ("local_evidence", "live", "streams", "special", "rooted", "lists", "given_lists", "guessed", "sequences", "summaries")


def reread(source: Source, before: Module, interpreted: Mapping[cst.CSTNode, Module]) -> Module:
    """A file as `source` has it. `interpreted`: for functions of its versions the one in which each was interpreted last, by node;
    `before`: one of these versions, for the code of the module itself, which may stay the same where functions change."""
    made = read(source)
    for name, unit in made.units.items():
        module = before if unit.is_module else interpreted.get(unit.node)
        if module is None or name not in module.runs or not _same(name, unit, made, module):
            continue
        run = made.runs[name] = copy(module.runs[name])
        run.source, run.scopes, run.owner = made.source, made.scopes, unit.node
        for kept in KNOWN:
            if name in getattr(module, kept):
                getattr(made, kept)[name] = getattr(module, kept)[name]
        if unit.is_module:
            run.live = made.live[name] = liveness.live(unit.node)
            run.local = made.scopes.assigned(unit.node)
    return made


def _same(name: str, unit: Unit, now: Module, before: Module) -> bool:
    """Whether a unit stands there as it did; the nodes of a module's own code are those that no function has."""
    return before.units[name].node is unit.node or (unit.is_module and before.nodes[name][1:] == now.nodes[name][1:])
