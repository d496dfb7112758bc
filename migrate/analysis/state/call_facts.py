"""Calls of project functions as plain data for the linker."""

from __future__ import annotations

from typing import NamedTuple

from ....rules.facts.values import NOTHING, UNKNOWN, Value


class CallOrder(NamedTuple):
    """The position of a call relative to the draws from NumPy's random state, and to the seeds of it.

    `order`: its position in the unit. `start`: the position of the outermost enclosing loop, or of the call itself: whatever
    follows it may run next. `seeded`: the position of the last `np.random.seed` that certainly ran before it, -1 for none.
    `draws`: the unit itself draws afterwards. `targets`: how many variables its results are bound to, 0 for an expression
    statement, -1 where a key that it returns cannot be bound.
    """

    order: int
    start: int
    seeded: int
    draws: bool
    targets: int


class CallFact(NamedTuple):
    """A call of a project function: plain data for the linker. `args`: (parameter, value, whether it is an access path)."""

    callee: str
    args: tuple[tuple[str, Value], ...]
    rewritable: str = ""  # why no statement can be inserted before it, "" where one can
    line: int = 0
    alone: frozenset[str] = NOTHING  # parameters that receive an array to which nobody else has a reference afterwards
    shared: bool = False  # its result shares memory with an array that the caller changes
    rebinds: bool = False  # its result is bound to the only name of each array of the caller's that it may be
    # parameters that receive arrays which the caller changes while others may have a reference to them
    changed: frozenset[str] = NOTHING
    seeded: bool = False  # NumPy's random state was seeded before it on every path
    drains: bool = False  # NumPy's random state may have been seeded before it
    order: CallOrder | None = None
    looped: bool = False  # it is in a loop of the caller
    varying: frozenset[str] = NOTHING  # parameters that get another argument in each iteration of that loop
    counted: bool = False  # that loop may have many iterations
    resized: frozenset[str] = NOTHING  # parameters that get another shape in each iteration, or in each call of the caller
    sized: tuple[
        tuple[str, frozenset[str]], ...
    ] = ()  # parameters that get an array whose shape depends on values of the caller's

    @property
    def starred(self) -> bool:
        """Whether its arguments may be bound to any parameter: `f(*values)`."""
        return self.args[:1] == (("*", UNKNOWN),)
