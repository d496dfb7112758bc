"""A function of Python's `math` on a number that JAX computed.

It would bring the number to the host, and cannot be traced. The function of `jax.numpy` does neither; where `math.sqrt` raises
for a negative number, it gives NaN.

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

from . import functional
from .context import Context
from .model import Finding
from .registry import Rule

rule = Rule(__name__, "NJ115")
NAMES = {"atan": "arctan", "atan2": "arctan2"}


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    if not name.startswith("math.") or not ctx.value(node).device:
        return
    short = name[5:]
    text, imports = ctx.name_of(f"jax.numpy.{NAMES.get(short, short)}")
    says = f"`{name}` brings a number to the host" + (", and raises where JAX gives NaN" if short == "sqrt" else "")
    yield Finding(node, says, {node.func: lambda _made: functional.dotted(text)}, imports)
