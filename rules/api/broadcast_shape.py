"""The shape to which `np.broadcast` broadcasts arrays.

JAX has no `np.broadcast`, but `jnp.broadcast_shapes`, which gives the same shape.

```python
import numpy as np


def scaled(x: np.ndarray, y: np.ndarray):
    out = np.zeros(np.broadcast(x, y).shape)
    out += x * y
    return out
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x: jax.Array, y: jax.Array):
    out = jnp.zeros(jnp.broadcast_shapes(x.shape, y.shape))
    out = out + x * y
    return out
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ117")


@rule.on(cst.Attribute)
def check(node: cst.Attribute, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.Attribute(value=cst.Call(func=func, args=args), attr=cst.Name("shape")) if (
            ctx.qualname(func) == "numpy.broadcast"
        ):
            if args and all(a.keyword is None and not a.star for a in args):
                yield _found(node, [a.value for a in args], ctx)


def _found(node: cst.Attribute, operands: Sequence[cst.BaseExpression], ctx: Context) -> Finding:
    broadcast, imports = ctx.names.name_of("jax.numpy.broadcast_shapes")
    shape, more = ctx.names.name_of("jax.numpy.shape")
    arrays = [ctx.kind(operand) is Kind.ARRAY and not ctx.value(operand).number for operand in operands]

    def edit(made: cst.BaseExpression) -> cst.BaseExpression:
        assert isinstance(made, cst.Attribute) and isinstance(made.value, cst.Call)
        given = [argument.value for argument in made.value.args]
        shapes = [
            cst.Attribute(builders.operand(g), cst.Name("shape")) if array else builders.call(builders.dotted(shape), g)
            for g, array in zip(given, arrays, strict=True)
        ]
        return builders.call(builders.dotted(broadcast), *shapes)

    return Finding(
        node,
        "`np.broadcast(...).shape` is `jnp.broadcast_shapes(...)`",
        {node: edit},
        imports | (frozenset() if all(arrays) else more),
    )
