"""A list that NumPy code may pass to a compiled function, which accepts lists where it uses arrays.

`jit` would take each number of a list for an argument, and `jnp` accepts no lists: `_as_array` makes an array of it. What is an array
or a number stays as it is. With `--placement fast`.

```python
import numpy as np


def smooth(x, factor):
    out = np.zeros(len(x))
    for i in range(1, len(x)):
        out[i] = x[i] + factor * out[i - 1]
    print(out)
    return out
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np


def _as_array(x):
    \"\"\"An array for a list, of which jit would take each item for an argument, and for an array of another byte order.\"\"\"
    x = np.asarray(x) if isinstance(x, (list, tuple, range)) else x
    return x.astype(x.dtype.newbyteorder("=")) if isinstance(x, np.ndarray) and not x.dtype.isnative else x


@jax.jit
def _smooth_loop(x, factor):
    x = jnp.asarray(x)
    out = jnp.zeros(len(x))

    def step(out_before, x_i):
        out_i = x_i + factor * out_before
        return out_i, out_i

    _, out_items = lax.scan(step, out[0], x[1:])
    out = out.at[1:].set(out_items)
    return out


def smooth(x, factor):
    out = np.array(_smooth_loop(_as_array(x), factor))
    print(out)
    return out
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.findings import Edit, Finding, Kind
from ..core.registry import Rule

rule = Rule(__name__, "NJ225", for_numpy_code=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if not ctx.plan.refused or plan is None or not plan.jit or plan.inputs.shell.converts:
        return
    for parameter in plan.params:
        argument, functions = ctx.calls.argument(node, parameter), shells.applied(parameter, plan.inputs)
        if argument is None or not functions or not _is_open(argument, ctx):
            continue
        edits: dict[cst.CSTNode, Edit] = {argument: partial(_prepared, functions, ctx)}
        message = f"`{plan.name.rpartition('.')[2]}` is compiled, and may get a list or integers"
        imports = shells.converters_imports(ctx)
        yield Finding(argument, message, edits, imports, wraps=True, definitions=frozenset(functions))


def _prepared(functions: Iterable[str], ctx: Context, made: cst.BaseExpression) -> cst.BaseExpression:
    return shells.prepared(made, functions, ctx)


def _is_open(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a value may be a list: it is one, it is an argument of this function, or nothing is known about it."""
    value = ctx.value(node)
    given = bool(value.holds) and not value.device
    return (
        value.kind in (Kind.LIST, Kind.TUPLE)
        or value.name == "range"
        or ((given or value.kind is Kind.UNKNOWN) and not value.device)
    )
