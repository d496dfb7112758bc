"""What rules ask as `ctx.loops`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.iteration_space import IterationSpace
from ..facts.loop_plan import LoopPlan
from ..facts.loops import Zipped


class Loops(Protocol):
    """Loops that jit compiles."""

    def iteration_space(self, loop: cst.For | cst.CompFor) -> IterationSpace:
        """What a loop, or a clause of a comprehension, goes through."""
        ...

    def loop_plan(self, node: cst.For | cst.While) -> LoopPlan:
        """What becomes of a loop."""
        ...

    def zipped(self, node: cst.For | cst.Call) -> Zipped | None:
        """What a loop, or a reduction of Python's, goes through together, where JAX takes all iterations or one after the other."""
        ...

    def row_count(self, node: cst.For | cst.Call) -> str:
        """The variable that holds how many iterations there are, where only the lengths of what is zipped tell."""
        ...
