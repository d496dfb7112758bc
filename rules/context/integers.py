"""The interface `ctx.integers`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst


class Integers(Protocol):
    """What follows for integers from the syntax: the ranges of loops, assignments, enclosing tests."""

    def is_positive(self, node: cst.BaseExpression) -> bool:
        """Whether an integer certainly is at least 1."""
        ...

    def is_inside(self, index: cst.BaseExpression, array: cst.BaseExpression, axis: int) -> bool:
        """Whether an integer certainly is an index of an array along an axis."""
        ...
