"""When compiling has paid: the arithmetic of the measured times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CLEARLY = 0.95  # a call is faster if it takes less than this share of NumPy's time; the rest is noise


def clearly_faster(warm: float, numpy: float) -> bool:
    """Whether a call is faster than NumPy's by more than noise."""
    return warm < CLEARLY * numpy


@dataclass(frozen=True, slots=True)
class Timing:
    """What a call takes with arguments of one size, in seconds.

    `elements`: of the largest array; `numpy`: the original; `first`: the first call of the converted function, which compiles;
    `warm`: a later one. `call` shows the arguments.
    """

    elements: int
    numpy: float
    first: float
    warm: float
    call: str = ""

    @property
    def saved(self) -> float:
        """The seconds that a warm call saves; negative if it takes longer than NumPy's."""
        return self.numpy - self.warm

    @property
    def speedup(self) -> float:
        """How many times as fast as NumPy a warm call is."""
        return self.numpy / max(self.warm, 1e-9)

    @property
    def pays(self) -> bool:
        """Whether a warm call is clearly faster than NumPy."""
        return clearly_faster(self.warm, self.numpy)

    @property
    def calls_until_paid(self) -> int | None:
        """The number of calls after which JAX has taken no more time than NumPy, compilation included; None for never."""
        if not self.pays:
            return None
        return max(1, math.ceil((self.first - self.warm) / self.saved))


def pays_from(timings: Sequence[Timing]) -> Timing | None:
    """The smallest measured size from which on JAX is faster at every measured size."""
    found = None
    for timing in sorted(timings, key=lambda one: one.elements, reverse=True):
        if not timing.pays:
            break
        found = timing
    return found


def fastest(timings: Sequence[Timing]) -> Timing:
    """The size at which JAX does best."""
    return max(timings, key=lambda one: one.speedup)
