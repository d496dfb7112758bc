"""The kinds of conditions under which a converted function equals NumPy, and their registry."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import libcst as cst


class Assumption(NamedTuple):
    """A condition about a node; valid within one file."""

    node: cst.CSTNode
    words: str


Check = Callable[..., Iterator[Assumption]]


class ConditionKind:
    """One way in which JAX may differ from NumPy without an error. The docstring of its module says how.

    `closed_by`: what the user can do so that the condition is not needed.
    """

    def __init__(self, name: str, closed_by: str) -> None:
        self.name, self.closed_by = name, closed_by
        self.checks: dict[type[cst.CSTNode], list[Check]] = {}
        _FOUND[name] = self

    def on(self, *types: type[cst.CSTNode]) -> Callable[[Check], Check]:
        def register(check: Check) -> Check:
            for node_type in types:
                self.checks.setdefault(node_type, []).append(check)
            return check

        return register


_FOUND: dict[str, ConditionKind] = {}


@cache
def all_kinds() -> dict[str, ConditionKind]:
    """Every kind by its name, in order. Imports the modules of `rules.assumptions`."""
    rules = importlib.import_module("..", __package__)
    package = importlib.import_module(f"{rules.__name__}.assumptions")
    for info in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{info.name}")
    return dict(sorted(_FOUND.items()))
