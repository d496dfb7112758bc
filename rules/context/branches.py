"""What rules ask as `ctx.branches`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from ..facts.branches import Branch


class Branches(Protocol):
    """Branches that jit compiles."""

    def branch(self, node: cst.If | cst.IfExp) -> Branch | None:
        """What a branch binds or returns, where jit compiles it; None where Python decides."""
        ...

    @property
    def returning(self) -> Sequence[cst.If]:
        """The branches with `return` in them that jit compiles."""
        ...
