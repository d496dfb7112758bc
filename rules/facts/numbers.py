"""What the analysis of JAX code knows about the numbers in an array."""

from __future__ import annotations

from typing import NamedTuple

INTS, COUNT, NEGATIVE = "int", "count", "negative"  # integers; none of them negative; none of them positive
INTEGERS = frozenset({INTS, COUNT, NEGATIVE, "uint8", "uint16"})
FLOATS = frozenset({"float", "complex"})


class Arange(NamedTuple):
    """An array of `arange`, with the arguments of `range`."""

    start: int
    stop: int | None = None
    step: int | None = None

    def numbers(self) -> range:
        return range(*(number for number in self if number is not None))


class Mean(NamedTuple):
    """The mean of an expression, or of its square. `rest`: the other arguments. `squared`: the square of the mean."""

    subject: str
    rest: tuple[str, ...] = ()
    power: int = 1
    squared: bool = False
