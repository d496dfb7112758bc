"""`float()`, `int()`, `bool()` or `.item()` of a number computed by JAX.

These need a concrete value, which does not exist under `jit`. JAX computes the same: `int` becomes `.astype(int)`, which
truncates too, and `float` is dropped where the number is a float64. `.item()` of an array of one item is `.reshape(())`; in loops it
may be of an unknown dtype, and integers are then cast to int64. The result is an array of rank 0. Python raises for
`int(nan)` and `int(inf)`; JAX gives 0 and the largest integer.

The call is left as it is where Python needs the number for something else, such as a size or the key of a dict, and where the
number is combined with an array of float32 or of small integers: a Python number would not change the dtype of that array, a
JAX number would.

```python
import numpy as np


def at_half(x: np.ndarray):
    largest = float(np.abs(x).max())
    i = int(np.argmax(x) / 2)
    return x[i] / largest
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def at_half(x: jax.Array):
    largest = jnp.abs(x).max().astype(float)
    i = (jnp.argmax(x) / 2).astype(int)
    return x[i] / largest
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Finding
from ..core.registry import Rule
from ..definitions.types import ITEM
from ..syntax import builders

rule = Rule(__name__, "NJ409")
SAME = {
    "float": ("float64",),
    "int": ("int64",),
    "bool": ("bool", "bool_"),
    "complex": ("complex128",),
}  # the dtypes that need no cast
CASTS = ("float", "int", "bool")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = (ctx.qualname(node.func) or "").removeprefix("builtins.")
    item = isinstance(node.func, cst.Attribute) and node.func.attr.value == "item"
    if (name not in CASTS and not item) or not ctx.builtins.logical(node):
        return
    operand = node.func.value if isinstance(node.func, cst.Attribute) else node.args[0].value
    known = ctx.value(operand)
    name = dtypes.python_type(known.dtype) if item else name
    same = not name or known.dtype in SAME[name]
    text, imports = ctx.names.name_of("jax.numpy.asarray")

    def edit(made: cst.Call) -> cst.BaseExpression:
        value = made.func.value if isinstance(made.func, cst.Attribute) else builders.bare(made.args[0].value)
        if not same and ctx.host.is_device(operand):
            value = builders.method(builders.operand(value), "astype", cst.Name(name))
        elif not same:
            value = builders.call(builders.dotted(text), value, cst.Name(name))
        if known.rank != 0:
            value = builders.method(builders.operand(value), "reshape", cst.Tuple([]))
        return builders.operand(value) if same and known.rank == 0 else value

    message = f"`{'.item' if item else name}()` converts a number computed by JAX to a Python number"
    if isinstance(node.func, cst.Attribute) and not known.dtype:
        only = cst.Name(ctx.names.defined(ITEM))
        yield Finding(
            node,
            message,
            {node: lambda made: builders.call(only, made.func.value)},
            imports,
            definitions=frozenset({ITEM}),
        )
        return
    yield Finding(node, message, {node: edit}, imports)
