"""A parameter that gets arrays of several dtypes, of which NumPy makes wider results than JAX.

`np.cumsum` of int16 is int64 in NumPy and int16 in JAX; of float64 it is float64 in both. Where all calls give one dtype, the
result is cast; where they give several, the function is kept. Cast the argument to one dtype, or write a function for each.

```python
import numpy as np


def running(levels: np.ndarray):
    return levels.cumsum()


total = running(np.ones(3, dtype=np.float32))
```

becomes

```python
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def running(levels: jax.Array):
    return levels.cumsum()


total = running(jnp.ones(3, dtype=jnp.float32))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from . import numpy_table
from .context import Context
from .dtypes import beside_drawn
from .facts import DRAWN
from .model import Finding, Kind
from .registry import Rule

rule = Rule(__name__, "NJ609")


@rule.on(cst.BinaryOperation)
def drawn(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    """A number that is drawn, one of Python's in NumPy, beside an array that is narrow in some calls."""
    values = [ctx.value(node.left), ctx.value(node.right)]
    if not ctx.plan.dtypes or [v.name for v in values].count(DRAWN) != 1:
        return
    number, other = values if values[0].name == DRAWN else reversed(values)
    if other.dtype or other.kind not in (Kind.ARRAY, Kind.UNKNOWN):
        return
    params = {other.holds, *(d.removesuffix("[]") for d in other.deps)}
    narrow = [(p, d) for p, found in ctx.plan.dtypes for d in found if p in params and beside_drawn(d, number.dtype)]
    if narrow:
        name, dtype = narrow[0]
        several = " in some calls" if len(dict(ctx.plan.dtypes)[name]) > 1 else ""
        message = f"`{name}` is {dtype}{several}, which what is made of it may stay in NumPy beside a number that is drawn"
        yield Finding(node, message, blocks=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if not ctx.plan.dtypes:
        return
    name = ctx.qualname(node.func) or ""
    if name.startswith("numpy.") and node.args:
        entry, array = numpy_table.function(name), node.args[0].value
    elif isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) is Kind.ARRAY:
        entry, array = numpy_table.method(node.func.attr.value), node.func.value
    else:
        return
    value = ctx.value(array)
    if entry is None or value.dtype or any(a.keyword is not None and a.keyword.value == "dtype" for a in node.args):
        return
    found = dict(ctx.plan.dtypes).get(value.holds, ())
    narrow = [d for d in found if d in entry.cast_for]
    if narrow and len(found) > 1:
        message = f"`{value.holds}` is of several dtypes, and of {narrow[0]} NumPy makes {entry.cast_for[narrow[0]]} here"
        yield Finding(node, message, blocks=True)
