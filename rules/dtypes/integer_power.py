"""An integer raised to an integer power that may be negative.

NumPy raises ValueError for a negative power, and Python gives a float; JAX gives a wrong number. Where the exponent may be
negative, make the base a float (`x.astype(float) ** n`).

A parameter annotated as a float (`x: float`) may receive an integer, so a literal combined with it becomes a float: `2.0 ** x`
for `2 ** x`, and `x ** -1.0` for `x ** -1`, also where nothing is known about `x`. `x ** -k` means a fraction, whatever `k` is, so
the base becomes a float: `(1.0 * x) ** -k`. Where nothing is known about the exponent, decide it yourself.

```python
import numpy as np


def powers(base: np.ndarray, n: np.ndarray):
    return base.astype(np.int64) ** n.astype(np.int64)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def powers(base: jax.Array, n: jax.Array):
    return base.astype(jnp.int64) ** n.astype(jnp.int64)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders
from ..syntax.tree import is_negated
from .jax_dtypes import numpy_dtype

rule = Rule(__name__, "NJ605")
FUNCTIONS = ("numpy.power", "numpy.pow")


@rule.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if isinstance(node.operator, cst.Power):
        yield from _raised(node, node.left, node.right, ctx)
        yield from _of_numbers(node, ctx)


@rule.on(cst.Call)
def function(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.qualname(node.func) in FUNCTIONS and len(node.args) >= 2:
        yield from _raised(node, node.args[0].value, node.args[1].value, ctx)


def _of_numbers(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    """A literal combined with a Python scalar that jit traces as an array."""
    base, power = node.left, node.right
    if isinstance(base, cst.Integer) and _traced(power, ctx):
        if _may_be_integer(power, ctx) or _negated(power, ctx):
            yield Finding(node, f"`{base.value}` to a power that may be a negative integer", {base: _floating})
        elif ctx.value(power).kind is Kind.UNKNOWN and not ctx.value(power).dtype:
            yield Finding(node, "an integer to a power that may be a negative integer: JAX gives a wrong number then")
    elif (
        _negated(power, ctx)
        and (_may_be_whole(base, ctx) or _may_be_integer(base, ctx))
        and (_traced(base, ctx) or _traced(power, ctx))
    ):
        yield Finding(node, "an integer to a negative power is a fraction: JAX gives a wrong number", {base: _multiplied})
    elif isinstance(power, cst.UnaryOperation) and isinstance(power.expression, cst.Integer) and _traced(base, ctx):
        if isinstance(power.operator, cst.Minus) and (_may_be_integer(base, ctx) or _may_be_whole(base, ctx)):
            message = "a value that may be an integer, to a negative power: JAX would raise"
            yield Finding(node, message, {power.expression: _floating})


def _negated(power: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an exponent is written as the negative of what may be an integer: this means a fraction."""
    return is_negated(power) and dtypes.category(ctx.value(power).dtype) < 2


def _may_be_whole(base: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it may be a Python integer; NumPy raises for integer arrays."""
    value = ctx.value(base)
    return value.kind in (Kind.SCALAR, Kind.UNKNOWN) and dtypes.category(value.dtype) < 2 and not value.device


def _multiplied(made: cst.BaseExpression) -> cst.BaseExpression:
    """`(1.0 * x)`: a float, of the same width where it already is one."""
    return builders.operand(cst.BinaryOperation(cst.Float("1.0"), cst.Multiply(), builders.operand(made)))


def _traced(node: cst.BaseExpression, ctx: Context) -> bool:
    return ctx.plan.jit and not ctx.is_static(node)


def _may_be_integer(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an annotated Python float is an integer where the arguments are integers."""
    value = ctx.value(node)
    return value.kind is Kind.SCALAR and value.dtype == "float" and not _fractional(node)


def _fractional(node: cst.BaseExpression) -> bool:
    match node:
        case cst.Name():
            return False
        case cst.UnaryOperation(expression=inner):
            return _fractional(inner)
        case cst.BinaryOperation(operator=cst.Add() | cst.Subtract() | cst.Multiply(), left=left, right=right):
            return _fractional(left) or _fractional(right)
        case cst.Integer():
            return False
    return True


def _floating(made: cst.CSTNode) -> cst.CSTNode:
    assert isinstance(made, cst.Integer)
    return cst.Float(f"{int(made.value, 0)}.0", lpar=made.lpar, rpar=made.rpar)


def _raised(node: cst.CSTNode, base: cst.BaseExpression, exponent: cst.BaseExpression, ctx: Context) -> Iterator[Finding]:
    power = ctx.value(exponent)
    if isinstance(exponent, cst.Integer) or (power.static and not power.device):
        return  # JAX raises for a negative Python integer
    if dtypes.kind(numpy_dtype(ctx.value(base))) in ("i", "u") and dtypes.kind(numpy_dtype(power)) == "i":
        yield Finding(node, "integers to the power of integers: NumPy raises for a negative power, JAX gives a wrong number")
