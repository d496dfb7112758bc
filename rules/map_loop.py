"""A loop, or a comprehension, that applies a function to every row of an array.

`jax.vmap` applies it to all rows at once. The result keeps the dtype of the array that the loop fills.

```python
import numpy as np


def energy(x: np.ndarray):
    return np.sum(x**2)


def energies(xs: np.ndarray):
    out = np.empty(xs.shape[0])
    for i in range(xs.shape[0]):
        out[i] = energy(xs[i])
    return out
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def energy(x: jax.Array):
    return jnp.sum(x**2)


@jax.jit
def energies(xs: jax.Array):
    out = jax.vmap(energy)(xs).astype(float)
    return out
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from . import functional
from .context import Context, MapLoop
from .dtypes import absorbs
from .model import Edit, Finding
from .registry import Rule

rule = Rule(__name__, "NJ503", optional=True)
DTYPES = {"float64": "float", "int64": "int", "bool_": "bool", "complex128": "complex"}


@rule.on(cst.For)
def loop(node: cst.For, ctx: Context) -> Iterator[Finding]:
    found = ctx.map_loop(node)
    if found is None or found.made is None or not _traceable(found, ctx):
        return
    vmap, imports = ctx.name_of("jax.vmap")
    made_value = found.made.body[0]
    assert isinstance(made_value, cst.Assign)
    dtype = ctx.value(made_value.value).dtype

    def edit(_made: cst.For) -> cst.SimpleStatementLine:
        value: cst.BaseExpression = mapped(found, ctx, vmap)
        given = ctx.value(found.call).dtype
        if not (given == dtype and absorbs(dtype, given)):
            wanted = cst.Name(DTYPES[dtype]) if dtype in DTYPES else functional.dotted(f"jnp.{dtype}")
            value = functional.method(value, "astype", wanted)
        lines = [*found.made.leading_lines, *(x for x in node.leading_lines if x.comment is not None)] if found.made else []
        return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(found.out))], value)], leading_lines=lines)

    edits: dict[cst.CSTNode, Edit] = {node: edit, found.made: lambda _made: cst.RemoveFromParent()}
    yield Finding(node, f"every turn applies `{functional_name(found)}` to one row", edits, imports)


@rule.on(cst.Call)
def comprehension(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    inner = node.args[0].value if len(node.args) == 1 else None
    found = ctx.map_loop(inner) if isinstance(inner, cst.ListComp) else None
    if found is None or not _traceable(found, ctx):
        return
    vmap, imports = ctx.name_of("jax.vmap")
    yield Finding(
        node, f"it applies `{functional_name(found)}` to every row", {node: lambda _made: mapped(found, ctx, vmap)}, imports
    )


def _traceable(found: MapLoop, ctx: Context) -> bool:
    plan = ctx.callee(found.call)
    return plan is not None and plan.traceable and not plan.returns and not plan.static_args


def functional_name(found: MapLoop) -> str:
    return cst.Module([]).code_for_node(found.call.func)


def mapped(found: MapLoop, ctx: Context, vmap: str) -> cst.Call:
    """`jax.vmap(f)(x, c)`, with in_axes where an argument is not mapped."""
    args = [cst.Arg(functional.bare(ctx.rewritten(found.call.func)))]
    if any(m is None for m in found.mapped):
        axes = cst.Tuple([cst.Element(cst.Name("None") if m is None else cst.Integer("0")) for m in found.mapped])
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        args.append(cst.Arg(axes, cst.Name("in_axes"), equal))
    function = cst.Call(functional.dotted(vmap), args)
    given = [ctx.rewritten(a.value if m is None else m) for a, m in zip(found.call.args, found.mapped, strict=True)]
    return functional.call(function, *given)
