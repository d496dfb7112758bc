"""A compact loop or branch is written out as plain statements, which other rules then convert.

- The `else` of a loop moves after the loop, behind a flag where `break` may end the loop; or before the loop, where it gives
  variables the values that `break` changes.
- In `for i in range(n)` whose body rebinds `i`, a separate variable counts the iterations.
- `return` in a nested loop becomes `break` behind a flag, and the outer loop returns.
- `raise` and `assert` in a loop become `break` behind a flag, and the same exception is raised after the loop, which moves into a
  function (NJ418); so does `return` beside them. What the message reads is carried, or computed again from the items that it was
  computed from.
- A list to which a loop of a known number of iterations appends numbers (`losses.append(loss)`), in each or in some, also if `break`
  may end it, becomes an array with room for all of them and a count; after the loop the list is made of it. A number of an unknown
  dtype that is no integer is stored as a float64, in files that name no complex numbers. Arrays like one before the loop
  (`path.append(x.copy())`) are kept so until a `break`, if 10 million elements are room enough.
- The code after `continue` becomes the other arm of the branch (`if x[i] < 0: continue`), if the iteration does not end in
  another way: the iterations may then run in parallel. This is also done in functions that `jit` compiles anyway.
- `best = None` before a loop that binds `best` to an index or a float: a flag says whether it was bound, and `None` is set
  after the loop.
- A variable that the loop binds, and that is read after the loop or returned, is initialized with the variable that it becomes
  (`x = x_new` at the end of the body): loops in JAX need an initial value. If there are no iterations, NumPy raises, and JAX
  returns it.
- A list with initial elements (`ys = [y0]`) that grows by one in each iteration and becomes an array starts empty, and the
  array gets both parts. `ys[-1]`, and `ys[i]` where it is the last element, becomes a variable.
- `itertools.product` of ranges, `np.ndindex` and `np.ndenumerate` become nested loops over ranges. Where only the number of
  indices determines the rank of an array, its shape is unpacked, which raises for any other rank. This needs that the variables
  are not read after the loop; `break` leaves the whole nest.
- A `while` that counts (`while i + size <= len(x): ...; i += hop`) becomes a `for` over a range, and what it increments in each iteration
  is computed from the number of the iteration: such iterations may run in parallel, and slices of constant length become windows (NJ407).
  A step that is not a literal must be static, and is asserted to be positive.
- A loop over a variable that holds a range (`r = range(len(x))`) iterates over the range itself.
- `np.nditer` iterates over the elements, where their order in memory makes no difference: in sums and products, or with
  `order="C"`. JAX arrays have no such order.
- An array that starts empty (`np.array([])`, `np.empty((0, k))`) or with some floats, and grows by one element in each
  iteration (`np.append`, `np.vstack`, `np.concatenate([a, [x]])`), becomes a list that is made an array after the loop (NJ412).
  It keeps its dtype: integers appended to `np.array([])` become floats.
- Positions where a condition holds (`np.where(c)[0]`, `np.nonzero`, `np.flatnonzero`, `np.argwhere`) that only select elements,
  store to them, or are counted, become the mask itself: `x[c]`, `np.count_nonzero(c)`. So do positions in a variable of which
  the first or the last is used (`p[0]`, `p[-1]`, NJ419), or that are reduced (`p.mean()`, `np.sum(p * w[p])`). A loop over them
  becomes a loop over all positions, with a test. Where only `[0]` implies that the condition has rank 1, an `assert` checks it;
  where the condition comes from another argument than the indexed array (`X[np.where(y == k)[0]]`), an `assert` checks that
  their lengths are equal. Arrays of another origin may differ in length, and are left alone.
- What a loop prints, or passes to a callback, only where an option is set that the loop does not change (`if verbose: print(loss)`,
  `if callback is not None: callback(x)`), stays in a copy of the loop for that option; the loop without it moves into a function (NJ418).
- `self.b = 0` and `self.b -= step` in a loop: `self.b = self.b - step`, as the attribute is no array that something else holds.
- `match` with values, alternatives, names and guards becomes `if` and `elif` (NJ403).

This is done only where `jit` can then compile the function, or one of its loops (NJ418), or no longer compiles anew for each
value of an argument.

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

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule

rule = Rule(__name__, "NJ421", optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is ctx.unit.definition and ctx.unit.desugared:
        yield Finding(node, f"written in plain statements first: {', '.join(ctx.unit.desugared)}", {node: lambda made: made})
