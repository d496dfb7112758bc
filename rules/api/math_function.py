"""A function of Python's `math` on a number computed by JAX.

It would copy the number to the host, and it cannot be traced. The `jax.numpy` function has neither problem; where `math.sqrt`
or `math.log` raises, it returns NaN or infinity. Python computes in 64 bits: narrower dtypes are cast first, and so is an
unknown dtype in a program that uses narrow dtypes.

```python
import math

import numpy as np


def unit(x: np.ndarray):
    return x / math.sqrt(np.sum(x**2))
```

becomes

```python
import math

import jax
import jax.numpy as jnp


@jax.jit
def unit(x: jax.Array):
    return x / jnp.sqrt(jnp.sum(x**2))
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..context import Context
from ..core.dtypes import is_narrow
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..dtypes.jax_dtypes import cast, numpy_dtype
from ..facts.values import Value
from ..numpy_table import math_names
from ..syntax import builders

rule = Rule(__name__, "NJ115")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    called = ctx.qualname(node.func) or ""
    if called == "math.trunc" and len(node.args) == 1 and _is_computed(node.args[0].value, ctx):
        yield Finding(node.func, "`math.trunc` does not know arrays of JAX", {node.func: lambda _made: cst.Name("int")})
        return
    name = math_names.jax_name(called, len(node.args))
    if not name or not ctx.plan.traceable or not ctx.host.is_device(node):
        return
    text, imports = ctx.names.name_of(f"jax.numpy.{name}")
    raises = called.removeprefix("math.") in math_names.UNDEFINED
    says = f"`{called}` copies a number to the host" + (", and raises where JAX gives NaN or infinity" if raises else "")
    yield Finding(node, says, {node.func: lambda _made: builders.dotted(text)}, imports)
    for argument in (a.value for a in node.args):
        if _may_be_narrow(argument, ctx):
            double = partial(_as_double, original=ctx.value(argument), ctx=ctx)
            message = f"`{called}` computes in 64 bits, and JAX in the dtype of its argument"
            yield Finding(argument, message, {argument: double}, imports, wraps=True)


def _is_computed(node: cst.BaseExpression, ctx: Context) -> bool:
    return ctx.kind(node) is Kind.ARRAY or ctx.host.is_device(node)


def _may_be_narrow(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number computed by JAX has, or may have, a dtype narrower than the 64 bits in which Python computes."""
    value = ctx.value(node)
    dtype = numpy_dtype(value)
    if ctx.program.precision != "float64" or not (value.kind is Kind.ARRAY or ctx.host.is_device_value(value)):
        return False
    return is_narrow(dtype) or (not dtype and bool(ctx.program.narrow_dtypes))


def _as_double(made: cst.BaseExpression, original: Value, ctx: Context) -> cst.BaseExpression:
    return cast(builders.operand(made), original, "float64", ctx)
