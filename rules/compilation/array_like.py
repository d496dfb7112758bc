"""A compiled function that accepts lists where it uses arrays, and that code outside of the project may call.

`jit` would take each number of a list for an argument: it is slow to compile, and `jnp` accepts no lists. With `--placement fast` the
function is split: the shell keeps the name and the signature, and makes arrays of lists, and tuples
of shapes that are lists; the core is compiled.

```python
import numpy as np


def energy(mass, speed):
    \"\"\"The energy of all.\"\"\"
    return 0.5 * np.sum(mass * np.sqrt(speed)) + np.dot(mass, np.sqrt(speed))
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


def _as_array(x):
    \"\"\"An array for a list, of which jit would take each item for an argument, and for an array of another byte order.\"\"\"
    x = np.asarray(x) if isinstance(x, (list, tuple, range)) else x
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x


@jax.jit
def _energy(mass, speed):
    return 0.5 * jnp.sum(mass * jnp.sqrt(speed)) + jnp.dot(mass, jnp.sqrt(speed))


def energy(mass, speed):
    \"\"\"The energy of all.\"\"\"
    return _energy(_as_array(mass), _as_array(speed))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.unit import CLONE
from ..loop_codegen import lists_of_arrays

rule = Rule(__name__, "NJ507")


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    shell = ctx.plan.inputs.shell
    if node is not ctx.unit.definition or ctx.plan.refused or shell.draws or shell.core or ctx.unit.moved == CLONE:
        return
    stacked = lists_of_arrays.stacked(node, ctx)
    converters = shells.converters(node, ctx, stacked)
    if not converters:
        return
    core = shells.core_name(node, ctx)

    def edit(made: cst.FunctionDef) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        split = shells.edited(made, core, (), ctx, stacked)
        if not isinstance(split, cst.FlattenSentinel):
            return split
        inner, outer = split
        return cst.FlattenSentinel([inner, shells.with_original(node, outer, shells.are_ragged(stacked, ctx), ctx)])

    message = f"code outside of the project may pass `{node.name.value}` lists"
    yield Finding(node, message, {node: edit}, shells.converters_imports(ctx), wraps=True, definitions=converters)
