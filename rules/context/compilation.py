"""The interface `ctx.compilation`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst


class Compilation(Protocol):
    """Why jit does not compile something."""

    @property
    def eager(self) -> str:
        """Why jit does not compile a function that computes with arrays; "" where it does, where a loop, a branch or a shape
        in it is the reason, and where compiling it would be of no use."""
        ...

    def untraceable_shape(self, node: cst.CSTNode) -> str:
        """Why the shape of a value depends on values; "" where it does not, or where a mask on the whole array replaces it."""
        ...

    def untraceable_branch(self, node: cst.If | cst.IfExp) -> str:
        """Why Python must decide a branch, "" where jit could compile it."""
        ...

    def is_kept(self, node: cst.Assign) -> bool:
        """Whether XLA must be kept from computing the value again for each use of the variable, which takes longer than to store it."""
        ...
