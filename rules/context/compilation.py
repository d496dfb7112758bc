"""What rules ask as `ctx.compilation`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst


class Compilation(Protocol):
    """Why jit does not compile something."""

    @property
    def eager(self) -> str:
        """Why jit does not compile a function that computes with arrays, "" where it does, where a loop, a branch or a shape
        in it says so, and where nobody would want it."""
        ...

    def untraceable_shape(self, node: cst.CSTNode) -> str:
        """Why the shape of a value depends on values, "" where it does not, or a mask on the whole array does instead."""
        ...

    def untraceable_branch(self, node: cst.If | cst.IfExp) -> str:
        """Why Python must decide on a branch, "" where jit could compile it."""
        ...
