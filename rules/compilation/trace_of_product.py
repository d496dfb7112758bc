"""The trace of a matrix product: only the diagonal of the product is needed.

`np.trace(A @ B)` multiplies the matrices and drops all but the diagonal: n**3 products, of which n**2 are needed. `jnp.einsum` computes just
these. The sum is the same up to rounding. The rule applies where both operands are known to be matrices of the same floating-point or
complex dtype; the products of small integers would wrap.

```python
import numpy as np


def explained(n: int, noise: float):
    basis = np.ones((n, n + 1))
    weights = np.full((n + 1, n), noise)
    return np.trace(basis @ weights)
```

becomes

```python
import functools

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@functools.partial(jax.jit, static_argnames="n")
def explained(n: int, noise: float):
    basis = jnp.ones((n, n + 1))
    weights = jnp.full((n + 1, n), noise)
    return jnp.einsum("ij,ji->", basis, weights, precision="highest")
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ904", optional=True, faster=True)
DTYPES = (
    "float32",
    "float64",
    "complex64",
    "complex128",
)  # products of narrower ones are rounded, or wrap, before they are added


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    match node.args:
        case [
            cst.Arg(
                keyword=None, star="", value=cst.BinaryOperation(left=left, operator=cst.MatrixMultiply(), right=right) as product
            )
        ] if ctx.qualname(node.func) == "numpy.trace":
            known = [ctx.value(each) for each in (left, right)]
        case _:
            return
    if not ctx.plan.traceable or builders.has_comment(product.operator) or any(value.rank != 2 for value in known):
        return
    if known[0].dtype != known[1].dtype or known[0].dtype not in DTYPES:
        return
    name, imports = ctx.names.name_of("jax.numpy.einsum")

    def edit(made: cst.Call) -> cst.BaseExpression:
        inner = made.args[0].value
        if not isinstance(inner, cst.BinaryOperation) or not isinstance(inner.operator, cst.MatrixMultiply):
            return made  # another rule rewrote the product
        call = builders.call(
            builders.dotted(name), cst.SimpleString('"ij,ji->"'), builders.bare(inner.left), builders.bare(inner.right)
        )
        return call.with_changes(args=[*call.args, builders.keyword("precision", cst.SimpleString('"highest"'))])

    yield Finding(node, "only the diagonal of a matrix product is needed: its trace takes n**2 products", {node: edit}, imports)
