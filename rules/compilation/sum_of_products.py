"""A matrix product written with `np.newaxis`: a sum of products of arrays, each of which has an axis that the other lacks.

NumPy computes all products before it sums them, and so does JAX. `jnp.einsum` is many times faster. Products of small integers
wrap around before they are summed, and the dtypes may be unknown: the helper function that is added to the module decides when
tracing.

```python
import numpy as np


def moments(basis, values):
    return np.sum(basis[:, :, np.newaxis] * values[np.newaxis, :, :], axis=1)
```

becomes

```python
import jax
import jax.numpy as jnp


def _sum_of_products(a, b, axis):
    \"\"\"`jnp.sum(a * b, axis)`, which jnp.einsum adds up without making the products.

    Those of small integers and of half precision overflow before they are added up: their sum stays, as do axes that only one has.
    \"\"\"
    axes = axis if isinstance(axis, tuple) else (axis,)
    shared = a.ndim == b.ndim and all(a.shape[k] == b.shape[k] for k in axes)
    dtype = jnp.result_type(a, b)
    if not shared or not jnp.issubdtype(dtype, jnp.inexact) or dtype.itemsize < 4:
        return jnp.sum(a * b, axis)
    every = range(a.ndim)
    summed = [every[k] for k in axes]
    return jnp.einsum(a, [*every], b, [*every], [k for k in every if k not in summed], precision="highest")


@jax.jit
def moments(basis, values):
    return _sum_of_products(basis[:, :, jnp.newaxis], values[jnp.newaxis, :, :], axis=1)
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..slices import masks
from ..syntax import builders
from ..syntax.loop_ranges import integer

rule = Rule(__name__, "NJ902", optional=True, faster=True)
FUNCTION = "_sum_of_products"


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.Call(args=[cst.Arg(value=product, keyword=None, star=""), axis]) if ctx.qualname(node.func) == "numpy.sum":
            pass
        case cst.Call(func=cst.Attribute(value=product, attr=cst.Name(value="sum")), args=[axis]) if array(product, ctx):
            pass
        case _:
            return
    if not isinstance(product, cst.BinaryOperation) or not isinstance(product.operator, cst.Multiply):
        return
    if axis.star or (axis.keyword is not None and axis.keyword.value != "axis") or builders.has_comment(product.operator):
        return
    if not outer(product.left, product.right, summed(axis.value)) or dtypes.category(ctx.value(product).dtype) in (0, 1):
        return
    if not ctx.plan.traceable or ctx.host.on_host(node) or masks.masked((node, product), node, ctx):
        return
    name = ctx.names.defined(FUNCTION)

    def edit(made: cst.Call) -> cst.BaseExpression:
        *given, along = made.args
        found = given[0].value if given else made.func.value if isinstance(made.func, cst.Attribute) else made.func
        if not isinstance(found, cst.BinaryOperation) or not isinstance(found.operator, cst.Multiply):
            return made  # another rule has rewritten it
        gap = found.operator.whitespace_after
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" ") if gap.empty else gap)
        first, second = cst.Arg(builders.bare(found.left), comma=comma), builders.bare(found.right)
        between = given[0].comma if given else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        return made.with_changes(func=cst.Name(name), args=[first, cst.Arg(second, comma=between), along])

    imports = ctx.names.name_of("jax.numpy.einsum")[1]
    message = "products are computed only to be summed, which a matrix product does directly"
    yield Finding(node, message, {node: edit}, imports, definitions=frozenset({FUNCTION}))


def array(node: cst.BaseExpression, ctx: Context) -> bool:
    return ctx.kind(node) is Kind.ARRAY or ctx.host.is_device(node)


def outer(left: cst.BaseExpression, right: cst.BaseExpression, axes: Sequence[int]) -> bool:
    """Whether each operand has an unsummed new axis that the other lacks, and neither has a summed new axis."""
    ours, theirs = new_axes(left), new_axes(right)
    if ours is None or theirs is None:
        return False
    places = range(max(len(ours), len(theirs)))
    ours, theirs = ([*each, *[False] * (len(places) - len(each))] for each in (ours, theirs))
    if not axes or not all(-len(places) <= axis < len(places) for axis in axes):
        return False
    sums = {places[axis] for axis in axes}
    kept = [k for k in places if k not in sums]
    return (
        any(ours[k] and not theirs[k] for k in kept)
        and any(theirs[k] and not ours[k] for k in kept)
        and not any(ours[k] or theirs[k] for k in sums)
    )


def summed(axis: cst.BaseExpression) -> list[int]:
    """The summed axes, if all of them are literals; otherwise none."""
    parts = [e.value for e in axis.elements] if isinstance(axis, cst.Tuple) else [axis]
    numbers = [n for part in parts if (n := integer(part)) is not None]
    same = len(numbers) == len(parts) == len(set(numbers)) and (len(numbers) == 1 or min(numbers) >= 0)
    return numbers if same else []


def new_axes(node: cst.BaseExpression) -> list[bool] | None:
    """For each part of a subscript, whether it is a new axis; None if `node` is no subscript, or a part is an index."""
    if not isinstance(node, cst.Subscript):
        return None
    parts = builders.flat(node.slice)
    new = [builders.is_new_axis(p.slice) for p in parts]
    return new if all(n or isinstance(p.slice, cst.Slice) for n, p in zip(new, parts, strict=True)) else None
