"""The interface `ctx.names`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst


class Names(Protocol):
    """Names that the output uses, and names that the source binds."""

    def imported(self, node: cst.Name) -> bool:
        """Whether only imports bind a name, and no assignment such as `sqrt = np.sqrt`."""
        ...

    def stays_numpy(self, node: cst.Name) -> bool:
        """Whether a name is a variable of a module whose own code is left as NumPy: `sqrt = np.sqrt` stays as it is."""
        ...

    def name_of(self, dotted: str) -> tuple[str, frozenset[str]]:
        """How the file spells a dotted name of JAX, and the imports that it needs: "jnp.sqrt", {"import jax.numpy as jnp"}."""
        ...

    def fresh(self, stem: str) -> str:
        """A name that nothing in the file uses."""
        ...

    def defined(self, name: str) -> str:
        """The name in the file for its copy of a function of rules.definitions."""
        ...

    def local(self, stem: str, *others: str) -> str:
        """A name that the unit does not use: the first of the arguments that is unused, or the last with a number."""
        ...

    def label(self, stem: str) -> str:
        """A name for a function that is used right after its definition: unlike that of `local`, it may be used again."""
        ...
