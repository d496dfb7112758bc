"""The interface `ctx.builtins`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.comprehensions import MapLoop, ReductionOperands


class Builtins(Protocol):
    """Python operators, reductions and comprehensions that JAX computes instead."""

    def mapped(self, node: cst.CSTNode) -> MapLoop | None:
        """What a comprehension computes, where it applies a function to every row of an array."""
        ...

    def logical(self, node: cst.BaseExpression) -> bool:
        """Whether JAX instead of Python computes `and`, `or`, `not`, a chain of comparisons, or `min` and `max` of scalars."""
        ...

    def reduction_operands(self, node: cst.Call) -> ReductionOperands | None:
        """The operands of the Python function `sum`, `max`, `min`, `any` or `all`, where JAX reduces them in one operation."""
        ...

    def taken(self, node: cst.Call) -> int:
        """How many of the indices where a condition holds are used, where only the first ones are; else 0."""
        ...
