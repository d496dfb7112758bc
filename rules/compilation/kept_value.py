"""A variable that XLA would compute again for each of its uses.

XLA fuses what reads a variable with what computes it, and does so for each use, and for each element at another position. In code that
computes arrays from shifted ones in several steps, that can take longer than NumPy, which computes each variable once. With
`--placement fast`, `_once` keeps a value where computing it again would take longer than to store it and to read it again.

```python
import numpy as np


def derivatives(f, dx):
    left, right, below, above = np.roll(f, 1, axis=0), np.roll(f, -1, axis=0), np.roll(f, 1, axis=1), np.roll(f, -1, axis=1)
    return (right - left) / (2 * dx), (above - below) / (2 * dx), (left + right + below + above - 4 * f) / dx**2


def step(u: np.ndarray, v: np.ndarray, dt: float, dx: float):
    ux, uy, u2 = derivatives(u, dx)
    vx, vy, v2 = derivatives(v, dx)
    p = u - dt * (u * ux + v * uy - u2)
    q = v - dt * (ux * vx + uy * vy - v2)
    return p, q, vx - uy, ux * vy - uy * vx, ux + vy
```

becomes

```python
import jax
import jax.numpy as jnp


def _once(values):
    \"\"\"The same values, which XLA computes once, rather than again for each of their uses.

    Across `optimization_barrier` alone, it may still compute them again, but not out of a `cond`.
    \"\"\"
    first = jax.tree.leaves(values)[0]
    return jax.lax.cond(jnp.any(first.ravel()[:1] == 0), lambda same: same, jax.lax.optimization_barrier, values)


@jax.jit
def derivatives(f, dx):
    left, right, below, above = jnp.roll(f, 1, axis=0), jnp.roll(f, -1, axis=0), jnp.roll(f, 1, axis=1), jnp.roll(f, -1, axis=1)
    return (right - left) / (2 * dx), (above - below) / (2 * dx), (left + right + below + above - 4 * f) / dx**2


@jax.jit
def step(u: jax.Array, v: jax.Array, dt: float, dx: float):
    ux, uy, u2 = _once(derivatives(u, dx))
    vx, vy, v2 = derivatives(v, dx)
    p = u - dt * (u * ux + v * uy - u2)
    q = v - dt * (ux * vx + uy * vy - v2)
    return p, q, vx - uy, ux * vy - uy * vx, ux + vy
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..definitions.computed_once import ONCE
from ..syntax import builders

rule = Rule(__name__, "NJ514")


@rule.on(cst.Assign)
def check(node: cst.Assign, ctx: Context) -> Iterator[Finding]:
    if not ctx.compilation.is_kept(node):
        return
    helper = ctx.names.defined(ONCE)

    def edit(made: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(made, cst.Assign):
            return made  # another form of the loop that it is part of
        value = made.value.with_changes(lpar=(), rpar=()) if len(made.value.lpar) == 1 else made.value
        return made.with_changes(value=builders.call(cst.Name(helper), value))

    imports = ctx.names.name_of("jax.tree.leaves")[1] | ctx.names.name_of("jax.numpy.any")[1]
    yield Finding(node, "XLA would compute it again for each of its uses", {node: edit}, imports, definitions=frozenset({ONCE}))
