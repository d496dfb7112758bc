"""The interface `ctx.effects`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.dead_stores import Slot
from ..facts.updates import Update


class Effects(Protocol):
    """Arrays that are changed in place."""

    def handled_by_loop(self, node: cst.CSTNode) -> bool:
        """Whether the enclosing loop rewrites what a statement stores."""
        ...

    def updates(self, node: cst.CSTNode) -> tuple[Update, ...]:
        """The in-place changes that a statement or call makes."""
        ...

    def rebinds_all(self, call: cst.Call) -> bool:
        """Whether the names to which the statement of a call binds its result are the only ones of each array that it may return."""
        ...

    def may_change(self, node: cst.BaseExpression) -> bool:
        """Whether the array of an expression may be changed in place at some time."""
        ...

    def slot(self, node: cst.CSTNode) -> Slot | None:
        """The slot to which a store or a subscript belongs, where only its last store remains."""
        ...

    def slot_name(self, slot: Slot) -> str:
        """The variable for the value of the earlier stores."""
        ...
