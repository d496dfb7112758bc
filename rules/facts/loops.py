"""Loops that jit compiles: what they carry, how their iterations end early, which lists they fill."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import libcst as cst

from .compaction import CompactedArrays
from .values import NOTHING


class AccumulatedList(NamedTuple):
    """`name` is an empty list, made by `maker` just before the loop; each iteration puts `value` at its end by `statement`. `arrays`:
    the calls that do no more than to make one array of it. `reads`: where it is read after the loop, as an array."""

    name: str
    maker: cst.SimpleStatementLine
    statement: cst.Expr
    value: cst.BaseExpression
    arrays: tuple[cst.Call, ...]
    reads: tuple[cst.CSTNode, ...]


class Promoted(NamedTuple):
    """What a dtype is promoted from: `arrays`, variables that have one before the loop; `inexact`: a float of Python's, too."""

    arrays: frozenset[str] = NOTHING
    inexact: bool = False


class CarriedShape(NamedTuple):
    """The variables whose shapes a number gets; `test`: what must hold for it, "" where nothing must."""

    arrays: tuple[str, ...]
    test: str


class Returned(NamedTuple):
    """`inner`: the `return` statements of the loop, which all say the same. `last`: the line of the one after the loop, None for
    a loop that nothing else ends. `dear`: why only what is returned should be computed, "" where both may."""

    inner: tuple[cst.Return, ...]
    last: cst.SimpleStatementLine | None
    expensive: str = ""


class Exits(NamedTuple):
    """`guards`: the branches on whose sides an iteration ends early, outermost first. `breaks`: one of them ends the loop, too.
    `dear`: why one side only may be computed, "" where both may. `partial`: how many operations after the first guard are
    undefined for some values. `returned`: how `return` leaves the loop. `flag`: a variable of the function
    that says whether `break` has ended the loop, "" where there is none."""

    guards: tuple[cst.If, ...] = ()
    breaks: bool = False
    expensive: str = ""
    trapping: int = 0
    returned: Returned | None = None
    flag: str = ""


NO_EXITS = Exits()


class Loop(NamedTuple):
    """One loop. `form`: "range", "rows" of an array, "while", "" for any other. `carry`: variables whose values go on to the
    next iteration or past the loop, in the order in which the unit names them. `index_after`: the loop's target is read after it;
    `index_before`: it may have had a value before, which stays where there are no iterations.
    `unset`: numbers that are carried, and have no value before the loop. `shaped`: numbers of which iterations make arrays, with the
    variables whose shapes they get. `typed`: numbers of Python's that must start with the dtype that iterations give them. `filled`: lists that get an item in each iteration. `exits`:
    how iterations end early. `shrinks`: the arrays that a mask cuts down in each iteration. `why`: what keeps it from being compiled. `unrollable`: few iterations, or none that jit could compile otherwise."""

    token: str
    form: str
    carry: tuple[str, ...] = ()
    index_after: bool = False
    index_before: bool = False
    unset: frozenset[str] = NOTHING
    shaped: Mapping[str, CarriedShape] = MappingProxyType({})
    typed: Mapping[str, Promoted] = MappingProxyType({})
    accumulated: tuple[AccumulatedList, ...] = ()
    exits: Exits = NO_EXITS
    compaction: CompactedArrays | None = None
    why: str = ""
    unrollable: bool = False
    deps: frozenset[str] = NOTHING  # what the trip count depends on
    traced: bool = False

    @property
    def trip_count(self) -> TripCount:
        return TripCount(self.token, self.deps, self.traced, self.unrollable, self.why)


class TripCount(NamedTuple):
    """The trip count of a loop, for the linker: plain data."""

    token: str
    deps: frozenset[str]
    traced: bool
    unrollable: bool
    why: str


class Zipped(NamedTuple):
    """What stands in a `zip`. `cuts`: how many rows at the end of each of them have no counterpart; None where only their lengths tell,
    when JAX traces. `shortest`: the operands of which one certainly is as short as any."""

    operands: tuple[cst.BaseExpression, ...]
    truncations: tuple[int, ...] | None
    shortest: tuple[cst.BaseExpression, ...]

    @property
    def same(self) -> bool:
        """Whether all certainly have the same length."""
        return self.truncations is not None and not any(self.truncations)
