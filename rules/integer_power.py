"""Integers to the power of integers that may be negative.

NumPy raises ValueError where an integer is raised to a negative power; JAX goes on with a wrong number. Make the base a float
(`x.astype(float) ** n`) where the exponent can be negative.

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

from .context import Context
from .jax_dtypes import kind, numpy_dtype
from .model import Finding
from .registry import Rule

rule = Rule(__name__, "NJ605")
FUNCTIONS = ("numpy.power", "numpy.pow")


@rule.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if isinstance(node.operator, cst.Power):
        yield from _raised(node, node.left, node.right, ctx)


@rule.on(cst.Call)
def function(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.qualname(node.func) in FUNCTIONS and len(node.args) >= 2:
        yield from _raised(node, node.args[0].value, node.args[1].value, ctx)


def _raised(node: cst.CSTNode, base: cst.BaseExpression, exponent: cst.BaseExpression, ctx: Context) -> Iterator[Finding]:
    power = ctx.value(exponent)
    if isinstance(exponent, cst.Integer) or (power.static and not power.device):
        return  # JAX raises for a negative number of Python's
    if kind(numpy_dtype(ctx.value(base))) in ("i", "u") and kind(numpy_dtype(power)) == "i":
        yield Finding(node, "integers to the power of integers: NumPy raises for a negative power, JAX gives a wrong number")
