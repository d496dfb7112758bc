"""A loop in a method, a nested function or a script moves into a function of its own, which `jit` compiles.

The new function takes what the loop reads, including attributes of the object, and returns what is read after the loop.
Attributes are assigned after the call. Empty arrays and numbers that the loop starts with move too. A loop in a function that
`jit` cannot compile for other reasons, because it prints for instance, moves as well. So does a loop of a script, outside of functions, if
it takes NumPy about a second or more, as estimated from the trip counts that are known; names that are bound once, to numbers, remain
variables of the module. Variables that only this loop binds and nothing reads afterwards, such as its indices, are not bound anymore.

The loop stays where it is if it calls methods of the object that cannot be spelled out, passes the object on, or reads something that is neither a number
nor an array; if an attribute may be a property rather than a variable that the class assigns; or if it returns from the method.

```python
import numpy as np


class Filter:
    def __init__(self, decay: float):
        self.decay = decay

    def smooth(self, x: np.ndarray):
        y = np.zeros_like(x)
        for i in range(1, x.shape[0]):
            y[i] = self.decay * y[i - 1] + x[i]
        return y
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def _smooth_loop(decay, x: jax.Array):
    y = jnp.zeros_like(x)

    def step(y_before, x_i):
        y_i = (decay * y_before + x_i).astype(y.dtype)
        return y_i, y_i

    _, y_items = lax.scan(step, y[0], x[1:])
    y = y.at[1:].set(y_items)
    return y


class Filter:
    def __init__(self, decay: float):
        self.decay = decay

    def smooth(self, x: jax.Array):
        y = _smooth_loop(self.decay, x)
        return y
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.unit import LOOP

rule = Rule(__name__, "NJ418", optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.unit.definition and ctx.unit.moved == LOOP:
        owner = ctx.unit.moved_from
        yield Finding(
            node, f"a loop of `{owner}` moves into a function of its own, which jit compiles", {node: lambda made: made}
        )
