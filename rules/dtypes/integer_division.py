"""Integer division by a value that may be zero.

For integer arrays, `1 // 0` and `1 % 0` are 0 in NumPy, which warns; JAX gives other numbers without a warning. Where the
divisor may be zero, test it (`np.where(b == 0, 0, a // b)`).

```python
import numpy as np


def shares(counts: np.ndarray, n: np.ndarray):
    return counts.astype(np.int64) // (n.astype(np.int64) + 1)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def shares(counts: jax.Array, n: jax.Array):
    return counts.astype(jnp.int64) // (n.astype(jnp.int64) + 1)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.dtypes import kind
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from .jax_dtypes import numpy_dtype

rule = Rule(__name__, "NJ604")


@rule.on(cst.BinaryOperation)
def division(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if isinstance(node.operator, (cst.FloorDivide, cst.Modulo)):
        yield from _divided(node, node.left, node.right, ctx)


@rule.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    if isinstance(node.operator, (cst.FloorDivideAssign, cst.ModuloAssign)):
        yield from _divided(node, node.target, node.value, ctx)


def _divided(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Finding]:
    values = [ctx.value(left), ctx.value(right)]
    if not any(v.device or v.kind is Kind.ARRAY for v in values) or _not_zero(right):
        return
    if all(kind(numpy_dtype(v)) in ("b", "i", "u") for v in values):
        yield Finding(node, "integers are divided: where the divisor is 0, NumPy gives 0 and JAX another number")


def _not_zero(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer) and node.evaluated_value != 0
