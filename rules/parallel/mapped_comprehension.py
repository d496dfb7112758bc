"""A comprehension that applies a function to each row of an array.

`jax.vmap` applies it to all rows at once.

```python
import numpy as np


def energy(x: np.ndarray):
    return np.sum(x**2)


def energies(xs: np.ndarray):
    return np.array([energy(x) for x in xs])
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
    return jax.vmap(energy)(xs)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.comprehensions import MapLoop
from ..syntax import builders

rule = Rule(__name__, "NJ503", optional=True)


@rule.on(cst.Call)
def comprehension(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    inner = node.args[0].value if len(node.args) == 1 else None
    found = ctx.builtins.mapped(inner) if isinstance(inner, cst.ListComp) else None
    if found is None or not _traceable(found, ctx):
        return
    vmap, imports = ctx.names.name_of("jax.vmap")
    yield Finding(
        node, f"it applies `{functional_name(found)}` to every row", {node: lambda _made: mapped(found, ctx, vmap)}, imports
    )


def _traceable(found: MapLoop, ctx: Context) -> bool:
    plan = ctx.calls.callee(found.call)
    return plan is not None and plan.traceable and not plan.returns and not plan.random.gives and not plan.static_args


def functional_name(found: MapLoop) -> str:
    return cst.Module([]).code_for_node(found.call.func)


def mapped(found: MapLoop, ctx: Context, vmap: str) -> cst.Call:
    """`jax.vmap(f)(x, c)`, with `in_axes` where an argument is not mapped."""
    args = [cst.Arg(builders.bare(ctx.rewritten(found.call.func)))]
    if any(m is None for m in found.mapped):
        axes = cst.Tuple([cst.Element(cst.Name("None") if m is None else cst.Integer("0")) for m in found.mapped])
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        args.append(cst.Arg(axes, cst.Name("in_axes"), equal))
    function = cst.Call(builders.dotted(vmap), args)
    given = [ctx.rewritten(a.value if m is None else m) for a, m in zip(found.call.args, found.mapped, strict=True)]
    return builders.call(function, *given)
