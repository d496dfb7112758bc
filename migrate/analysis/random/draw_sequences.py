"""The draws from one random stream, in order, as plain data."""

from __future__ import annotations

from typing import NamedTuple

from ....rules.facts.values import NOTHING


class Event(NamedTuple):
    """One draw, or several that belong together.

    `kind`: "draw", "call" (of a function of the project, which may draw), "loop", "branch" (code that does not always run), or
    "unknown". `text`: two events with the same text take as much of the stream. `fixed`: they do so whenever they happen, as the text
    contains only literals. `callee`, `parameter`: the function that is called, and its parameter for the generator, "" for NumPy's
    global state. `body`: what a loop contains, or the arms of a branch. `names`: the parameters of the unit on which `text` depends; with
    "?", it depends on more.
    """

    kind: str
    text: str = ""
    fixed: bool = False
    callee: str = ""
    parameter: str = ""
    body: tuple[Event, ...] = ()
    place: int = -1  # of a call
    names: frozenset[str] = NOTHING


class Seed(NamedTuple):
    """The value of a seed, or of another argument: `base` + `offset`.

    `base`: "" for a literal number, "?" if it may be anything, otherwise the text of an expression, with the name of its unit.
    `parameter`: the parameter of the unit that `base` is. `distinct`: each iteration of the loop around it has another value; `moves`:
    it may have another value. `numbers`: the values that `base` has in the iterations of a loop, where they are literals.
    """

    base: str = "?"
    offset: int = 0
    parameter: str = ""
    distinct: bool = False
    moves: bool = False
    numbers: tuple[int, ...] = ()


class DrawSequence(NamedTuple):
    """The draws from one stream.

    `legacy`: the stream is NumPy's global state, or a RandomState. `seed`: None if the stream comes from the callers, by the parameter
    `stream`, or as the global state if that is "". `again`: it is seeded in a loop, with seeds that may be equal. `plain`: the seed
    stands in the unit's own block. `attribute`: the attribute that holds the generator. `returned`: the unit returns the generator.
    `maker`: the function of the project that seeds the stream for this unit, which passes it `arguments`.
    """

    legacy: bool
    seed: Seed | None
    stream: str
    events: tuple[Event, ...]
    again: bool = False
    plain: bool = False
    attribute: str = ""
    returned: bool = False
    maker: str = ""
    arguments: tuple[tuple[str, Seed], ...] = ()
    place: int = -1  # of the call of `maker`


class Passed(NamedTuple):
    """What a call passes for a parameter. `again`: it is evaluated in a loop, in which the value may stay the same. `place`: of the call."""

    callee: str
    parameter: str
    seed: Seed
    again: bool
    place: int = -1


class DrawnInOrder(NamedTuple):
    """What a unit draws from each stream, and what it passes to functions of the project: `parameter` is "" for each call itself."""

    sequences: tuple[DrawSequence, ...] = ()
    passed: tuple[Passed, ...] = ()
    defaults: tuple[tuple[str, Seed], ...] = ()  # of parameters, where these are numbers
