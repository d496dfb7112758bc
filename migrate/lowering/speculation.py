"""Speculative transformations, which pay only if jit then compiles something: applied to a copy, analysed again, kept if
accepted.

Each is a `Speculation`: it selects the units it may change (`candidates`), transforms a file (`propose`), and rejects the
proposals that the facts about the changed files do not justify (`rejects`). The pass manager does the rest.
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


class Assumed(NamedTuple):
    """What the converted form of a function assumes of its arguments, where NumPy assumes nothing. `asserted`: in terms of its
    parameters; `others`: in other terms; `elements`: arrays and loops that are not empty; `idle`: without these it does nothing."""

    asserted: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    idle: bool = False


class Proposal(NamedTuple):
    """A file as a transformation would write it. `changes`: the proposed changes, as plain data; `lines`: for each line the line
    of the previous version; `note`: stores in the new module what the rewriter needs to know about the transformation."""

    source: Source
    lines: tuple[int, ...]
    changes: tuple[Any, ...]
    note: Callable[[Module], None]


class Trial(NamedTuple):
    """The facts before and after some changes. `accepted`: the changes that the next transformation made on top of them, None
    before it is tried; `sequential`: returns the loops of some units whose iterations do not run in parallel now; `assumed`: what
    some units assume of their arguments now."""

    before: Facts
    now: Facts
    changes: Collection[Any]
    units: Mapping[str, UnitSummary]
    accepted: Collection[Any] | None
    sequential: Callable[[Collection[str]], Collection[Place]]
    assumed: Callable[[Collection[str]], Mapping[str, Assumed]]


@dataclass(frozen=True, slots=True)
class Speculation:
    """One such transformation. `rules`: the rules that must be selected for it.

    `candidates`: from the facts and the units that must not be compiled, returns what `propose` needs, as plain data. `propose`:
    returns the change of one file, without what was rejected, and if `only` is not None, restricted to it. `rejects`: returns
    what must be left as it was, named as in `rejected`; `key` returns that name for a change. `trials`: after this number of
    trials, no new changes are proposed.
    """

    name: str
    rules: tuple[str, ...]
    candidates: Callable[[Facts, frozenset[str]], Any]
    propose: Callable[[Module, Versions, Any, Collection[Hashable], Collection[Hashable] | None], Proposal | None]
    rejects: Callable[[Trial], Set[Hashable]]
    key: Callable[[Any], Hashable] = lambda change: change
    trials: int | None = None
