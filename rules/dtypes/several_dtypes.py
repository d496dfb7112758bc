"""A parameter that receives arrays of several dtypes, where NumPy's results are wider than JAX's.

`np.cumprod` of int16 is int64 in NumPy and int16 in JAX; of float64 it is float64 in both. Where all calls pass one dtype, the
result is cast; where they pass several, the function is left as NumPy. Cast the argument to one dtype, or write one function
for each. A function is also left as NumPy if a variable holds integers after one arm of an `if`, and float32 after the other.

```python
import numpy as np


def running(levels: np.ndarray):
    return levels.cumprod()


total = running(np.ones(3, dtype=np.float32))
```

becomes

```python
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def running(levels: jax.Array):
    return levels.cumprod()


total = running(jnp.ones(3, dtype=jnp.float32))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from .sum_dtypes import may_be_integers, widening

rule = Rule(__name__, "NJ609")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if not ctx.plan.inputs.dtypes:
        return
    name = ctx.qualname(node.func) or ""
    if name.startswith("numpy.") and node.args:
        entry, array = numpy_table.function(name), node.args[0].value
    elif isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) is Kind.ARRAY:
        entry, array = numpy_table.method(node.func.attr.value), node.func.value
    else:
        return
    value = ctx.value(array)
    if entry is None or (widening(entry) and may_be_integers(array, ctx)):
        return  # JAX computes the dtype of the sum
    if value.dtype or any(a.keyword is not None and a.keyword.value == "dtype" for a in node.args):
        return
    found = dict(ctx.plan.inputs.dtypes).get(value.holds, ())
    narrow = [d for d in found if d in entry.cast_for]
    if narrow and len(found) > 1:
        message = f"`{value.holds}` is of several dtypes, and of {narrow[0]} NumPy makes {entry.cast_for[narrow[0]]} here"
        yield Finding(node, message, blocks=True)


@rule.on(cst.BinaryOperation)
def arithmetic(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    values = [ctx.value(node.left), ctx.value(node.right)]
    met = [v for v in values if not v.either]
    if len(met) == len(values) or ctx.program.precision != "float64":
        return
    array = all(v.kind in (Kind.ARRAY, Kind.UNKNOWN) or (v.kind is Kind.SCALAR and v.device) for v in met)
    if array and all(
        dtypes.category(v.dtype) in (-1, 1) or (dtypes.is_narrow(v.dtype) and dtypes.category(v.dtype) >= 2) for v in met
    ):
        message = (
            "it holds integers on some paths and narrow floats on others: combining them gives float64 in NumPy, but not in JAX"
        )
        yield Finding(node, message, blocks=True)
