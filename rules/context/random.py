"""The interface `ctx.random`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.draw import Draw
from ..facts.random_keys import Keys


class Random(Protocol):
    """The random state of NumPy, and the keys that replace it."""

    def drawn(self, call: cst.Call) -> Draw | None:
        """What a call draws from NumPy's random state or from a generator."""
        ...

    def passes_on(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a generator that flows into other code."""
        ...

    def seeds(self, call: cst.Call) -> bool:
        """Whether a call seeds NumPy's random state."""
        ...

    def seeds_for_host(self, call: cst.Call) -> bool:
        """Whether code that stays NumPy, or code outside of the project, may need what a call seeds."""
        ...

    def passes_on_key(self, call: cst.Call | None = None) -> bool:
        """Whether all that a constructor does with NumPy's state is one call of a base constructor: the key is in the object."""
        ...

    def is_base(self, call: cst.Call) -> bool:
        """Whether a call is one of a method of `super()`."""
        ...

    def makes_generator(self, node: cst.BaseExpression) -> bool:
        """Whether a call creates a random generator, or a name aliases NumPy's global one: `rng = np.random`."""
        ...

    def accepts_any(self, node: cst.BaseExpression) -> bool:
        """Whether code outside of the project determines the seed of a generator that a call creates."""
        ...

    def spawns(self, node: cst.Call) -> bool:
        """Whether a call creates several generators from one."""
        ...

    def spawns_beside(self, node: cst.Call) -> bool:
        """Whether other code may draw from the same keys as those into which a call would split the key of a generator."""
        ...

    def puts_back(self, node: cst.Call) -> bool:
        """Whether keys are stored back into the list of generators that a call creates."""
        ...

    def may_be_none(self, node: cst.BaseExpression | None) -> bool:
        """Whether a seed is a parameter that may be None where it is used."""
        ...

    def may_be_key(self, node: cst.BaseExpression | None) -> bool:
        """Whether a seed is a parameter that may be a generator as well as a number."""
        ...

    @property
    def keys(self) -> Keys:
        """The keys that the draws of the unit use."""
        ...

    @property
    def key_name(self) -> str:
        """The variable for the key that replaces NumPy's random state."""
        ...
