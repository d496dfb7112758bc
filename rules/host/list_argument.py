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
    \"\"\"An array for a list or a tuple: jit would take each of its items for an argument.\"\"\"
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


@jax.jit
def _sums_core(x, y):
    z = jnp.cross(x, jnp.cross(x, y)) + jnp.cross(y, jnp.cross(x, y))
    return z * 2.0


def sums(x, y):
    print(len(x))
    return np.array(_sums_core(_as_array(x), _as_array(y)))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..definitions.host import AS_ARRAY
from ..syntax import builders

rule = Rule(__name__, "NJ225", for_numpy_code=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is None or not plan.inputs.host_lists or not ctx.plan.refused:
        return
    for parameter in plan.inputs.host_lists:
        argument = ctx.calls.argument(node, parameter)
        if argument is None or not ctx.value(argument).holds:
            continue
        function, imports = ctx.names.defined(AS_ARRAY), ctx.names.name_of("numpy.asarray")[1]

        def edit(made: cst.BaseExpression, function: str = function) -> cst.BaseExpression:
            return builders.call(cst.Name(function), made)

        message = f"`{parameter}` may be a list, of which compiled code gets an array"
        yield Finding(argument, message, {argument: edit}, imports, wraps=True, definitions=frozenset({AS_ARRAY}))
