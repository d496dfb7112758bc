"""A pure function of arrays whose control flow does not depend on their values.

`jax.jit` compiles it. Arguments that Python itself needs (sizes, axes, flags, text) become static.

```python
import numpy as np


def smooth(x: np.ndarray, width=3):
    return np.convolve(x, np.ones(width) / width, mode="same")
```

becomes

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="width")
def smooth(x: jax.Array, width=3):
    return jnp.convolve(x, jnp.ones(width) / width, mode="same")
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ501", optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition or not ctx.plan.jit:
        return
    jit, imports = ctx.names.name_of("jax.jit")
    decorator = builders.dotted(jit)
    keywords = {"static_argnames": ctx.plan.static_args, "donate_argnames": ctx.plan.donation.donates}
    if any(keywords.values()):
        partial, more = ctx.names.name_of("functools.partial")
        imports = imports | more
        given = [
            builders.keyword(keyword, cst.parse_expression(builders.quoted(names)))
            for keyword, names in keywords.items()
            if names
        ]
        decorator = cst.Call(builders.dotted(partial), [cst.Arg(decorator), *given])

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        # the decorator of a static method comes first: jit compiles the function below it
        return made.with_changes(decorators=[*made.decorators, cst.Decorator(decorator)], lines_after_decorators=())

    yield Finding(node, f"`{node.name.value}` is pure: jit compiles it", {node: edit}, imports)
