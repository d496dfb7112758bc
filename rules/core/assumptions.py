"""The kinds of conditions under which a converted function equals NumPy, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import libcst as cst

from .check_table import CheckTable, import_modules


class Assumption(NamedTuple):
    """A condition about a node; valid within one file."""

    node: cst.CSTNode
    words: str


Check = Callable[..., Iterator[Assumption]]


class ConditionKind(CheckTable[Check]):
    """One way in which JAX may differ from NumPy without an error. The docstring of its module says how.

    `closed_by`: what the user can do so that the condition is not needed.
    """

    def __init__(self, name: str, closed_by: str) -> None:
        super().__init__()
        self.name, self.closed_by = name, closed_by
        _FOUND[name] = self


_FOUND: dict[str, ConditionKind] = {}


@cache
def all_kinds() -> dict[str, ConditionKind]:
    """Every kind by its name, in order. Imports the modules of `rules.assumptions`."""
    import_modules("assumptions")
    return dict(sorted(_FOUND.items()))
