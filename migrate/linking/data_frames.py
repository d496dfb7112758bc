"""Where data frames of pandas and its like may get to: their attributes have the names of an array's, and mean something else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..summaries.units import ModuleSummary
from .import_components import imported_modules
from .reachability import reachable


def may_meet(modules: Sequence[ModuleSummary]) -> frozenset[str]:
    """The modules that may get data frames: those that import a library of them, those that import one of these, and whatever all of
    these call, which they import. A module that none of them imports gets its arguments from others."""
    below = imported_modules(modules)
    above = defaultdict[str, set[str]](set)
    for name, targets in below.items():
        for target in targets:
            above[target].add(name)
    return frozenset(reachable(reachable((module.name for module in modules if module.text.pandas), above), below))
