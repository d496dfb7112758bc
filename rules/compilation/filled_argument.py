"""A compiled function that updates its arguments in place, and that code outside of the project may call.

It returns the new arrays, which converted code binds to its own names. Other callers know what NumPy did: their array changes.
The function is split: the shell keeps the name and the signature, and fills the arguments that are NumPy arrays; the core is
compiled. Converted code calls the core. Who passes NumPy arrays gets NumPy arrays, which the next call can change, too.

```python
import numpy as np


def push(position: np.ndarray, velocity: np.ndarray, dt):
    \"\"\"Move in place; return the largest step.\"\"\"
    step = velocity * dt / np.sqrt(1 + velocity**2)
    position[:] = position + step
    return np.abs(step).max()
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def _push(position: jax.Array, velocity: jax.Array, dt):
    step = velocity * dt / jnp.sqrt(1 + velocity**2)
    position = jnp.full_like(position, position + step)
    return jnp.abs(step).max(), position


def push(position: np.ndarray, velocity: np.ndarray, dt):
    \"\"\"Move in place; return the largest step.\"\"\"
    results = _push(position, velocity, dt)
    if isinstance(position, np.ndarray):  # as in NumPy, the caller's arrays change
        position[...] = results[1]
        return results[0]
    return results
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule

rule = Rule(__name__, "NJ510")


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    shell = ctx.plan.inputs.shell
    if node is not ctx.unit.definition or ctx.plan.refused or not shell.changed or shell.draws:
        return
    definitions = shells.converters(node, ctx)
    imports = ctx.names.name_of("numpy.ndarray")[1]

    def edit(made: cst.FunctionDef) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        return shells.filling(node, made, ctx)

    message = f"code outside of the project may call `{node.name.value}`, whose arguments change"
    yield Finding(node, message, {node: edit}, imports, wraps=True, definitions=definitions)
