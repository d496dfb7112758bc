"""A slice whose length changes from one iteration to the next.

JAX compiles one program for all iterations, in which every array has one shape. The program reads the whole axis, and a mask
selects the positions of the slice. The other positions become the neutral element of the operation, whatever they contain. A
store updates only the positions of the slice.

A bound that may be negative counts from the end where it is negative. The step may change too, if it is certainly positive. The
loop stays Python where the slice is passed to something that cannot take a mask, such as `np.sort` or another function, where
its length is used, and where the rank of the array is unknown: annotate it, or compute with the whole axis. Where only the
number of indices determines the rank, an `assert` checks it.

```python
import numpy as np


def solve(L: np.ndarray, b: np.ndarray):
    x = np.zeros(L.shape[0])
    for i in range(L.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def sieve(n: int):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, n):
        prime[i * i :: i] = False
    return prime
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def solve(L: jax.Array, b: jax.Array):
    x = jnp.zeros(L.shape[0])

    n = jnp.arange(L.shape[0])

    def update_x(i, x):
        return x.at[i].set((b[i] - jnp.sum(L[i] * x, where=n < i)) / L[i, i])

    x = lax.fori_loop(0, L.shape[0], update_x, x)
    return x


@functools.partial(jax.jit, static_argnames="n")
def sieve(n: int):
    prime = jnp.ones(n + 1, dtype=bool)
    prime = prime.at[:2].set(False)

    m = jnp.arange(n + 1)

    def update_prime(i, prime):
        return jnp.where((m >= i * i) & (m % i == 0), False, prime)

    prime = lax.fori_loop(2, n, update_prime, prime)
    return prime
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule
from ..facts.dynamic_slices import Ragged
from ..facts.loop_plan import Vectorized
from ..syntax.source_text import code, line
from . import mask_substitution, masks

rule = Rule(__name__, "NJ406")


@rule.on(*masks.EVALUATED)
def statement(node: cst.CSTNode, ctx: Context) -> Iterator[Finding]:
    root = masks.evaluated(node)
    ragged = ctx.slices.ragged(root)
    if ragged is None or ragged.selection or not ragged.changes:
        return
    asserted = [line(f"assert {array}.ndim == {rank}") for array, rank in ragged.ranks.items()]
    if _multiplied_in_parallel(root, ragged, ctx):
        if asserted:
            yield Finding(root, f"`{next(iter(ragged.ranks))}` is multiplied along one axis only", before=lambda: [*asserted])
        return
    first = next(iter([*ragged.reads, *ragged.stores, *ragged.sliced]))
    text = code(first)
    imports = ctx.names.name_of("jax.numpy.where")[1]
    every = [*ragged.masks.values(), *ragged.reductions.values()]
    long = {m.axes: m for m in every if any(b.wraps for _back, b in m.axes)}
    if not isinstance(root, cst.BaseSmallStatement):
        long = {}
    names = {axes: ctx.names.local("selected", "selected_too") for axes in long}

    def before() -> list[Statement]:
        lines: list[Statement] = [*asserted]
        for axes, name in names.items():
            made = cst.Assign([cst.AssignTarget(cst.Name(name))], masks.condition(long[axes], ctx))
            lines.append(cst.SimpleStatementLine([made]))
        return lines

    yield Finding(
        root,
        f"the length of `{text}` changes from one iteration to the next: a mask on the whole axis",
        mask_substitution.edits(ragged, ctx, names),
        imports,
        before if names or asserted else None,
    )


@rule.on(cst.For, cst.While, cst.SimpleStatementLine, cst.If)
def position(node: cst.CSTNode, ctx: Context) -> Iterator[Finding]:
    """The indices along the axes of dynamic slices, created once before the loops."""
    made, ranks, signs = ctx.slices.positions_made(node), ctx.slices.ranks_asserted(node), ctx.slices.signs(node)
    if not made and not ranks and not signs:
        return
    _text, imports = ctx.names.name_of("jax.numpy.arange")

    def before() -> list[Statement]:
        checked = dict.fromkeys([*((b.array, b.rank) for _name, b in made if b.rank), *ranks])
        lines = [line(f"assert {condition}") for condition in signs]
        lines += [line(f"assert {array}.ndim == {rank}") for array, rank in checked]
        arange = ctx.names.name_of("jax.numpy.arange")[0]
        return [*lines, *(line(f"{name} = {arange}({bounds.along})") for name, bounds in made)]

    names = ", ".join(f"`{name}`" for name, _bounds in made)
    if made:
        why = f"{names}: the positions along an axis, for masks"
    elif ranks:
        why = f"`{ranks[0][0]}` meets a slice along one axis only"
    else:
        why = f"unless `{signs[0]}`, indices would count from the end"
    yield Finding(node, why, imports=imports if made else frozenset(), before=before, early=True)


def _multiplied_in_parallel(root: cst.CSTNode, ragged: Ragged, ctx: Context) -> bool:
    """Whether an enclosing loop rewrites it as matrix products, or sums of segments (NJ411)."""
    at = ctx.parent(root)
    while at is not None and not isinstance(at, cst.FunctionDef):
        match ctx.loops.loop_plan(at) if isinstance(at, cst.For) else None:
            case Vectorized(iterations=found):
                return any(p.node in ragged.products for p in found.products) or any(s.root is root for s in found.segments)
        at = ctx.parent(at)
    return False
