"""Running sums and products of arrays of unknown dtype.

`np.cumsum` of int8 is int64, but `jnp.cumsum` of int8 is int8, which overflows. `jnp.cumulative_sum` gives NumPy's dtypes; it
needs an axis, or an array of rank 1. The others (`np.cumprod`, `np.add.accumulate`, `np.nancumsum`) get the dtype of a sum:
`dtype=jnp.sum(x).dtype`. To keep `jnp.cumsum`, annotate the dtype, or convert to floats first (`x.astype(float)`).

```python
import numpy as np


def equalized(counts: np.ndarray, rates: np.ndarray):
    return np.cumsum(counts, axis=0), np.cumsum(rates / rates.sum())
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def equalized(counts: jax.Array, rates: jax.Array):
    return jnp.cumulative_sum(counts, axis=0), jnp.cumsum(rates / rates.sum())
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders
from .sum_dtypes import summed_up

rule = Rule(__name__, "NJ612")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if (found := summed_up(node, ctx)) is None:
        return
    array, axis = found
    target, imports = ctx.names.name_of("jax.numpy.cumulative_sum")
    method = isinstance(node.func, cst.Attribute) and array is node.func.value
    flat = axis is None and ctx.value(array).rank != 1

    def edit(made: cst.Call) -> cst.Call:
        taken = made.func.value if method and isinstance(made.func, cst.Attribute) else made.args[0].value
        ravel = builders.dotted(ctx.names.name_of("jax.numpy.ravel")[0])
        taken = builders.call(ravel, taken) if flat else builders.bare(taken)
        along = [builders.keyword("axis", builders.bare(made.args[-1].value))] if axis is not None else []
        return made.with_changes(func=builders.dotted(target), args=[cst.Arg(taken), *along])

    message = "`cumsum` of integers has 64 bits in NumPy, and these may be integers"
    yield Finding(node, message, {node: edit}, imports)
