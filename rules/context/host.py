"""What rules ask as `ctx.host`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.values import Value


class Host(Protocol):
    """Which values are NumPy's and which are JAX's once the unit is converted."""

    @property
    def coerced(self) -> tuple[str, ...]:
        """Changed parameters that a function without jit makes jax.Arrays of at its start."""
        ...

    @property
    def guessed(self) -> frozenset[str]:
        """Parameters that their use tells to be arrays or lists of numbers, and that no statement makes arrays."""
        ...

    def is_device(self, node: cst.CSTNode) -> bool:
        """Certainly a jax.Array or a tracer once the unit is converted: it has `.at`."""
        ...

    def is_device_value(self, value: Value) -> bool: ...

    def is_jax_variable(self, value: Value) -> bool:
        """Whether the converted module makes it with JAX: the array of its variable, a view of one, or what its list holds."""
        ...

    def on_host(self, call: cst.Call) -> bool:
        """Whether a NumPy call stays NumPy, because all that it takes is known when tracing: `np.prod(x.shape)`."""
        ...

    def requires_host(self, *functions: str) -> bool:
        """Whether the unit, being kept, needs NumPy arrays for the results of one of these functions."""
        ...

    def as_before(self, node: cst.BaseExpression) -> bool:
        """Whether a value was JAX's before the conversion, too: what is given it was given it then."""
        ...

    def converted_result(self, node: cst.BaseExpression) -> bool:
        """Whether a value is made of results of converted functions."""
        ...

    def may_add_jax(self, node: cst.AugAssign) -> bool:
        """Whether a kept unit may add to its array what converted code made, by objects of unknown class."""
        ...
