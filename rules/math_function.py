"""A function of Python's `math` on a number that JAX computed.

It would bring the number to the host, and cannot be traced. The function of `jax.numpy` does neither; where `math.sqrt` or
`math.log` raises, it gives NaN or infinity.

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

import libcst as cst

from . import functional, math_names
from .context import Context
from .model import Finding
from .registry import Rule

rule = Rule(__name__, "NJ115")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    called = ctx.qualname(node.func) or ""
    name = math_names.jax_name(called, len(node.args))
    if not name or not ctx.plan.traceable or not ctx.is_device(node):
        return
    text, imports = ctx.name_of(f"jax.numpy.{name}")
    raises = called.removeprefix("math.") in math_names.UNDEFINED
    says = f"`{called}` brings a number to the host" + (", and raises where JAX gives NaN or infinity" if raises else "")
    yield Finding(node, says, {node.func: lambda _made: functional.dotted(text)}, imports)
