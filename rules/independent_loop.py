"""A loop whose turns do not depend on each other: each stores into places of its own.

Where a turn computes numbers of numbers, the same code computes whole arrays. Any other turn becomes a function that `jax.vmap`
maps over all turns; `lax.map` goes through them one by one, where all of them at once would take too much memory. Rows and
columns that are filled from the index on, or up to it, are filled with masks: twice the products, all in one.

```python
import numpy as np


def smooth(x: np.ndarray):
    out = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return out


def norms(rows: np.ndarray):
    out = np.empty(len(rows))
    for i in range(len(rows)):
        out[i] = np.linalg.norm(rows[i])
    return out


def gram(x: np.ndarray):
    n = len(x)
    g = np.zeros((n, n))
    for i in range(n):
        g[i, i:] = g[i:, i] = x[i:, :] @ x[i]
    return g
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def smooth(x: jax.Array):
    out = jnp.zeros(x.shape[0])
    out = out.at[1:-1].set((x[:-2] + x[1:-1] + x[2:]) / 3)
    return out


@jax.jit
def norms(rows: jax.Array):
    def out_at(rows_i):
        return jnp.linalg.norm(rows_i)

    out = jax.vmap(out_at)(rows).astype(float)
    return out


@jax.jit
def gram(x: jax.Array):
    n = len(x)
    g = jnp.zeros((n, n))

    assert x.ndim == 2
    m = jnp.arange(x.shape[0])

    def g_at(x_i):
        return jnp.broadcast_to(x @ x_i, (g.shape[1],))

    values = jax.vmap(g_at)(x)
    i = jnp.arange(n)[:, None]
    stored = m >= i
    g = jnp.where(stored, values, g).astype(g.dtype)
    g = jnp.where(stored.T, values.T, g).astype(g.dtype)
    return g
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .context import Context
from .model import Finding
from .registry import Rule
from .vectorized import Vectorizer

rule = Rule(__name__, "NJ411", optional=True)


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    found = ctx.turns(node)
    if found is None:
        return
    filled = [*(s.target.array for s in found.stores), *(r.name for r in found.reductions if r.how == "stack")]
    if not filled:
        return
    writer = Vectorizer(ctx, found)
    edits = writer.edits()
    how = "they are one expression of whole arrays" if found.elementwise else "`jax.vmap` takes all at once"
    how = f"`lax.map` takes one by one, since {found.dear}" if found.dear else how
    names = ", ".join(f"`{name}`" for name in filled)
    yield Finding(
        node, f"no turn needs another one, each makes its own items of {names}: {how}", edits, frozenset(writer.imports)
    )
