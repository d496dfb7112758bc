"""The first of the positions where a condition holds.

The number of such positions depends on values; `size=` fixes it, so that `jit` can compile the call. Where there is none, NumPy
raises IndexError, and JAX gives 0 (for the last one, `[-1]`, the last position). Test `np.any(mask)` first.

```python
import numpy as np


def half_width(x: np.ndarray):
    half = x.max() / 2
    return np.where(x > half)[0][0], np.flatnonzero(x == x.max())[0]
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def half_width(x: jax.Array):
    half = x.max() / 2
    return jnp.where(x > half, size=1)[0][0], jnp.flatnonzero(x == x.max(), size=1)[0]
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ419")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    size = ctx.builtins.taken(node)
    if size:
        yield Finding(
            node,
            "only the first of the positions are looked at, however many there are",
            {node: lambda made: builders.with_keyword(made, "size", cst.Integer(str(size)))},
        )
