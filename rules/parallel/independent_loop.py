"""A loop whose iterations are independent: each stores to elements of its own.

Where an iteration computes scalars, the same code computes whole arrays. Any other body becomes a function that `jax.vmap` maps
over all iterations, or `lax.map`, one by one, where all of them together would need too much memory. Conditional stores become
`jnp.where`. Rows and columns that are filled from the index on, or up to it, are filled under a mask, which doubles the
multiplications but needs only one product. Dot products of rows or columns up to the index, or from it on, become one matrix
product, by a helper function that is added to the module. Other helpers stack slices of equal length that start at the index,
and sum segments between consecutive bounds, as for the rows of a sparse matrix in CSR format.

A loop whose body does several things is distributed, where no iteration reads or stores what another one stores: all iterations
execute the first statement, then all execute the next one, each as whole-array code. A local variable that an inner loop adds
to becomes an array with one element for each iteration.

A loop-invariant test moves in front of the loops, if that makes their iterations parallel. Where the dtype of an array is
unknown and iterations add to it, an `assert` checks that it can hold the sums: NumPy raises for rows that it cannot cast, and
truncates numbers.

```python
import numpy as np


def smooth(x: np.ndarray):
    out = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return out


def shrunk(x: np.ndarray, t: float):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > t:
            out[i] = x[i] - t
        elif x[i] < -t:
            out[i] = x[i] + t
    return out


def product(a: np.ndarray, b: np.ndarray):
    c = np.empty((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def distances(x: np.ndarray, y: np.ndarray):
    n, m = x.shape
    out = np.zeros(n)
    for i in range(n):
        s = 0.0
        for j in range(m):
            d = x[i, j] - y[j]
            if d > 0:
                s += d * d
        out[i] = np.sqrt(s)
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


def earlier(weights: np.ndarray, x: np.ndarray):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] - weights[i, :i] @ x[:i]
    return out


def medians(x: np.ndarray):
    out = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        out[i] = np.median(x[i - 1 : i + 2])
    return out


def assembled(K: np.ndarray, ke: np.ndarray, free: int):
    for e in range(ke.shape[0]):
        for i in range(ke.shape[1]):
            if free > 0:
                K[i] += ke[e, i] @ ke[e, i].T
    return K
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


def _masked_matmul(mask, a, b):
    \"\"\"`jnp.where(mask, a, 0) @ b`, in which a row of the result is made of what the mask selects for it alone.

    Zero times what is not finite is NaN: if there is such an element in b, each row gets a b of its own.
    \"\"\"
    a = jnp.where(mask, a, jnp.zeros_like(a))

    def row(selected_and_a):
        selected, a_i = selected_and_a
        return a_i @ jnp.where(selected if b.ndim == 1 else selected[:, None], b, jnp.zeros_like(b))

    return jax.lax.cond(jnp.isfinite(b).all(), lambda: a @ b, lambda: jax.lax.map(row, (mask, a)))


def _windows(x, first, last, size, axis):
    \"\"\"The slices `x[k : k + size]` along an axis for each k from first on, below last: the axis becomes two, of k and of their items.

    A few items are stacked, which is several times as fast as to look them up.
    \"\"\"
    last = max(first, last)
    if not 0 < size <= (64 if x.ndim == 1 else 8):
        return jnp.take(x, jnp.arange(first, last)[:, None] + jnp.arange(size), axis=axis)
    return jnp.stack([x[(*[slice(None)] * axis, slice(first + k, last + k))] for k in range(size)], axis + 1)


@jax.jit
def smooth(x: jax.Array):
    out = jnp.zeros(x.shape[0])
    out = out.at[1:-1].set((x[:-2] + x[1:-1] + x[2:]) / 3)
    return out


@jax.jit
def shrunk(x: jax.Array, t: float):
    out = jnp.zeros(len(x))
    out = out.at[:].set(jnp.where(x > t, x - t, jnp.where(x < -t, x + t, out)))
    return out


@jax.jit
def product(a: jax.Array, b: jax.Array):
    c = jnp.empty((a.shape[0], b.shape[1]))
    c = c.at[:].set(0)
    c = c.at[:].add(a.astype(c.dtype) @ b[: a.shape[1]])
    return c


@jax.jit
def distances(x: jax.Array, y: jax.Array):
    n, m = x.shape
    s = 0.0
    d = x - y[:m]
    s = s + jnp.sum(jnp.where(d > 0, d * d, 0), axis=-1)
    out = jnp.sqrt(s).astype(float)
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


@jax.jit
def earlier(weights: jax.Array, x: jax.Array):
    out = jnp.zeros(len(x))
    assert x.ndim == 1
    n = jnp.arange(x.shape[0])
    out = out.at[:].set(x - _masked_matmul(n < jnp.arange(len(x))[:, None], weights[: len(x)], x))
    return out


@jax.jit
def medians(x: jax.Array):
    out = jnp.zeros(len(x))

    def out_at(x_window):
        return jnp.median(x_window)

    out = out.at[1:-1].set(jax.vmap(out_at)(_windows(x, 0, len(x) - 2, 3, axis=0)))
    return out


@jax.jit
def assembled(K: jax.Array, ke: jax.Array, free: int):
    def then(K):
        def K_at(ke_e_i):
            K_i = jnp.broadcast_to(ke_e_i @ ke_e_i.T, K.shape[1:])
            assert jnp.can_cast(K_i.dtype, K.dtype, "same_kind")
            return K_i

        return K.at[: ke.shape[1]].set(K[: ke.shape[1]] + jnp.sum(jax.vmap(jax.vmap(K_at))(ke), axis=0, dtype=K.dtype))

    def otherwise(K):
        return K

    K = lax.cond(free > 0, then, otherwise, K)
    return K
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.loop_plan import Distributed, Parallel
from ..loop_codegen.distribution_writer import Distribution
from ..loop_codegen.vmap_writer import Vectorizer

rule = Rule(__name__, "NJ411", optional=True)


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Parallel(iterations=found):
            pass
        case _:
            return
    filled = [*(s.target.array for s in found.stores), *(r.name for r in found.reductions if r.how == "stack")]
    writer = Vectorizer(ctx, found)
    edits = writer.edits()
    how = "they are one expression of whole arrays" if found.elementwise else "`jax.vmap` runs all in parallel"
    how = f"`lax.map` runs them one by one, since {found.expensive}" if found.expensive else how
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(filled))
    yield Finding(
        node,
        f"the iterations are independent, each makes its own elements of {names}: {how}",
        edits,
        frozenset(writer.imports),
        definitions=frozenset(writer.definitions),
    )


@rule.on(cst.For)
def distributed(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """A loop of several statements, each of which all iterations can execute before the next one."""
    match ctx.loops.loop_plan(node):
        case Distributed(parts=parts):
            pass
        case _:
            return
    writer = Distribution(ctx, node, parts)
    edits = writer.edits()
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(s.target.array for part in parts for s in part.stores))
    message = f"the iterations are independent, each makes its own elements of {names}: they are expressions of whole arrays"
    yield Finding(node, message, edits, frozenset(writer.imports))
