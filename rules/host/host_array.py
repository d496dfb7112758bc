"""A NumPy array that is indexed by a traced value, or whose method takes one.

A module variable that stays NumPy holds a NumPy array. Under `jit` a traced value has no concrete value, so NumPy can neither
use it as an index nor take it as an argument.

```python
import numpy as np

TABLE = np.array([1.0, 2.0])
COUNT = np.random.default_rng(0).integers(2, dtype=bool)


def shifted(x: np.ndarray, i):
    return np.sin(x) + TABLE[i]


print(shifted(COUNT, 1))
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

TABLE = np.array([1.0, 2.0])
COUNT = np.random.default_rng(0).integers(2, dtype=bool)


@jax.jit
def shifted(x: jax.Array, i):
    return jnp.sin(x) + jnp.asarray(TABLE)[i]


print(shifted(COUNT, 1))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.values import OBJECTS
from ..syntax import builders

rule = Rule(__name__, "NJ112")


@rule.on(cst.Subscript)
def subscript(node: cst.Subscript, ctx: Context) -> Iterator[Finding]:
    parent = ctx.parent(node)
    if isinstance(parent, cst.AssignTarget) or (isinstance(parent, cst.AugAssign) and parent.target is node):
        return  # another rule rewrites in-place changes
    if _on_host(node.value, ctx) and not all(ctx.is_static(index) for index in _indices(node)):
        yield _moved(node.value, "NumPy cannot use a traced index", ctx)


@rule.on(cst.Call)
def method(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    func = node.func
    if not isinstance(func, cst.Attribute) or not _on_host(func.value, ctx):
        return
    if not all(ctx.is_static(a.value) for a in node.args):
        yield _moved(func.value, f"NumPy's `.{func.attr.value}()` cannot take a traced argument", ctx)


def _on_host(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether traced code uses what may be a NumPy array; parameters are left to the callers."""
    value = ctx.value(node)
    held = value.kind is Kind.UNKNOWN and any(m.startswith("global:") for m in value.memory)  # an item of a list of the module
    if not ctx.plan.traceable or not (value.kind is Kind.ARRAY or held) or value.deps:
        return False
    return not ctx.host.is_device(node) and not ctx.host.is_jax_variable(value)


def _indices(node: cst.Subscript) -> Iterator[cst.BaseExpression]:
    for part in builders.flat(node.slice):
        if isinstance(part.slice, cst.Index):
            yield part.slice.value
        elif isinstance(part.slice, cst.Slice):
            yield from (bound for bound in (part.slice.lower, part.slice.upper, part.slice.step) if bound is not None)


def _moved(node: cst.BaseExpression, message: str, ctx: Context) -> Finding:
    if ctx.value(node).name == OBJECTS:
        return Finding(node, f"{message}, and JAX has no arrays of text or of other Python objects", blocks=True)
    asarray, imports = ctx.names.name_of("jax.numpy.asarray")
    return Finding(node, message, {node: lambda made: builders.call(builders.dotted(asarray), made)}, imports)
