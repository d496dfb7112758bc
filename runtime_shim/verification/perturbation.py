"""The outcomes of the original when its inputs, or what it computes, are moved by a rounding error."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..inputs.edge_cases import perturbed
from ..inputs.leaves import is_inexact
from ..sandbox.process import Ended
from ..sandbox.session import Side
from ..sandbox.staging import FunctionPair
from ..values.calls import Arguments, Outcome
from ..values.snapshot import walk

LONGEST = 1.0  # seconds for all of them
NOISY = 12  # how often what the original computes is perturbed


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Runs the original again and again, on inputs that differ by rounding errors. `constants`: of its code, which are exact."""

    pair: FunctionPair
    original: Side
    seed: int
    timeout: float
    constants: tuple[float, ...]

    def of_inputs(self, arguments: Arguments, seeds: Iterable[int]) -> Iterator[Outcome]:
        """The outcomes for inputs that are moved; none if no number can be."""
        if any(map(is_inexact, walk(arguments.node))):
            yield from self._outcomes((perturbed(arguments, seed), {}) for seed in seeds)

    def of_values(self, arguments: Arguments) -> Iterator[Outcome]:
        """The outcomes for the same inputs, with rounding errors added to what is computed from them, unless it is exact."""
        how = {"constants": self.constants}
        yield from self._outcomes((arguments, how | {"noise": noise}) for noise in range(1, NOISY + 1))

    def of_residues(self, arguments: Arguments) -> Iterator[Outcome]:
        """The outcomes with rounding errors wherever they may occur, as large as those of the largest numbers.

        They show what is left of numbers that cancel, such as `sin(2 * pi)`, and say nothing about a result of another size.
        """
        how = {"constants": self.constants, "noise_everywhere": True}
        calls = ((perturbed(arguments, noise, absolute=True), how | {"noise": noise}) for noise in range(1, NOISY + 1))
        yield from self._outcomes(calls)

    def _outcomes(self, calls: Iterable[tuple[Arguments, Mapping[str, object]]]) -> Iterator[Outcome]:
        deadline = time.monotonic() + LONGEST
        for arguments, how in calls:
            try:
                yield self.original.call(
                    self.pair.file, self.pair.name, arguments, self.timeout, {"guarded": True, "seed": self.seed, **how}
                )
            except Ended:
                return
            if time.monotonic() > deadline:
                return
