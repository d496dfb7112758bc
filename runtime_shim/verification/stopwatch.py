"""How long the comparison of one function takes, and when each part of it has to end."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..sandbox.session import Side

# Seconds since the comparison of a function began. A part that starts late still gets LEAST.
DRAWN = 1.6  # calls that Hypothesis draws
PATIENT = 12.0  # the same, while no call could be compared
EDGES = 2.4  # edge cases
FOLLOWED = 2.8  # following the original at boundaries
BOUNDARIES = 3.4  # comparing these calls
SIZES = 3.9  # comparing calls of other sizes
SMALLEST = 3.7  # making a call that differs smaller
MODES = 4.1  # repeating calls without jit and with other arrays
LEAST = 0.5
BUSY = 4  # a machine that many share gives a process at least this fraction of the time, we assume


@dataclass(slots=True)
class Stopwatch:
    """The processor time of this process and of both sides since it was made: other programs change it little.

    Where the code waits rather than computes, the time on the wall counts by a quarter, and by less on a machine with more to do
    than it has processors.
    """

    sides: Sequence[Side]
    wall: float = field(default_factory=time.monotonic)
    processor: float = field(init=False)
    busy: float = field(init=False)

    def __post_init__(self) -> None:
        self.processor = self._processor()
        self.busy = BUSY * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))

    def elapsed(self) -> float:
        """The seconds so far."""
        return max(self._processor() - self.processor, (time.monotonic() - self.wall) / self.busy)

    def until(self, limit: float) -> Deadline:
        """The end of a part that should be done at `limit`."""
        return Deadline(self, max(limit, self.elapsed() + LEAST))

    def _processor(self) -> float:
        return time.process_time() + sum(side.spent for side in self.sides)


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a part ends."""

    watch: Stopwatch
    limit: float

    @property
    def over(self) -> bool:
        """Whether its time is used up."""
        return self.watch.elapsed() > self.limit
