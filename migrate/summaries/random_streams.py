"""The random streams of a unit: what it draws from, seeds, takes and gives."""

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
    """What a unit does with NumPy's own random state.

    `draws`: from it, where it was not certainly seeded by itself. `seeds`: it seeds that state; `drains`: and draws from it
    afterwards. `plain`: it uses that state. `sows`: it calls `np.random.seed` itself; `own`: it draws from NumPy's state;
    `thirsty`: where `np.random.seed` did not certainly seed it before; `seeded_by`: functions that seed it for this one.
    `borrows`: why it may need NumPy's own state as a generator.
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


class Streams(NamedTuple):
    """The streams of a unit, for the linker: plain data.

    `state`: what it does with NumPy's own state. `params`: parameters that are generators; `gives`: parameters of others (function, parameter) that it hands
    generators to; `lent`, `lends`: the same of lists and dicts of generators; `returns`: its result is one; `takes`: functions whose results are generators; `attrs`: attributes that hold
    them, as "attr:C.rng", or seeds of them, as "seed:C.random_state". `variables`: generators of modules that it uses, as "m.rng"; the functions that do take keys, as if it
    were NumPy's own state; `rebound`: variables that it binds to generators. `plain`: it uses that state. `numbers`: those of `params` that may
    be numbers; `once`: parameters, perhaps generators, of which all that is done is to hand them to one function
    (parameter, function, parameter of it). `legacy`, `modern`: the seeds of NumPy's state and of RandomState, and those of
    Generator, one for each place that makes one, as they are written: "?" for all but numbers. `key`: what the keyword for a key can be called; in the code of a module
    the variable that holds it.
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
    """What is found in a unit, with its syntax. `problems`: why the unit must be kept, by node."""

    streams: Streams = NONE
    sites: list[Site] = field(default_factory=list)
    binds: Binds = field(default_factory=dict)
    seeding: seeding.Seeding | None = None
    problems: dict[cst.CSTNode, str] = field(default_factory=dict)
    generator_loops: dict[cst.For, GeneratorLoop] = field(
        default_factory=dict
    )  # loops over lists of generators that are needed afterwards
    indexed: set[cst.CSTNode] = field(default_factory=set)  # what makes lists of generators that are drawn from by their indices
    spawning: dict[cst.Call, str] = field(default_factory=dict)  # calls that spawn -> the seed of theirs
    orders: Mapping[cst.CSTNode, CallOrder] = field(default_factory=dict)  # of calls
    gives: bool = False  # it gives its callers the key

    def seeded(self, node: cst.CSTNode) -> bool:
        """Whether NumPy's state was certainly seeded before a node is evaluated."""
        return self.seeding is not None and self.seeding.before(node)

    def drains(self, node: cst.CSTNode) -> bool:
        """Whether it may have been."""
        return self.seeding is not None and self.seeding.maybe_before(node)
