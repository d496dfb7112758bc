"""A slice of constant length that starts at a different position in each iteration.

JAX compiles one program for all iterations: the start of a slice may depend on the iteration, its length may not. A few
elements are read by index, more by `lax.dynamic_slice`. Both shift a slice that leaves the array, whereas NumPy truncates it.
So this needs a proof that the slice stays inside: from the range of the loop, as in `range(x.shape[0] - 2)` or `range(len(x) //
width)`, or from an enclosing test. In a loop that moves out of code on the host (NJ418), that code tests it, and runs the original where NumPy
truncates a slice. Any other slice is treated as one of varying length (NJ406).

```python
import numpy as np


def smooth(x: np.ndarray):
    y = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        y[i] = 0.5 * y[i - 1] + np.median(x[i - 1 : i + 2])
    return y


def energies(x: np.ndarray, size: int, hop: int):
    out = np.zeros(1 + (len(x) - size) // hop)
    for i in range(1 + (len(x) - size) // hop):
        out[i] = np.sum(x[i * hop : i * hop + size] ** 2)
    return out


def spectra(x: np.ndarray, size: int, hop: int):
    found = []
    for start in range(0, len(x) - size + 1, hop):
        found.append(np.abs(np.fft.rfft(x[start : start + size])))
    return np.array(found)
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def smooth(x: jax.Array):
    y = jnp.zeros(x.shape[0])

    def step(y_before, i):
        y_i = 0.5 * y_before + jnp.median(x[i - 1 + jnp.arange(3)])
        return y_i, y_i

    _, y_items = lax.scan(step, y[0], jnp.arange(1, x.shape[0] - 1))
    y = y.at[1:-1].set(y_items)
    return y


@functools.partial(jax.jit, static_argnames=("size", "hop"))
def energies(x: jax.Array, size: int, hop: int):
    assert hop >= 0
    assert size >= 0

    def out_at(i):
        return jnp.sum(lax.dynamic_slice_in_dim(x, i * hop, min(size, x.shape[0])) ** 2)

    out = jax.vmap(out_at)(jnp.arange(1 + (len(x) - size) // hop)).astype(float)
    return out


@functools.partial(jax.jit, static_argnames=("size", "hop"))
def spectra(x: jax.Array, size: int, hop: int):
    assert hop >= 0
    assert size >= 0

    def found_at(k):
        start = k * hop
        return jnp.abs(jnp.fft.rfft(lax.dynamic_slice_in_dim(x, start, min(size, x.shape[0]))))

    found = jax.vmap(found_at)(jnp.arange(-(-(len(x) - size + 1) // hop)))
    return found
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from ..context import Context
from ..core.findings import Edit, Finding
from ..core.registry import Rule
from ..facts.dynamic_slices import Window
from ..syntax import builders
from ..syntax.source_text import code
from . import masks

rule = Rule(__name__, "NJ407")


@rule.on(*masks.EVALUATED)
def statement(node: cst.CSTNode, ctx: Context) -> Iterator[Finding]:
    root = masks.evaluated(node)
    ragged = ctx.slices.ragged(root)
    if ragged is None or not ragged.windows:
        return
    edits: dict[cst.CSTNode, Edit] = {}
    imports: frozenset[str] = frozenset()
    for subscript, windows in ragged.windows.items():
        if subscript in ragged.indexed:
            edits[subscript] = _indexed(windows, ctx)
            imports |= ctx.names.name_of("jax.numpy.arange")[1]
        else:
            edits[subscript] = _read(windows, ctx)
            imports |= ctx.names.name_of("jax.lax.dynamic_slice_in_dim")[1]
    yield Finding(root, f"`{code(next(iter(ragged.windows)))}` starts at another position in each iteration", edits, imports)


def _read(windows: Mapping[int, Window], ctx: Context) -> Edit:
    """`lax.dynamic_slice_in_dim(x[...], start, length, axis)`, one for each dynamic slice."""

    def edit(made: cst.Subscript) -> cst.BaseExpression:
        first, added, moved = _separated(builders.flat(made.slice), windows)
        result = made.with_changes(slice=builders.clean(first)) if first else made.value
        function = builders.dotted(ctx.names.name_of("jax.lax.dynamic_slice_in_dim")[0])
        for axis, window in moved:
            arguments = [result, ctx.rewritten(window.start), cst.parse_expression(_length(window))]
            call = builders.call(function, *arguments)
            result = builders.with_keyword(call, "axis", cst.Integer(str(axis))) if axis else call
        return cst.Subscript(result, builders.clean(added)) if added else result

    return edit


def _length(window: Window) -> str:
    """The length of the slice, at most that of the axis, also where the loop has no iterations because of that."""
    return f"min({window.length}, {window.minimum})" if window.minimum else window.length


def _separated(
    parts: list[cst.SubscriptElement], windows: Mapping[int, Window]
) -> tuple[list[cst.SubscriptElement], list[cst.SubscriptElement], list[tuple[int, Window]]]:
    """The subscript before the dynamic slices, the one that adds new axes after them, and their axes."""
    every = cst.SubscriptElement(cst.Slice(None, None))
    first: list[cst.SubscriptElement] = []
    moved: list[tuple[int, Window]] = []
    axis = 0
    for k, part in enumerate(parts):
        if builders.is_new_axis(part.slice):
            continue
        if k in windows:
            moved.append((axis, windows[k]))
        first.append(every if k in windows else part)
        axis += isinstance(part.slice, cst.Slice)
    while first and masks.all_slices(first[-1:]):
        first.pop()
    return first, builders.axes_shown(parts), moved


def _indexed(windows: Mapping[int, Window], ctx: Context) -> Edit:
    """`x[start + jnp.arange(length)]`, also for `.at`."""

    def edit(made: cst.Subscript) -> cst.Subscript:
        parts = builders.flat(made.slice)
        arange = ctx.names.name_of("jax.numpy.arange")[0]
        for k, window in windows.items():
            steps = builders.call(builders.dotted(arange), cst.parse_expression(window.length))
            start = ctx.rewritten(window.start)
            parts[k] = cst.SubscriptElement(cst.Index(cst.BinaryOperation(start, cst.Add(), steps)))
        return made.with_changes(slice=builders.clean(parts))

    return edit
