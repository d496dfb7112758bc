"""The random streams of a unit: where it draws, what it seeds, and which generators flow in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ...rules.facts.values import NOTHING
from ..analysis.random import seeding
from ..analysis.random.generator_containers import GeneratorLoop
from ..analysis.state.call_facts import CallOrder
from ..analysis.state.node_facts import Site

Binds = dict[cst.CSTNode, frozenset[str]]


class StateUse(NamedTuple):
    """The uses of NumPy's global random state in a unit.

    `draws`: it draws where it has not certainly seeded. `seeds`: it seeds the state; `drains`: it draws after that. `plain`: it
    uses the state itself, not a generator. `sows`: it calls `np.random.seed` itself; `own`: it draws from the state; `thirsty`:
    it draws where `np.random.seed` has not certainly been called; `seeded_by`: functions that seed the state for it. `borrows`:
    why it may need the global state as a generator. `hosts`: it makes keys from numbers that the state draws.
    """

    draws: bool = False
    seeds: bool = False
    drains: bool = False
    plain: bool = False
    sows: bool = False
    own: bool = False
    thirsty: bool = False
    seeded_by: frozenset[str] = NOTHING
    borrows: str = ""
    hosts: bool = False


class Streams(NamedTuple):
    """The streams of a unit, for the linker: plain data.

    `state`: its uses of NumPy's global state. `params`: parameters that are generators; `gives`: the (function, parameter) pairs
    that it passes generators to; `lent`, `lends`: the same for lists and dicts of generators; `returns`: its result is a
    generator; `takes`: functions whose results are generators; `attrs`: attributes with generators, as "attr:C.rng", or with
    seeds of generators, as "seed:C.random_state". `variables`: module variables with generators that it uses, as "m.rng";
    functions that use one take keys as for the global state; `rebound`: those that it binds to generators. `numbers`: those of
    `params` that may be numbers; `once`: parameters, perhaps generators, that are only passed to one function, as (parameter,
    function, parameter of it). `legacy`, `modern`: the seeds of the global state and of RandomState, and the seeds of Generator,
    one per place that creates one, as written; "?" for all but numbers. `key`: the name for a key parameter; in module code the
    variable that holds the key.
    """

    state: StateUse = StateUse()
    params: frozenset[str] = NOTHING
    gives: frozenset[tuple[str, str]] = frozenset()
    lent: frozenset[str] = NOTHING
    lends: frozenset[tuple[str, str]] = frozenset()
    returns: bool = False
    takes: frozenset[str] = NOTHING
    attrs: frozenset[str] = NOTHING
    sets: frozenset[str] = NOTHING  # those of `attrs` that it binds
    variables: frozenset[str] = NOTHING
    rebound: frozenset[str] = NOTHING
    numbers: frozenset[str] = NOTHING
    once: frozenset[tuple[str, str, str]] = frozenset()
    legacy: tuple[str, ...] = ()
    modern: tuple[str, ...] = ()
    key: str = "key"

    @property
    def any(self) -> bool:
        return self != (NONE if self.key == NONE.key else Streams(key=self.key))


NONE = Streams()


@dataclass(slots=True)
class Found:
    """The findings about a unit, with its syntax. `problems`: why the unit must be refused, by node."""

    streams: Streams = NONE
    sites: list[Site] = field(default_factory=list)
    binds: Binds = field(default_factory=dict)
    seeding: seeding.Seeding | None = None
    problems: dict[cst.CSTNode, str] = field(default_factory=dict)
    generator_loops: dict[cst.For, GeneratorLoop] = field(
        default_factory=dict
    )  # loops over lists of generators that are needed afterwards
    indexed: set[cst.CSTNode] = field(default_factory=set)  # creates lists of generators that are used by index
    spawning: dict[cst.Call, str] = field(default_factory=dict)  # calls that spawn -> the seed of their generator
    orders: Mapping[cst.CSTNode, CallOrder] = field(default_factory=dict)  # of calls
    gives: bool = False  # it returns the key to its callers

    def seeded(self, node: cst.CSTNode) -> bool:
        """Whether NumPy's state has certainly been seeded before a node is evaluated."""
        return self.seeding is not None and self.seeding.before(node)

    def drains(self, node: cst.CSTNode) -> bool:
        """Whether NumPy's state may have been seeded before a node is evaluated."""
        return self.seeding is not None and self.seeding.maybe_before(node)
