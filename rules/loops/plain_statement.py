"""A loop or a branch that Python writes shortly: plain statements stand in its place, and become code of JAX as any others.

- What the `else` of a loop says stands after the loop: where `break` may end the loop, behind a flag; or ahead of it, where it
  gives variables their values that `break` changes.
- `for i in range(n)` whose turns bind `i`: a variable of its own counts the turns.
- `return` in a loop inside of another one is `break` behind a flag, and the turn of the outer loop returns.
- What follows `continue` in a turn stands on the other side of the branch (`if x[i] < 0: continue`), where the turns do not end otherwise:
  all of them can be taken at once then. In functions that jit compiles anyway, too.
- `best = None` ahead of a loop that binds `best` to an index, or to a float: a flag says whether it did, and `None` comes after the loop.
- A variable that turns bind, and that is read after them or returned, starts with the variable that it becomes in a turn (`x = x_new`
  at its end): JAX's loops need a value before the first turn. Where there are no turns, NumPy raises, and this gives that.
- A list that begins with items (`ys = [y0]`), gets one in each turn, and becomes an array, begins empty: the array gets both. `ys[-1]`,
  and `ys[i]` where it is the last one, is a variable.
- `itertools.product` of ranges, `np.ndindex` and `np.ndenumerate` are nests of loops over ranges. Where only the number of indices
  tells how many dimensions an array has, its shape is taken apart, which raises for any other. Their variables are not read after
  the loop; `break` leaves all of the nest.
- Loops over a variable that holds a range (`r = range(len(x))`) go through the range itself.
- `np.nditer` goes through the items where their order in memory, which arrays of JAX do not have, makes no difference: where turns
  only add up, or multiply; or where it says `order="C"`.
- An array that starts without items (`np.array([])`, `np.empty((0, k))`), or with some floats, and grows by one in each turn
  (`np.append`, `np.vstack`, `np.concatenate([a, [x]])`) is a list, whose items the array gets after the loop (NJ412). It keeps its
  dtype: integers that are appended to `np.array([])` become floats.
- Positions where a condition holds (`np.where(c)[0]`, `np.nonzero`, `np.flatnonzero`, `np.argwhere`), which only look up items, store to
  them, or are counted, are the condition itself, a mask: `x[c]`, `np.count_nonzero(c)`. So are those of which a variable holds all and
  the first or the last is taken (`p[0]`, `p[-1]`, NJ419), or numbers are made (`p.mean()`, `np.sum(p * w[p])`). A loop over them is one over all positions,
  with a test. Where only `[0]` tells that the condition has one dimension, an `assert` says so; and where it is made of another array
  that came with the one that is indexed (`X[np.where(y == k)[0]]`), that they are of one length. Arrays that were made otherwise may be
  of another length, and stay.
- `match` with values, alternatives, names and guards is a chain of `if` and `elif` (NJ403).

This is done where `jit` compiles the function then, or a loop of it (NJ418), or no longer for each value of an argument anew.
Elsewhere nothing is changed.

```python
import numpy as np


def primes(n: int):
    found = np.zeros(n, int)
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
        else:
            found[k] = 1
    return found


def weighted(x: np.ndarray, w: np.ndarray):
    y = np.zeros((len(w), len(x)))
    for i, j in np.ndindex(y.shape):
        y[i, j] = w[i] * x[j]
    return y


def moment(a: np.ndarray):
    total = 0.0
    for (i, j), v in np.ndenumerate(a):
        total += (i - j) * v
    return total


def path(x: np.ndarray):
    seen = np.array([])
    level = 0.0
    for v in x:
        level = 0.5 * level + np.sum(v)
        seen = np.append(seen, level)
    return seen


def rounded(x: float, unit: float):
    match unit:
        case 0:
            return x
        case step if step < 0:
            return np.floor(x / step) * step
        case _:
            return np.round(x / unit) * unit
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax


@functools.partial(jax.jit, static_argnames="n")
def primes(n: int):
    found = jnp.zeros(n, int)

    def update_found(k, found):
        stopped = False

        def running(carry):
            d, stopped = carry
            return ~stopped & (d + 1 < k)

        def step(carry):
            d, stopped = carry
            d = d + 1
            stopped = k % d == 0
            return d, stopped

        _, stopped = lax.while_loop(running, step, (1, stopped))
        return found.at[k].set(jnp.where(~stopped, 1, found[k]))

    found = lax.fori_loop(2, n, update_found, found)
    return found


@jax.jit
def weighted(x: jax.Array, w: jax.Array):
    y = jnp.zeros((len(w), len(x)))
    y = y.at[:].set(w[:, None] * x)
    return y


@jax.jit
def moment(a: jax.Array):
    total = 0.0
    n, m = a.shape
    i = jnp.arange(n)[:, None]
    j = jnp.arange(m)
    v = a
    total = total + jnp.sum((i - j) * v)
    return total


@jax.jit
def path(x: jax.Array):
    seen = jnp.array([])
    level = 0.0

    def step(level, v):
        level = 0.5 * level + jnp.sum(v)
        return level, level

    _, seen_items = lax.scan(step, level, x)
    seen = jnp.append(seen, seen_items)
    return seen


@jax.jit
def rounded(x: float, unit: float):
    def then():
        return x

    def otherwise():
        step = unit
        return lax.cond(step < 0, lambda: jnp.floor(x / step) * step, lambda: jnp.round(x / unit) * unit)

    return lax.cond(unit == 0, then, otherwise)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..core.context import Context
from ..core.findings import Finding
from ..core.registry import Rule

rule = Rule(__name__, "NJ421", optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.definition and ctx.desugared:
        yield Finding(node, f"written in plain statements first: {', '.join(ctx.desugared)}", {node: lambda made: made})
