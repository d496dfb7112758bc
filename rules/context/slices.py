"""What rules ask as `ctx.slices`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from ..facts.dynamic_slices import Bounds, Fit, Ragged


class Slices(Protocol):
    """Slices whose bounds are not known when JAX traces, and masks."""

    def ragged(self, root: cst.CSTNode) -> Ragged | None:
        """What becomes of the slices of a statement or a condition whose bounds are not known when tracing."""
        ...

    def positions(self, bounds: Bounds) -> str:
        """The variable that holds the positions along an axis, 0, 1, ..."""
        ...

    def fits(self, statement: cst.CSTNode) -> Sequence[Fit]:
        """How many dimensions arrays must have, which is said ahead of a statement."""
        ...

    def signs(self, statement: cst.CSTNode) -> Sequence[str]:
        """Conditions that must hold, `width >= 0`, which is said ahead of a statement."""
        ...

    def positions_made(self, statement: cst.CSTNode) -> Sequence[tuple[str, Bounds]]:
        """The variables of positions that are made before a statement, with the axes that they are along."""
        ...

    def ranks_asserted(self, statement: cst.CSTNode) -> Sequence[tuple[str, int]]:
        """The arrays that must have so many dimensions, from a statement on."""
        ...
