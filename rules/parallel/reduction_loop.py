"""A loop that reduces what its iterations compute: a sum, a product, a minimum or a maximum.

The operands of all iterations are computed at once and reduced. An operand that a test excludes counts as 0, or as 1 in a
product. A floating-point sum in another order may differ by rounding. Where the loop also records the index, `jnp.argmin` or
`jnp.argmax` finds it: the first of the best elements, ignoring NaN, or the initial value where no element is better. A loop
that ends with `break` or `return` at the first element that satisfies a test evaluates the test on all elements: `jnp.any` says
whether there is one, and `jnp.argmax` which.

An inner loop whose trip count depends on the outer index (`for j in range(i + 1, n)`) runs over the full range under a mask,
where its iterations can then run in parallel. It then has reverse-mode derivatives, unlike a loop whose trip count depends on
data.

```python
import numpy as np


def energy(rows: np.ndarray, weight: np.ndarray):
    total = 0.0
    for i in range(rows.shape[0]):
        total += np.sum(rows[i] ** 2)
    return total


def trace(a: np.ndarray):
    total = 0.0
    for i in range(a.shape[0]):
        total += np.tanh(a[i, i])
    return total


def income(x: np.ndarray):
    total = 0.0
    n = 0
    for v in x:
        if v > 0:
            total += v
        if v < 0:
            n += 1
    return total, n


def closest(x: np.ndarray, to: float):
    best = np.inf
    place = -1
    for i in range(len(x)):
        d = abs(x[i] - to)
        if d < best:
            best = d
            place = i
    return place


def first_above(x: np.ndarray, limit: float):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


def above_diagonal(a: np.ndarray):
    n, _ = a.shape
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            total += a[i, j] ** 2
    return total


def substituted(a: np.ndarray, b: np.ndarray):
    n, _ = a.shape
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = 0.0
        for j in range(i + 1, n):
            s += a[i, j] * x[j]
        x[i] = (b[i] - s) / a[i, i]
    return x


def rises(x: np.ndarray):
    for i in range(1, len(x)):
        if x[i] <= x[i - 1]:
            return False
    return True
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def energy(rows: jax.Array, weight: jax.Array):
    total = 0.0

    def term(rows_i):
        return jnp.sum(rows_i ** 2)

    total = total + jax.vmap(term)(rows).sum()
    return total


@jax.jit
def trace(a: jax.Array):
    total = 0.0
    i = jnp.arange(a.shape[0])
    total = total + jnp.sum(jnp.tanh(a[i, i]), axis=0)
    return total


@jax.jit
def income(x: jax.Array):
    total = 0.0
    n = 0
    total = total + jnp.sum(jnp.where(x > 0, x, 0), axis=0)
    n = n + jnp.sum(x < 0)
    return total, n


@jax.jit
def closest(x: jax.Array, to: float):
    best = jnp.inf
    place = -1
    d = abs(x - to)
    candidates = jnp.append(jnp.where(d < best, d, best), best)
    k = jnp.argmin(candidates)
    place = jnp.where(candidates[k] < best, k, place)
    best = candidates[k]
    return place


@jax.jit
def first_above(x: jax.Array, limit: float):
    k = jnp.argmax(jnp.append(x > limit, True))
    return jnp.where(k < len(x), k, -1)


@jax.jit
def above_diagonal(a: jax.Array):
    n, _ = a.shape
    total = 0.0
    i = jnp.arange(n)[:, None]
    j = jnp.arange(n)
    total = total + jnp.sum(jnp.where(j > i, a[:, :n] ** 2, 0))
    return total


@jax.jit
def substituted(a: jax.Array, b: jax.Array):
    n, _ = a.shape
    x = jnp.zeros(n)

    def update_x(k, x):
        i = n - 1 - k
        s = 0.0
        j = jnp.arange(n)
        s = s + jnp.sum(jnp.where(j > i, a[i, :n] * x, 0))
        return x.at[i].set((b[i] - s) / a[i, i])

    x = lax.fori_loop(0, n, update_x, x)
    return x


@jax.jit
def rises(x: jax.Array):
    found = jnp.any(x[1:] <= x[:-1])
    return ~found
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.loop_plan import ParallelReduction, Search
from ..loop_codegen.vmap_writer import Vectorizer

rule = Rule(__name__, "NJ410", optional=True)
SAID = {"sum": "adds up", "prod": "multiplies", "max": "takes the maximum of", "min": "takes the minimum of"}


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Search(iterations=found):
            message = "the loop searches for the first iteration in which a test holds: all are tested at once"
        case ParallelReduction(iterations=found):
            said = " and ".join(dict.fromkeys(SAID[r.how] for r in found.reductions))
            how = "of whole arrays" if found.elementwise else "of all iterations, which `jax.vmap` runs in parallel"
            message = f"the loop {said} what its iterations compute: a reduction {how}"
        case _:
            return
    writer = Vectorizer(ctx, found)
    edits = writer.edits()
    yield Finding(node, message, edits, frozenset(writer.imports), definitions=frozenset(writer.definitions))
