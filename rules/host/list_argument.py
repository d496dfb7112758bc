"""A list that a function on the host may pass to compiled code.

The parts of a function that are compiled (NJ418, NJ424) get arrays: `jit` would take each number of a list for an argument, and `jnp`
accepts no lists. The function accepts lists as before, and makes arrays of them for these parts.

```python
import numpy as np


def sums(x, y):
    print(len(x))
    z = np.cross(x, np.cross(x, y)) + np.cross(y, np.cross(x, y))
    return z * 2.0
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
def _sums_core(x, y):
    z = jnp.cross(x, jnp.cross(x, y)) + jnp.cross(y, jnp.cross(x, y))
    return z * 2.0


def sums(x, y):
    print(len(x))
    return np.array(_sums_core(_as_array(x), _as_array(y)))[()]
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
from ..definitions.host import AS_FLOAT
from ..facts.values import parameter_of

rule = Rule(__name__, "NJ225", for_numpy_code=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    traced = not ctx.plan.refused and (ctx.plan.jit or ctx.plan.jax or ctx.program.fast)  # the caller's arguments are arrays
    if plan is None or traced or plan.inputs.shell.converts:
        return
    for parameter in plan.params:
        argument, functions = ctx.calls.argument(node, parameter), shells.applied(parameter, plan.inputs)
        if argument is None:
            continue
        value = ctx.value(argument)
        if not parameter_of(value) and value.kind not in (
            Kind.LIST,
            Kind.TUPLE,
        ):  # NumPy made it, and it may be an integer, but no list
            functions = [function for function in functions if function == AS_FLOAT]
        if not functions:
            continue
        edits: dict[cst.CSTNode, Edit] = {argument: partial(_prepared, functions, ctx)}
        message = f"`{parameter}` may be a list or an integer, of which compiled code gets an array, a float or a tuple"
        imports = shells.converters_imports(ctx)
        yield Finding(argument, message, edits, imports, wraps=True, definitions=frozenset(functions))


def _prepared(functions: Iterable[str], ctx: Context, made: cst.CSTNode) -> cst.BaseExpression:
    assert isinstance(made, cst.BaseExpression)
    return shells.prepared(made, functions, ctx)
