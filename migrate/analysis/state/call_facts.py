"""Calls of project functions, as the linker sees them: plain data."""

from __future__ import annotations

from typing import NamedTuple

from ....rules.facts.values import NOTHING, UNKNOWN, Value


class CallOrder(NamedTuple):
    """Where a call stands among what draws from NumPy's random state, and what seeds it.

    `order`: its position in the unit. `start`: the position of the outermost loop around it, or its own: what stands from there
    on may come next. `seeded`: the position of the last `np.random.seed` that surely ran before it, -1 for none. `draws`: the
    unit itself draws afterwards. `targets`: how many variables take its results, 0 for a statement of its own, -1 where a key
    that it gives cannot be taken.
    """

    order: int
    start: int
    seeded: int
    draws: bool
    targets: int


class CallFact(NamedTuple):
    """A call of a project function: plain data for the linker. `args`: (parameter, value, whether it is a place)."""

    callee: str
    args: tuple[tuple[str, Value], ...]
    rewritable: str = ""  # why a statement cannot be placed before it, "" when it can
    line: int = 0
    alone: frozenset[str] = NOTHING  # parameters that get an array which nobody else holds afterwards
    shared: bool = False  # its result shares memory with an array that the caller changes
    changed: frozenset[str] = (
        NOTHING  # parameters for which it is given arrays that the caller changes while others may hold them
    )
    seeded: bool = False  # NumPy's random state was seeded before, whatever way was taken
    drains: bool = False  # it may have been seeded before
    order: CallOrder | None = None

    @property
    def starred(self) -> bool:
        """Whether what it gives may be any parameter: `f(*values)`."""
        return self.args[:1] == (("*", UNKNOWN),)
