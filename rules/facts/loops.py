"""Loops that jit compiles: their loop-carried values, their early exits, the lists they accumulate."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import libcst as cst

from .compaction import CompactedArrays
from .values import NOTHING


class AccumulatedList(NamedTuple):
    """`name` is a list that is empty before the loop; each iteration appends `value` to it.

    `maker`: the statement just before the loop that creates it.
    `statement`: the one that appends.
    `arrays`: the calls that only convert it to an array.
    `reads`: where it is read after the loop, as an array.
    """

    name: str
    maker: cst.SimpleStatementLine
    statement: cst.Expr
    value: cst.BaseExpression
    arrays: tuple[cst.Call, ...]
    reads: tuple[cst.CSTNode, ...]


class Promoted(NamedTuple):
    """The operands from which a dtype is promoted. `arrays`: variables that have a dtype before the loop. `inexact`: also a
    Python float."""

    arrays: frozenset[str] = NOTHING
    inexact: bool = False


class CarriedShape(NamedTuple):
    """The variables to whose shapes a scalar is broadcast. `test`: the condition for that, "" where there is none. `perhaps`: it may as
    well stay a scalar, as nobody knows how many axes the arrays have."""

    arrays: tuple[str, ...]
    test: str
    perhaps: bool = False


class Returned(NamedTuple):
    """`inner`: the `return` statements of the loop, which are all the same.
    `last`: the line of the one after the loop, None for a loop that nothing else ends.
    `expensive`: why only the value that is returned should be computed, "" where both may.
    """

    inner: tuple[cst.Return, ...]
    last: cst.SimpleStatementLine | None
    expensive: str = ""


class Exits(NamedTuple):
    """`guards`: the branches in whose arms an iteration ends early, outermost first.
    `breaks`: one of them ends the loop, too.
    `expensive`: why only one arm may be computed, "" where both may.
    `trapping`: how many operations after the first guard may trap.
    `returned`: how `return` leaves the loop.
    `flag`: a variable of the function that tells whether `break` has ended the loop, "" where there is none.
    """

    guards: tuple[cst.If, ...] = ()
    breaks: bool = False
    expensive: str = ""
    trapping: int = 0
    returned: Returned | None = None
    flag: str = ""


NO_EXITS = Exits()


class Loop(NamedTuple):
    """One loop.

    `form`: "range", "rows" of an array, "while", "" for any other.
    `carry`: variables whose values flow into the next iteration or past the loop, in the order in which the unit names them.
    `index_after`: the target of the loop is read after it.
    `index_before`: the target may be bound before the loop, and then retains that value where there are no iterations.
    `unset`: loop-carried scalars that have no value before the loop.
    `unset_arrays`: likewise arrays, which each iteration binds before it reads them.
    `unset_at`: loop-carried variables to which only some arms of a branch before the loop give a value, with that branch.
    `shaped`: scalars that become arrays in an iteration, with the variables whose shapes they get.
    `typed`: Python scalars that must start with the dtype that the iterations give them.
    `accumulated`: lists to which each iteration appends an item.
    `growing`: integers of Python that an iteration may multiply, and may divide.
    `exits`: how iterations end early.
    `compaction`: the arrays that a mask shortens in each iteration.
    `why`: what prevents compilation.
    `unrollable`: it has few iterations, or none that jit could compile otherwise.
    `lists`: the variables that its index indexes and that may be lists of arrays, such as the weights of a network.
    """

    token: str
    form: str
    carry: tuple[str, ...] = ()
    index_after: bool = False
    index_before: bool = False
    unset: frozenset[str] = NOTHING
    unset_arrays: frozenset[str] = NOTHING
    unset_at: Mapping[str, cst.If] = MappingProxyType({})
    shaped: Mapping[str, CarriedShape] = MappingProxyType({})
    typed: Mapping[str, Promoted] = MappingProxyType({})
    accumulated: tuple[AccumulatedList, ...] = ()
    growing: frozenset[str] = NOTHING
    exits: Exits = NO_EXITS
    compaction: CompactedArrays | None = None
    why: str = ""
    unrollable: bool = False
    deps: frozenset[str] = NOTHING  # what the trip count depends on
    traced: bool = False
    lists: tuple[str, ...] = ()

    @property
    def unset_before(self) -> bool:
        """Whether an array that it carries may have no value before it."""
        return bool(self.unset_arrays or self.unset_at)

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
    """The operands of a `zip`.

    `truncations`: how many rows at the end of each of them have no counterpart; None where only their lengths tell, when JAX
    traces.
    `shortest`: the operands of which one certainly is as short as any.
    """

    operands: tuple[cst.BaseExpression, ...]
    truncations: tuple[int, ...] | None
    shortest: tuple[cst.BaseExpression, ...]

    @property
    def same(self) -> bool:
        """Whether all certainly have the same length."""
        return self.truncations is not None and not any(self.truncations)
