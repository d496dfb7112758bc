"""A list used as an index of an array.

NumPy converts a list in a subscript to an array; JAX raises TypeError.

```python
import numpy as np


def ends(x):
    return np.sum(x[[0, -1]])
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def ends(x):
    return jnp.sum(x[jnp.array([0, -1])])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders
from ..syntax.sequences import is_mask, is_sequence, wrapped

rule = Rule(__name__, "NJ105")


@rule.on(cst.Subscript)
def check(node: cst.Subscript, ctx: Context) -> Iterator[Finding]:
    if ctx.kind(node.value) is not Kind.ARRAY and not ctx.host.is_device(node.value):
        return
    parts = builders.flat(node.slice)
    for part in parts:
        index = part.slice.value if isinstance(part.slice, cst.Index) else None
        if index is None:
            continue
        imports = ctx.names.name_of("numpy.array" if is_mask(index) else "jax.numpy.array")[1]
        if isinstance(index, (cst.List, cst.ListComp)) or ctx.kind(index) is Kind.LIST or ctx.value(index).name == "range":
            yield Finding(index, "JAX refuses a list or a range as an index", {index: partial(_array, ctx, index)}, imports)
        elif isinstance(index, cst.Name) and is_sequence(index, ctx) and ctx.kind(index) is Kind.UNKNOWN:
            yield Finding(index, f"`{index.value}` may be a list, which JAX refuses as an index", blocks=True)
        elif len(parts) > 1 and isinstance(index, cst.Tuple):
            yield Finding(index, "JAX refuses a tuple as an index", {index: partial(_array, ctx, index)}, imports)


def _array(ctx: Context, node: cst.BaseExpression, made: cst.BaseExpression) -> cst.BaseExpression:
    if is_mask(made):  # a mask must be static: it determines the shape
        return builders.call(builders.dotted(ctx.names.name_of("numpy.array")[0]), made)
    if isinstance(made, cst.List) and not made.elements:  # an empty array is a float array by default
        return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.array")[0]), made, builders.dotted("int"))
    return wrapped(node, made, ctx)
