"""A Python function that NumPy calls for each element or slice, and JAX traces once.

`np.vectorize(f)` runs `f` on each element, so `f` may branch on values, print, or call anything. `jnp.vectorize(f)` traces `f`
once. If `f` cannot be traced, the function that uses it is left as NumPy; write its branches with `np.where`. The same holds
for `np.apply_along_axis`, `np.fromfunction` and the functions passed to `np.piecewise`.

```python
import numpy as np


def softplus(row: np.ndarray):
    return np.log1p(np.exp(row))


def each(x: np.ndarray):
    return np.apply_along_axis(softplus, 0, x)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def softplus(row: jax.Array):
    return jnp.log1p(jnp.exp(row))


@jax.jit
def each(x: jax.Array):
    return jnp.apply_along_axis(softplus, 0, x)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..numpy_table.entry import Verdict
from ..syntax.argument_binding import bind

rule = Rule(__name__, "NJ110")
FUNCTIONS = {
    "numpy.vectorize": "pyfunc",
    "numpy.apply_along_axis": "func1d",
    "numpy.apply_over_axes": "func",
    "numpy.fromfunction": "function",
    "numpy.piecewise": "funclist",
}


@rule.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    entry = numpy_table.function(name) if name in FUNCTIONS else None
    if entry is None:
        return
    for position, parameter in bind(node, entry):
        if parameter != FUNCTIONS[name]:
            continue
        value = node.args[position].value
        functions = [e.value for e in value.elements] if isinstance(value, (cst.List, cst.Tuple)) else [value]
        for function in functions:
            if why := _not_traceable(function, ctx, numbers=name == "numpy.piecewise"):
                yield Finding(
                    function, f"`{name}` gets a function that JAX would trace once for all elements, and {why}", blocks=True
                )


@rule.on(cst.Decorator)
def decorator(node: cst.Decorator, ctx: Context) -> Iterator[Finding]:
    used = node.decorator.func if isinstance(node.decorator, cst.Call) else node.decorator
    if ctx.qualname(used) == "numpy.vectorize" and not (ctx.parent(node) is ctx.unit.definition and ctx.plan.traceable):
        yield Finding(node, "the function would be traced once for all elements, and it cannot be traced", blocks=True)


def _not_traceable(node: cst.BaseExpression, ctx: Context, numbers: bool) -> str:
    """Why a function cannot be traced, "" if it can."""
    if isinstance(node, cst.Lambda):
        return _branches(node, ctx)
    if numbers and isinstance(node, (cst.Integer, cst.Float, cst.UnaryOperation)):
        return ""
    name = ctx.qualname(node) or ""
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is not None:
        return "" if entry.verdict in (Verdict.SAME, Verdict.RENAMED) and entry.jit else "it has no one function in JAX"
    plan = ctx.calls.plan_of(node)
    if plan is None:
        return "np2jax cannot tell what it does"
    return "" if plan.traceable and not plan.static_args else "it branches on values, or cannot be traced for another reason"


def _branches(node: cst.Lambda, ctx: Context) -> str:
    """Why a lambda cannot be traced, "" if it can."""
    stack: list[cst.CSTNode] = [node.body]
    while stack:
        at = stack.pop()
        if isinstance(at, (cst.IfExp, cst.BooleanOperation, cst.Not, cst.FormattedString, cst.ListComp, cst.GeneratorExp)):
            return "it branches on values"
        if isinstance(at, cst.Comparison) and len(at.comparisons) > 1:
            return "it branches on values"  # `a < b < c` is `a < b and b < c`
        if isinstance(at, cst.Call):
            name = ctx.qualname(at.func) or ""
            known = name.startswith("numpy.") or (not name and isinstance(at.func, cst.Attribute))
            plan = ctx.calls.plan_of(at.func)
            if name != "builtins.abs" and not known and not (plan is not None and plan.traceable):
                return "it calls a function that cannot be traced"
        stack.extend(at.children)
    return ""
