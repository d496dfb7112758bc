"""An array method or attribute that JAX lacks, or that takes other arguments in JAX.

A copy of a JAX array is dropped where it is certain to be one: JAX arrays never change.

```python
import numpy as np


def parts(x: np.ndarray):
    kept = np.sqrt(x).copy(order="K")
    total = sum(kept.flat)
    return total, kept.searchsorted(1.0), kept.dot([1.0, 2.0])
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def parts(x: jax.Array):
    kept = jnp.sqrt(x)
    total = jnp.sum(kept.ravel())
    return total, kept.searchsorted(1.0).astype(jnp.int64), kept.dot(jnp.array([1.0, 2.0]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..codegen.call_adaptation import adaptation, adapted, expression
from ..context import Context
from ..core.findings import Edit, Finding, Kind
from ..core.registry import Rule
from ..numpy_table.entry import Entry, Verdict
from ..syntax import builders
from ..syntax.argument_binding import bind
from ..syntax.tree import is_callee

rule = Rule(__name__, "NJ104")
IGNORED = {"sum": ("initial",)}  # parameters of methods of JAX that have no effect, while those of the functions have
MISSING_IN_JAX = ("tostring", "tofile", "dump", "dumps")


@rule.on(cst.Attribute)
def attribute(node: cst.Attribute, ctx: Context) -> Iterator[Finding]:
    parent = ctx.parent(node)
    name = node.attr.value
    entry = numpy_table.method(name)
    if entry is None or entry.params or not is_array(node.value, name, ctx) or is_callee(node, parent):
        return
    if entry.verdict is Verdict.REFUSED:
        yield Finding(node, f"`.{name}` of an array has no equivalent in JAX: {entry.reason}", blocks=True)
    elif name == "flat" and not _written(node, ctx):
        yield Finding(node, "arrays of JAX have no `.flat`", {node: lambda made: builders.method(made.value, "ravel")})


@rule.on(cst.Call)
def call(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    func = node.func
    if not isinstance(func, cst.Attribute) or (ctx.qualname(func) or "").startswith("numpy."):
        return
    name = func.attr.value
    entry = numpy_table.method(name)
    ignored = entry is not None and any(parameter in IGNORED.get(name, ()) for _position, parameter in bind(node, entry))
    unknown = ignored and ctx.kind(func.value) is Kind.UNKNOWN and not ctx.qualname(func) and not ctx.host.on_host(node)
    array = unknown or is_array(func.value, name, ctx)
    if entry is None or entry.writes or not array or ctx.effects.updates(node):
        return
    if entry.verdict is Verdict.REFUSED:  # for an array, the analysis has reported it
        if ctx.kind(func.value) is Kind.SCALAR:
            yield Finding(node, f"`.{name}()` of a number computed by JAX has no equivalent: {entry.reason}", blocks=True)
        return
    if entry.verdict is Verdict.HOST:
        yield from _on_host(node, func, name, entry, ctx)
    elif name == "copy":
        yield from _copy(node, func, ctx)
    else:
        plan = adaptation(node, f".{name}()", entry, ctx, ctx.value(func.value))
        if plan.problem:
            yield Finding(node, plan.problem, blocks=True)
        elif entry.verdict is Verdict.EXPRESSION:
            yield from expression(node, f".{name}()", entry, plan, ctx, func.value)
        elif ignored:
            text, imports = ctx.names.name_of(f"jax.numpy.{name}")
            edits: dict[cst.CSTNode, Edit] = {node: lambda made: _as_function(adapted(made, plan), text)}
            yield Finding(node, f"`.{name}()` of JAX ignores `initial`", edits, imports | {*plan.imports})
        elif plan.changes:
            message = f"`.{name}()` takes other arguments in JAX, or returns another dtype"
            yield Finding(node, message, {node: lambda made: adapted(made, plan)}, frozenset(plan.imports))


def _as_function(made: cst.BaseExpression, function: str) -> cst.BaseExpression:
    """`jnp.sum(x, initial=1)` for `x.sum(initial=1)`."""
    if not isinstance(made, cst.Call) or not isinstance(made.func, cst.Attribute):
        return made
    return made.with_changes(func=builders.dotted(function), args=[cst.Arg(builders.bare(made.func.value)), *made.args])


def is_array(node: cst.BaseExpression, name: str, ctx: Context) -> bool:
    """Whether `node` is an array, or a number that JAX computes (or may compute, if only NumPy's scalars have `.name`)."""
    value = ctx.value(node)
    if value.kind is Kind.SCALAR:
        return ctx.host.is_device(node) or (value.traced and name in numpy_table.OF_SCALARS)
    return value.kind is Kind.ARRAY


def _written(node: cst.Attribute, ctx: Context) -> bool:
    """Whether `node` is the target of an assignment, which other rules rewrite."""
    at: cst.CSTNode = node
    parent = ctx.parent(node)
    while isinstance(parent, (cst.Subscript, cst.Attribute)) and parent.value is at:
        at, parent = parent, ctx.parent(parent)
    return (
        isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del)) and getattr(parent, "value", None) is not at
    )


def _copy(node: cst.Call, func: cst.Attribute, ctx: Context) -> Iterator[Finding]:
    if ctx.plan.jax:
        return
    if not ctx.host.is_device(func.value):
        text, imports = ctx.names.name_of("jax.numpy.array")
        message = "the copy becomes a JAX array"
        yield Finding(node, message, {node: lambda made: builders.call(builders.dotted(text), made.func.value)}, imports)
    elif not isinstance(ctx.parent(node), cst.Expr) and not ctx.calls.keeps_copy(node):
        message = "arrays of JAX never change, so that no copy is needed"
        yield Finding(node, message, {node: lambda made: builders.operand(made.func.value)})


def _on_host(node: cst.Call, func: cst.Attribute, name: str, entry: Entry, ctx: Context) -> Iterator[Finding]:
    if name not in MISSING_IN_JAX:
        return
    text, imports = ctx.names.name_of("numpy.asarray")

    def edit(made: cst.Attribute) -> cst.Attribute:
        return made.with_changes(value=builders.call(builders.dotted(text), made.value))

    yield Finding(node, f"`.{name}()`: {entry.reason}", {func: edit}, imports)
