"""What rules ask as `ctx.names`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst


class Names(Protocol):
    """Names that the output uses, and names that the source binds."""

    def imported(self, node: cst.Name) -> bool:
        """Whether a name is bound by imports only, not by an assignment such as `sqrt = np.sqrt`."""
        ...

    def name_of(self, dotted: str) -> tuple[str, frozenset[str]]:
        """How the file writes a dotted name of JAX, and the imports that it takes: "jnp.sqrt", {"import jax.numpy as jnp"}."""
        ...

    def fresh(self, stem: str) -> str:
        """A name that nothing in the file uses."""
        ...

    def defined(self, name: str) -> str:
        """How the file calls its copy of a function of rules.definitions."""
        ...

    def local(self, stem: str, *others: str) -> str:
        """A name that the unit does not use: the first of those given that it does not, or the last with a number."""
        ...

    def label(self, stem: str) -> str:
        """A name for a function that is used at once: it may be used again, other than `local`."""
        ...
