"""The interface `ctx.host`."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from ..facts.values import Value


class Host(Protocol):
    """Which values are NumPy arrays and which are JAX arrays once the unit is converted."""

    @property
    def coerced(self) -> tuple[str, ...]:
        """Changed parameters that a function without jit converts to jax.Arrays at its start."""
        ...

    @property
    def returned(self) -> Value:
        """What the function returns, as its callers see it."""
        ...

    @property
    def guessed(self) -> frozenset[str]:
        """Parameters that are arrays or lists of numbers by their use, and that no statement converts to arrays."""
        ...

    def is_device(self, node: cst.CSTNode) -> bool:
        """Whether it certainly is a jax.Array or a tracer once the unit is converted: it has `.at`."""
        ...

    def is_device_value(self, value: Value) -> bool: ...

    def is_jax_variable(self, value: Value) -> bool:
        """Whether the converted module creates it with JAX: the array of one of its variables, a view of one, or an item of
        its list."""
        ...

    def on_host(self, call: cst.Call) -> bool:
        """Whether a NumPy call stays NumPy because all its arguments are static: `np.prod(x.shape)`."""
        ...

    def requires_host(self, *functions: str) -> bool:
        """Whether the unit, left as NumPy, needs the results of one of these functions as NumPy arrays."""
        ...

    def as_before(self, node: cst.BaseExpression) -> bool:
        """Whether a value was a JAX array before the conversion, too, so that what it receives does not change."""
        ...

    def converted_result(self, node: cst.BaseExpression) -> bool:
        """Whether a value is computed from results of converted functions."""
        ...

    def may_return_jax(self, call: cst.Call) -> bool:
        """Whether a call of an unknown function or method, or of `map`, may run a converted one."""
        ...

    def may_add_jax(self, node: cst.AugAssign) -> bool:
        """Whether a unit left as NumPy may add a result of converted code to its array, through objects of unknown class."""
        ...
