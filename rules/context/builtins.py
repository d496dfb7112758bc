"""What rules ask as `ctx.builtins`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.comprehensions import MapLoop, ReductionOperands


class Builtins(Protocol):
    """Operators, reductions and comprehensions of Python's that JAX computes instead."""

    def mapped(self, node: cst.CSTNode) -> MapLoop | None:
        """What a comprehension does, where it applies a function to every row of an array."""
        ...

    def logical(self, node: cst.BaseExpression) -> bool:
        """Whether JAX computes `and`, `or`, `not`, a chain of comparisons, or `min` and `max` of numbers, instead of Python."""
        ...

    def reduction_operands(self, node: cst.Call) -> ReductionOperands | None:
        """What `sum`, `max`, `min`, `any` or `all` of Python's goes through, where JAX takes all of it at once."""
        ...

    def taken(self, node: cst.Call) -> int:
        """How many of the positions where something holds are looked at, where that is all that is asked; else 0."""
        ...
