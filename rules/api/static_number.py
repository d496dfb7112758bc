"""A number computed by JAX, passed as a static argument.

A static argument of `jit` (a size, a number that Python tests) must be a Python number; an array of rank 0 raises. Where the
call runs without `jit`, `.item()` gives the number. A parameter that a function passes on is what its callers passed.

```python
import numpy as np


def scaled(x: np.ndarray, k: float):
    k = k or 3.0
    return x * k


def centred(x: np.ndarray):
    return scaled(x, x.mean())
```

becomes

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="k")
def scaled(x: jax.Array, k: float):
    k = k or 3.0
    return x * k


def centred(x: jax.Array):
    return scaled(x, jnp.asarray(x.mean()).item())
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.dtypes import PYTHON
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ113")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is None or not plan.jit or ctx.plan.jit or ctx.plan.refused:
        return
    for parameter in plan.static_args:
        given = ctx.calls.argument(node, parameter)
        if given is not None and _is_computed(given, ctx):
            yield _found(given, parameter, ctx)


def _is_computed(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether `node`, for all that is known, is a number computed from arrays, which is an array of rank 0 in JAX."""
    value = ctx.value(node)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "item":
        return False
    if isinstance(node, cst.Name) and value.kind is Kind.UNKNOWN:  # on some of the paths, it may be one
        return any(_is_computed(each, ctx) for each in ctx.flow.bound_to(node) if not isinstance(each, cst.Name))
    item = any(d.endswith("[]") for d in value.deps)  # an element of an array argument
    if value.kind not in (Kind.SCALAR, Kind.ARRAY) or value.rank > 0 or (ctx.is_static(node) and not item):
        return False
    return ctx.host.is_device(node) or ((item or value.traced) and value.dtype not in PYTHON)


def _found(node: cst.BaseExpression, parameter: str, ctx: Context) -> Finding:
    text, imports = ctx.names.name_of("jax.numpy.asarray")
    sure = ctx.host.is_device(node)  # otherwise it may be a Python number

    def edit(made: cst.BaseExpression) -> cst.BaseExpression:
        array = builders.operand(made) if sure else builders.call(builders.dotted(text), builders.bare(made))
        return builders.method(array, "item")

    return Finding(node, f"`{parameter}` must be known when tracing", {node: edit}, frozenset() if sure else imports, wraps=True)
