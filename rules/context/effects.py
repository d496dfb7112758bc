"""What rules ask as `ctx.effects`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.dead_stores import Slot
from ..facts.updates import Update


class Effects(Protocol):
    """Arrays that are changed in place."""

    def handled_by_loop(self, node: cst.CSTNode) -> bool:
        """Whether the loop around a statement takes care of what it stores."""
        ...

    def updates(self, node: cst.CSTNode) -> tuple[Update, ...]:
        """What a statement or call changes in place."""
        ...

    def slot(self, node: cst.CSTNode) -> Slot | None:
        """The slot that a store or a subscript belongs to, where only the last of its stores is made."""
        ...

    def slot_name(self, slot: Slot) -> str:
        """The variable that holds what the earlier stores gave."""
        ...
