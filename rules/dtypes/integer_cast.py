"""A cast of floating-point values to integers.

The results differ for NaN and for values outside of the range of the dtype. NumPy wraps around, or gives what the processor
gives. JAX gives the nearest integer of the dtype, and 0 for NaN: 256.0 as uint8 is 0 in NumPy and 255 in JAX. Inside the range
both agree. Bring the values into the range first (`np.clip`, or `np.mod` to wrap around).

```python
import numpy as np


def levels(x: np.ndarray):
    return np.clip(x, 0, 255).astype(np.uint8)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def levels(x: jax.Array):
    return jnp.clip(x, 0, 255).astype(jnp.uint8)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.dtypes import kind
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from .jax_dtypes import named_dtype, numpy_dtype
from .value_ranges import fits

rule = Rule(__name__, "NJ603")
CONVERSIONS = ("numpy.array", "numpy.asarray", "numpy.asanyarray", "numpy.ascontiguousarray")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "astype" and not name.startswith("numpy."):
        source, asked = node.func.value, _argument(node, 0)
    elif name in CONVERSIONS and node.args:
        source, asked = node.args[0].value, _argument(node, 1)
    else:
        return
    value = ctx.value(source)
    if asked is None or value.kind not in (Kind.ARRAY, Kind.SCALAR) or (value.static and value.kind is Kind.SCALAR):
        return
    dtype = named_dtype(asked, ctx)
    if kind(dtype) not in ("i", "u") or kind(numpy_dtype(value)) in ("b", "i", "u") or fits(source, dtype, ctx):
        return
    yield Finding(node, f"values outside of the range of {dtype}, and NaN, give other integers in JAX")


@rule.on(cst.Assign)
def assigned(node: cst.Assign, ctx: Context) -> Iterator[Finding]:
    """`counts[i] = x`: what is stored into an integer array becomes an integer."""
    value = ctx.value(node.value)
    dtype = numpy_dtype(value)
    floats = kind(dtype) == "f" or (value.kind is Kind.ARRAY and not dtype)
    if not floats or (value.static and value.kind is Kind.SCALAR):
        return
    for target in node.targets:
        if isinstance(target.target, cst.Subscript) and ctx.kind(array := target.target.value) is Kind.ARRAY:
            dtype_of_array = numpy_dtype(ctx.value(array))
            if kind(dtype_of_array) in ("i", "u") and not fits(node.value, dtype_of_array, ctx):
                yield Finding(node.value, f"values outside of the range of {dtype_of_array}, and NaN, give other integers in JAX")


def _argument(node: cst.Call, position: int) -> cst.BaseExpression | None:
    """The dtype argument of a call, by keyword or by position."""
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value == "dtype":
            return argument.value
    plain = [a.value for a in node.args if a.keyword is None and not a.star]
    return plain[position] if position < len(plain) else None
