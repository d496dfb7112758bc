"""The interface `ctx.loops`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.iteration_space import IterationSpace
from ..facts.loop_plan import LoopPlan
from ..facts.loops import Zipped


class Loops(Protocol):
    """Loops that jit compiles."""

    def iteration_space(self, loop: cst.For | cst.CompFor) -> IterationSpace:
        """What a loop, or a clause of a comprehension, iterates over."""
        ...

    def loop_plan(self, node: cst.For | cst.While) -> LoopPlan:
        """What becomes of a loop."""
        ...

    def growing_integers(self, node: cst.For | cst.While) -> frozenset[str]:
        """The integers of Python that a compiled loop may multiply in each iteration."""
        ...

    def zipped(self, node: cst.For | cst.Call) -> Zipped | None:
        """The operands over which a loop, or a Python reduction, iterates together, where JAX runs the iterations, in parallel
        or in order."""
        ...

    def row_count(self, node: cst.For | cst.Call) -> str:
        """The variable for the trip count, where only the lengths of the zipped operands determine it."""
        ...
