"""A file with another text: the units that stand there as they did are known as they were."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import libcst as cst

from ..summaries.unit_discovery import read
from ..summaries.units import Module
from ..syntax.source import Source

KNOWN = ("local_evidence", "live", "streams", "special", "rooted", "lists", "given_lists", "guessed", "sequences", "summaries")


def reread(source: Source, interpreted: Mapping[cst.CSTNode, Module]) -> Module:
    """A file as `source` has it. `interpreted`: for units of its versions the one in which each was interpreted last, by node."""
    made = read(source)
    for name, unit in made.units.items():
        module = interpreted.get(unit.node)
        if module is not None and name in module.runs and module.units[name].node is unit.node:
            run = made.runs[name] = copy(module.runs[name])
            run.source, run.scopes = made.source, made.scopes
            for kept in KNOWN:
                if name in getattr(module, kept):
                    getattr(made, kept)[name] = getattr(module, kept)[name]
    return made
