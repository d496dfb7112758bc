"""Transformations that pay only where something can be compiled then: made on a copy, analysed again, kept if accepted.

Each is a `Speculation`: it says which units it may change (`candidates`), what it would write in a file (`propose`), and which of
its proposals the facts about the changed files do not bear out (`rejects`). The pass manager does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..analysis.state.project_facts import Facts
from ..summaries.units import Module, UnitSummary
from ..syntax.source import Source
from .revision import Versions

Place = tuple[str, int]  # a unit, and the number of a loop in it


class Proposal(NamedTuple):
    """A file as a transformation would write it. `changes`: what is proposed, as plain data; `lines`: for each line that of the file
    before; `note`: puts into the new module what the rewriter wants to know of the transformation."""

    source: Source
    lines: tuple[int, ...]
    changes: tuple[Any, ...]
    note: Callable[[Module], None]


class DifferentialRun(NamedTuple):
    """The facts before some changes were made and after it. `accepted`: what the transformation that follows changed on top of
    them, None before it is tried; `sequential`: the loops in some units whose iterations are not taken at once now."""

    before: Facts
    now: Facts
    changes: Collection[Any]
    units: Mapping[str, UnitSummary]
    accepted: Collection[Any] | None
    sequential: Callable[[Collection[str]], Collection[Place]]


@dataclass(frozen=True, slots=True)
class Speculation:
    """One such transformation. `rules`: those that must be selected for it.

    `candidates`: of the facts, and of the units that must not be compiled, what `propose` needs: plain data.
    `propose`: the change of one file, but for what was rejected, and, where `only` is not None, of nothing but that.
    `rejects`: what must be left as it was, named as in `rejected`; `key` gives that name for a change.
    `trials`: after so many, what was not proposed before is not proposed any more.
    """

    name: str
    rules: tuple[str, ...]
    candidates: Callable[[Facts, frozenset[str]], Any]
    propose: Callable[[Module, Versions, Any, Collection[Hashable], Collection[Hashable] | None], Proposal | None]
    rejects: Callable[[DifferentialRun], Set[Hashable]]
    key: Callable[[Any], Hashable] = lambda change: change
    trials: int | None = None
