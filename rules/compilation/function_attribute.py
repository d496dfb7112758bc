"""An attribute of a function that may be compiled, such as its defaults or its code: `jit` returns an object without it.

```python
import numpy as np


def window(n: int, beta=8.6):
    return np.exp(-beta * np.linspace(-1.0, 1.0, n) ** 2)


def beta_of(name: str):
    return globals()[name].__defaults__[0]
```

becomes

```python
import functools
import inspect

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@functools.partial(jax.jit, static_argnames="n")
def window(n: int, beta=8.6):
    return jnp.exp(-beta * jnp.linspace(-1.0, 1.0, n) ** 2)


def beta_of(name: str):
    return inspect.unwrap(globals()[name]).__defaults__[0]
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ511", for_numpy_code=True)

OF_FUNCTIONS = ("__builtins__", "__closure__", "__code__", "__defaults__", "__globals__", "__kwdefaults__")


@rule.on(cst.Attribute)
def check(node: cst.Attribute, ctx: Context) -> Iterator[Finding]:
    if node.attr.value not in OF_FUNCTIONS or isinstance(ctx.parent(node), (cst.AssignTarget, cst.Del)):
        return
    unwrapped = isinstance(node.value, cst.Call) and ctx.qualname(node.value.func) == "inspect.unwrap"
    if unwrapped or not ctx.calls.may_be_compiled(node.value):
        return
    unwrap, imports = ctx.names.name_of("inspect.unwrap")

    def edit(made: cst.Attribute) -> cst.Attribute:
        return made.with_changes(value=builders.call(builders.dotted(unwrap), made.value))

    yield Finding(node, f"a compiled function has no `{node.attr.value}`", {node: edit}, imports)
