"""An in-place update of a NumPy array by a value from an object of unknown class: `x += o.x` in a function that stays NumPy.

If `o.x` is a `jax.Array`, NumPy lets JAX compute `x += o.x`: then `x` becomes a new array, and aliases of the old one do not
see the sum.

```python
import numpy as np


class Gain:
    def __init__(self, n: int):
        self.w = np.ones(n)


def total(gains):
    found = np.zeros(3)
    kept = found
    for gain in gains:
        found += gain.w * 2.0
    kept[0] = np.random.randint(2, dtype=bool)
    return kept
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


class Gain:
    def __init__(self, n: int):
        self.w = jnp.ones(n)


def total(gains):
    found = np.zeros(3)
    kept = found
    for gain in gains:
        found += jax.device_get(gain.w * 2.0)
    kept[0] = np.random.randint(2, dtype=bool)
    return kept
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ224", for_numpy_code=True)


@rule.on(cst.AugAssign)
def check(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    if not ctx.plan.refused or not ctx.host.may_add_jax(node):
        return
    if isinstance(node.value, cst.Call) and ctx.qualname(node.value.func) == "jax.device_get":
        return  # it already is a NumPy array
    get, imports = ctx.names.name_of("jax.device_get")

    def edit(made: cst.AugAssign) -> cst.AugAssign:
        return made.with_changes(value=builders.call(builders.dotted(get), made.value))

    yield Finding(node, "the operand may be a JAX array, and the array must stay a NumPy array", {node: edit}, imports)
