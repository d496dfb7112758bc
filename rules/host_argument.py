"""An array that is given to a kept function that changes arrays.

A function that stays NumPy and changes arrays gets NumPy's: a jax.Array has no item assignment.

```python
import numpy as np


def noisy(x):
    y = x.copy()
    y[0:1] = y[0:1] * np.random.randint(2, dtype=bool)
    return y


def run(n):
    x = np.zeros(n)
    return noisy(x)
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def noisy(x):
    y = x.copy()
    y[0:1] = y[0:1] * np.random.randint(2, dtype=bool)
    return y


def run(n):
    x = jnp.zeros(n)
    return noisy(np.asarray(x))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from . import functional
from .context import Context
from .model import Edit, Finding, Kind
from .registry import Rule

rule = Rule(__name__, "NJ217", kept_too=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.callee(node)
    if plan is None or not plan.refused or not plan.host_writes:
        return
    asarray, imports = ctx.name_of("numpy.asarray")
    short = plan.name.rpartition(".")[2]
    for argument in node.args:
        if isinstance(argument.value, cst.Call) and ctx.qualname(argument.value.func) in ("numpy.asarray", "numpy.array"):
            continue  # NumPy's array already
        value = ctx.value(argument.value)
        given = bool(value.origin) and not ctx.wants_host(*value.origin)
        if not ctx.plan.refused:
            of_params = bool(value.deps) or any(m.startswith("param:") for m in value.memory)  # which are of JAX here
            given = value.device or (of_params and not ctx.may_be_none(argument.value))
        wanted = any(ctx.argument(node, p) is argument.value for p in plan.arrays)
        if value.kind is Kind.UNKNOWN and wanted and not ctx.plan.refused:  # what project functions gave may be of JAX
            given = given or bool(value.origin)
        elif value.kind is not Kind.ARRAY:
            continue
        if argument.star or not given or ctx.as_before(argument.value):
            continue
        edits: dict[cst.CSTNode, Edit] = {argument.value: lambda made: functional.call(functional.dotted(asarray), made)}
        yield Finding(argument.value, f"`{short}`, which is kept, changes arrays", edits, imports)
