"""A function that gets a function as an argument, with a copy for the one that the file passes.

`euler` may be called with any function, one of NumPy's among them, so jit cannot compile it. Where code of the same file passes a
function of that file, a copy with this function in its place is compiled. The function itself remains for other callers; if it is
private and has none, remove it. A lambda or a nested function that the file passes moves to the module's level for this; what it reads of
the function around it becomes a parameter.

```python
import numpy as np


def decay(t, y):
    return -0.5 * y + np.sin(y) * t


def euler(f, y, h, n):
    t = 0.0
    for k in range(n):
        y = y + h * f(t, y)
        t = t + h
    return y


def main():
    return euler(decay, np.ones(3), 0.1, 100)
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

jax.config.update("jax_enable_x64", True)


def _as_array(x):
    \"\"\"An array for a list, of which jit would take each item for an argument, and for an array of another byte order.\"\"\"
    x = np.asarray(x) if isinstance(x, (list, tuple, range)) else x
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x


@jax.jit
def _decay(t, y):
    return -0.5 * y + jnp.sin(y) * t


def decay(t, y):
    return _decay(_as_array(t), y)


def euler(f, y, h, n):
    t = 0.0
    for k in range(n):
        y = y + h * f(t, y)
        t = t + h
    return y


@jax.jit
def _euler_decay(y, h, n):
    t = 0.0

    def step(_, carry):
        y, t = carry
        y = y + h * decay(t, y)
        t = t + h
        return y, t

    y, t = lax.fori_loop(0, n, step, (y, t))
    return y


@jax.jit
def main():
    return _euler_decay(jnp.ones(3), 0.1, 100)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.unit import LIFTED, SPECIALIZED

rule = Rule(__name__, "NJ512", for_numpy_code=True, optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.unit.definition and ctx.unit.moved == SPECIALIZED:
        message = f"a copy of `{ctx.unit.moved_from}` for the function that it gets here, which jit can compile"
        yield Finding(node, message, {node: shells.without_docstring})
    elif node is ctx.unit.definition and ctx.unit.moved == LIFTED:
        yield Finding(node, f"a function that `{ctx.unit.moved_from}` passes moves to the module's level, where a copy calls it")
