"""Several stores to one array element, one after the other, in a compiled loop.

Each `.at[...]` updates the whole array. XLA does this in place only if nothing reads the array between two updates; otherwise
each iteration copies it. A variable takes the values of the earlier stores, and only the last store remains. A value that is
stored and then read again is kept in a variable too.

```python
import numpy as np


def sweep(A: np.ndarray):
    for i in range(1, A.shape[0]):
        A[i] += A[i - 1]
        A[i] /= 2.0
    return A


def mirrored(A: np.ndarray, x: np.ndarray):
    for i in range(len(x)):
        for j in range(i):
            A[i, j] = x[i] / x[j]
            A[j, i] = A[i, j]
    return A
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def sweep(A: jax.Array):
    def update_A(i, A):
        A_i = A[i] + A[i - 1]
        return A.at[i].set(A_i / 2.0)

    A = lax.fori_loop(1, A.shape[0], update_A, A)
    return A


@jax.jit
def mirrored(A: jax.Array, x: jax.Array):
    def update_A(i, A):
        def update_A_j(j, A):
            A_ij = jnp.full_like(A[i, j], x[i] / x[j])
            A = A.at[i, j].set(A_ij)
            return A.at[j, i].set(A_ij)

        return lax.fori_loop(0, i, update_A_j, A)

    A = lax.fori_loop(0, len(x), update_A, A)
    return A
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen.array_updates import Writer, needed, rebinding
from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.updates import Update
from ..facts.values import Value
from ..syntax import builders

rule = Rule(__name__, "NJ901")
EXACT = (cst.Add, cst.Subtract, cst.Multiply, cst.MatrixMultiply)
KEEPING = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)


@rule.on(cst.Assign, cst.AugAssign)
def store(node: cst.Assign | cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    slot = ctx.effects.slot(node)
    if slot is None:
        return
    update = ctx.effects.updates(node)[0]
    name = ctx.effects.slot_name(slot)
    first, last = node is slot.stores[0], node is slot.stores[-1]
    imports = set(needed(update, ctx))
    full, more = ctx.names.name_of("jax.numpy.full_like")

    def edit(made: cst.Assign | cst.AugAssign) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        old = part(update, ctx) if first else cst.Name(name)
        value = made.value
        if isinstance(made, cst.AugAssign):
            value = builders.binary(old, made.operator, made.value)
        if last and not slot.live_after:
            writer = Writer(ctx, update, None, value, result(node, update, ctx))
            return rebinding(update, writer.expression(), ctx)
        if isinstance(node, cst.AugAssign) and not exact(node, update, ctx):
            value = builders.method(value, "astype", cst.Attribute(cst.Name(update.access_path), cst.Name("dtype")))
        elif isinstance(node, cst.Assign) and not same(node.value, update, ctx):
            value = builders.call(builders.dotted(full), part(update, ctx), value)
        held = cst.Assign([cst.AssignTarget(cst.Name(name))], value)
        if not last:
            return held
        writer = Writer(ctx, update, None, cst.Name(name), result(node, update, ctx))
        return cst.FlattenSentinel([held, rebinding(update, writer.expression(), ctx)])

    message = (
        f"`{update.access_path}` is changed in place" if last else f"`{update.access_path}` is stored to again before it is read"
    )
    yield Finding(node, message, {node: edit}, frozenset(imports | more))


@rule.on(cst.Subscript)
def read(node: cst.Subscript, ctx: Context) -> Iterator[Finding]:
    slot = ctx.effects.slot(node)
    if slot is not None:
        name = ctx.effects.slot_name(slot)
        yield Finding(node, "the stored value is in a variable", {node: lambda _made: cst.Name(name)})


def part(update: Update, ctx: Context) -> cst.BaseExpression:
    """The element as it is before the first store."""
    return ctx.rewritten(update.steps[-1])


def result(node: cst.Assign | cst.AugAssign, update: Update, ctx: Context) -> Value:
    """What is known of the value of the last store."""
    argument = ctx.value(node.value)
    if isinstance(node, cst.Assign):
        return argument
    dtype = dtypes.promote(update.value.dtype, argument.dtype) if update.value.dtype and argument.dtype else ""
    if isinstance(node.operator, cst.DivideAssign) and dtypes.category(dtype) == 1:
        dtype = "float64"
    return Value(Kind.ARRAY, dtype)


def exact(node: cst.AugAssign, update: Update, ctx: Context) -> bool:
    """Whether `A[i] op value` certainly has the dtype of A."""
    if dtypes.keeps(update.value.dtype, ctx.value(node.value).dtype, node.operator):
        return True
    return isinstance(node.operator, KEEPING) and made_of(node.value, update.access_path)


def made_of(node: cst.BaseExpression, location: str) -> bool:
    """Whether an expression is computed from elements of one array alone, so that it has the array's dtype."""
    match node:
        case cst.Subscript(value=cst.Name(value=name)):
            return name == location
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return made_of(inner, location)
        case cst.BinaryOperation(left=left, operator=operator, right=right) if isinstance(operator, EXACT):
            return made_of(left, location) and made_of(right, location)
    return False


def same(node: cst.BaseExpression, update: Update, ctx: Context) -> bool:
    """Whether a value certainly has the shape and the dtype of the element that it is stored to."""
    if made_of(node, update.access_path) and isinstance(node, cst.Subscript):
        step = update.steps[-1]
        return isinstance(step, cst.Subscript) and len(step.slice) == len(node.slice) and _integers(step) and _integers(node)
    return False


def _integers(node: cst.Subscript) -> bool:
    return all(isinstance(p.slice, cst.Index) for p in node.slice)
