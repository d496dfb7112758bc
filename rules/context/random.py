"""What rules ask as `ctx.random`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.draw import Draw
from ..facts.random_keys import Keys


class Random(Protocol):
    """Random state of NumPy's, and the keys that take its place."""

    def drawn(self, call: cst.Call) -> Draw | None:
        """What a call draws from NumPy's random state or from a generator."""
        ...

    def passes_on(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a generator that somebody else gets."""
        ...

    def seeds(self, call: cst.Call) -> bool:
        """Whether a call seeds NumPy's random state."""
        ...

    def passes_on_key(self, call: cst.Call | None = None) -> bool:
        """Whether a constructor does no more with NumPy's state than that of a base, by one call: the key is in the object."""
        ...

    def is_base(self, call: cst.Call) -> bool:
        """Whether a call is of a method of `super()`."""
        ...

    def makes_generator(self, node: cst.BaseExpression) -> bool:
        """Whether a call makes a generator of random numbers, or a name gives somebody NumPy's own: `rng = np.random`."""
        ...

    def spawns(self, node: cst.Call) -> bool:
        """Whether a call makes several generators of one."""
        ...

    def spawns_beside(self, node: cst.Call) -> bool:
        """Whether something may draw from keys that are split as those would be which a call makes of a generator's."""
        ...

    def puts_back(self, node: cst.Call) -> bool:
        """Whether keys are put back into the list of several generators that a call makes."""
        ...

    def may_be_none(self, node: cst.BaseExpression | None) -> bool:
        """Whether a seed is a parameter that may be None where it is used."""
        ...

    def may_be_key(self, node: cst.BaseExpression | None) -> bool:
        """Whether a seed is a parameter that may be a generator as well as a number."""
        ...

    @property
    def keys(self) -> Keys:
        """Which keys the unit's draws use."""
        ...

    @property
    def key_name(self) -> str:
        """The variable that holds the key which stands for NumPy's random state."""
        ...
