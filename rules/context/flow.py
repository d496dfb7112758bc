"""The interface `ctx.flow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import libcst as cst


class Flow(Protocol):
    """Data flow and control flow of the unit: what is read, bound and live, and where statements are."""

    def may_be_tuple(self, name: str) -> bool:
        """Whether a variable of the unit is a tuple at any point."""
        ...

    def bound_to(self, node: cst.Name) -> tuple[cst.BaseExpression, ...]:
        """The expressions to one of which an assignment has bound a variable where it is read; () if it may have another value."""
        ...

    def falls_through(self, body: cst.BaseSuite) -> bool:
        """Whether the end of a body can be reached."""
        ...

    def not_first(self, call: cst.Call, places: set[str]) -> str:
        """Why a call that changes `places` (access paths) cannot be moved before its statement, "" when it can."""
        ...

    def uses(self, nodes: Iterable[cst.CSTNode]) -> tuple[frozenset[str], frozenset[str]]:
        """The names that some code reads, and those that it binds."""
        ...

    def live_before(self, node: cst.CSTNode) -> frozenset[str]:
        """The names that may be read from a statement on."""
        ...

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The enclosing statement line or compound statement of a node; the small statement where that is on the line of a
        header."""
        ...

    def live_after(self, node: cst.CSTNode) -> frozenset[str]:
        """The names that may be read after the enclosing statement of a node."""
        ...

    def first_in_block(self, node: cst.CSTNode) -> bool:
        """Whether a statement is the first of its block."""
        ...

    def ends_unit(self, node: cst.Return) -> bool:
        """Whether a return belongs to the unit itself, and not to a nested function."""
        ...
