"""A list or a tuple combined with an array in arithmetic or a comparison.

NumPy converts it to an array; JAX raises TypeError.

```python
import numpy as np


def scaled(x: np.ndarray):
    return x * (2.0, 3.0)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x: jax.Array):
    return x * jnp.array((2.0, 3.0))
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..context import Context
from ..core.dtypes import is_weak, kind
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..dtypes.jax_dtypes import numpy_dtype
from ..syntax import builders
from ..syntax.sequences import is_sequence, wrapped

rule = Rule(__name__, "NJ107")
SEQUENCES = (Kind.LIST, Kind.TUPLE)


@rule.on(cst.BinaryOperation)
def arithmetic(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    yield from _pair(node.left, node.right, ctx, repeats=isinstance(node.operator, cst.Multiply))


@rule.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    if ctx.kind(node.target) is Kind.ARRAY:
        yield from _pair(node.target, node.value, ctx)


@rule.on(cst.Comparison)
def comparison(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    left = node.left
    for part in node.comparisons:
        if not isinstance(part.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)):
            yield from _pair(left, part.comparator, ctx)
        left = part.comparator


@rule.on(cst.Assign)
def stored(node: cst.Assign, ctx: Context) -> Iterator[Finding]:
    """`x[i] = [a, b]`: the list becomes an array of the dtype of `x`."""
    updated = any(
        not update.problem and update.target is not None for update in ctx.effects.updates(node)
    ) or ctx.effects.handled_by_loop(node)
    if len(node.targets) != 1 or not isinstance(node.targets[0].target, cst.Subscript) or not updated:
        return
    if not isinstance(node.value, (cst.List, cst.Tuple)) or ctx.kind(node.targets[0].target.value) is not Kind.ARRAY:
        return
    array = node.targets[0].target.value
    if isinstance(array, cst.Attribute) and array.attr.value == "flat":
        return  # `.flat` accepts a list of any length, and repeats it
    same = ctx.value(array).dtype == "float64" and all(
        isinstance(e, cst.Element) and ctx.value(e.value).dtype in ("float64", "float", "int", "int64")
        for e in node.value.elements
    )

    def edit(made: cst.BaseExpression) -> cst.BaseExpression:
        listed = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.array")[0]), builders.enclosed(made))
        if same:
            return listed
        return builders.with_keyword(listed, "dtype", cst.Attribute(builders.operand(ctx.rewritten(array)), cst.Name("dtype")))

    yield Finding(
        node.value, "a list or a tuple is stored in an array", {node.value: edit}, ctx.names.name_of("jax.numpy.array")[1]
    )


def _item_of_jax(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether `node` is a number that JAX may compute, and not a Python number."""
    value = ctx.value(node)
    return value.kind is Kind.SCALAR and not ctx.is_static(node) and (value.device or not is_weak(value.dtype))


def _integer(made: cst.CSTNode) -> cst.CSTNode:
    """The value as a Python integer, by which a list can be repeated."""
    assert isinstance(made, cst.BaseExpression)
    return builders.call(cst.Name("int"), builders.bare(made))


def _may_be_integer(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether `node` may be an integer rather than an array, such as an element of an array of unknown rank."""
    value = ctx.value(node)
    if value.number:
        return True
    if value.rank >= 0 or value.holds or kind(numpy_dtype(value)) in ("f", "c"):
        return False
    match node:
        case cst.Subscript(slice=parts):
            return all(isinstance(p.slice, cst.Index) and ctx.value(p.slice.value).kind is not Kind.ARRAY for p in parts)
        case cst.Name():
            return True
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply() | cst.FloorDivide(), right=right
        ):
            return all(ctx.kind(one) is Kind.SCALAR or _may_be_integer(one, ctx) for one in (left, right))
    return False


def _pair(left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context, repeats: bool = False) -> Iterator[Finding]:
    """Convert a sequence operand to an array. `repeats`: with an integer operand, the operator would repeat the sequence."""
    for node, other in ((left, right), (right, left)):
        if repeats and ctx.kind(node) in (*SEQUENCES, Kind.STRING) and _item_of_jax(other, ctx):
            yield Finding(other, "a list is repeated as often as JAX computes", {other: _integer})
        if ctx.kind(other) is not Kind.ARRAY and (repeats or not _item_of_jax(other, ctx)):
            continue
        if ctx.kind(node) in SEQUENCES and repeats and _may_be_integer(other, ctx):
            yield Finding(node, "np2jax cannot tell whether a list is repeated here, or multiplied by an array", blocks=True)
        elif is_sequence(node, ctx):  # if another call passes a number here, its array is weakly typed, too
            imports = ctx.names.name_of("jax.numpy.asarray")[1]
            yield Finding(node, "a list or a tuple is combined with an array", {node: partial(wrapped, node, ctx=ctx)}, imports)
