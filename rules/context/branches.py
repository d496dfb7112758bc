"""The interface `ctx.branches`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from ..facts.branches import Branch


class Branches(Protocol):
    """Branches that jit compiles."""

    def branch(self, node: cst.If | cst.IfExp) -> Branch | None:
        """What a branch binds or returns, where jit compiles it; None where Python decides it."""
        ...

    @property
    def returning(self) -> Sequence[cst.If]:
        """The branches that contain `return` and that jit compiles."""
        ...
