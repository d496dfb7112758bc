"""The interface `ctx.slices`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from ..facts.dynamic_slices import Bounds, Fit, Ragged


class Slices(Protocol):
    """Dynamic slices, whose bounds are not known when JAX traces, and masks."""

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        """What replaces the dynamic slices of a statement or a condition."""
        ...

    def positions(self, bounds: Bounds) -> str:
        """The variable for the indices along an axis, 0, 1, ..."""
        ...

    def fits(self, statement: cst.CSTNode) -> Sequence[Fit]:
        """How many dimensions arrays must have, which is asserted before a statement."""
        ...

    def signs(self, statement: cst.CSTNode) -> Sequence[str]:
        """Conditions that must hold, such as `width >= 0`, which are asserted before a statement."""
        ...

    def positions_made(self, statement: cst.CSTNode) -> Sequence[tuple[str, Bounds]]:
        """The variables for indices that are created before a statement, with the axes that they index."""
        ...

    def ranks_asserted(self, statement: cst.CSTNode) -> Sequence[tuple[str, int]]:
        """The arrays that must have a certain number of dimensions, from a statement on."""
        ...
