"""A 64-bit dtype given as a string, with float32 precision.

With `--precision float32`, JAX has no 64-bit dtypes: it would warn and use 32 bits. The string is changed to the 32-bit dtype.
`np.float64` becomes `jnp.float32` likewise; `float` already means float32.

With float64 precision nothing changes:

```python
import numpy as np


def start(n: int):
    return np.zeros(n, dtype="float64")
```

becomes

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="n")
def start(n: int):
    return jnp.zeros(n, dtype="float64")
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.dtypes import NARROWED
from ..core.findings import Edit, Finding, Kind
from ..core.registry import Rule
from ..syntax.argument_binding import bind

rule = Rule(__name__, "NJ608")
NARROW = NARROWED | {
    "f8": "f4",
    "c16": "c8",
    "i8": "i4",
    "u8": "u4",
    "double": "single",
    "d": "f",
    "cdouble": "csingle",
    "D": "F",
}


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    if ctx.program.precision != "float32":
        return
    name = ctx.qualname(node.func) or ""
    if name.startswith("numpy."):
        entry = numpy_table.function(name)
    elif isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) is Kind.ARRAY:
        entry = numpy_table.method(node.func.attr.value)
    else:
        return
    if entry is None or not entry.target or ctx.host.on_host(node):
        return
    for position, parameter in bind(node, entry):
        value = node.args[position].value
        if parameter == "dtype" and isinstance(value, cst.SimpleString) and (narrow := NARROW.get(str(value.evaluated_value))):
            yield Finding(value, "there are no dtypes of 64 bits in this precision", {value: _named(narrow)})


def _named(text: str) -> Edit:
    return lambda made: made.with_changes(value=made.value[:1] + text + made.value[-1:])
