"""Arithmetic whose result has a narrower dtype in JAX than in NumPy.

NumPy gives float64 where integers meet float32, and where small integers are divided; JAX gives float32. A result computed from
Python numbers alone is a float64 in NumPy, but does not widen float32 in JAX; for a random number it is the other way round.
Where the dtypes are known, one operand is cast so that both give the same dtype.

```python
import numpy as np


def brightness(levels: np.ndarray, weights: np.ndarray):
    gray = levels.astype(np.int16) / 255
    return gray * weights.astype(np.float32)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def brightness(levels: jax.Array, weights: jax.Array):
    gray = levels.astype(jnp.int16).astype(jnp.float64) / 255
    return gray * weights.astype(jnp.float32).astype(jnp.float64)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.values import Value
from ..syntax import builders
from .jax_dtypes import Cast, cast, gives_way, jax_dtype, keeps_width, numpy_dtype, promotions, with_narrow_operand

rule = Rule(__name__, "NJ601")
COMPARED = (cst.Equal, cst.NotEqual, cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


@rule.on(cst.BinaryOperation)
def arithmetic(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    for operand in (node.left, node.right):
        if (narrow := with_narrow_operand(operand, ctx)) is not None:
            yield from _drawn(operand, narrow, ctx)
            return
    yield from _mended(node.left, node.right, isinstance(node.operator, cst.Divide), ctx)


def _drawn(operand: cst.BaseExpression, narrow: Cast, ctx: Context) -> Iterator[Finding]:
    """A value computed from a drawn scalar must yield to a narrow dtype; `random_draw` rewrites the draw itself."""
    if isinstance(operand, cst.Call) and ctx.random.drawn(operand) is not None:
        return
    imports = ctx.names.name_of("jax.numpy.asarray")[1]
    message = "a random number is a Python number in NumPy, which widens no dtype; it has 64 bits in JAX"
    yield Finding(operand, message, {operand: narrow}, imports)


@rule.on(cst.Comparison)
def comparison(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    match node.comparisons:
        case [cst.ComparisonTarget(operator=operator, comparator=right)] if isinstance(operator, COMPARED):
            yield from _mended(node.left, right, False, ctx)


@rule.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    if (narrow := with_narrow_operand(node.value, ctx)) is not None:
        yield from _drawn(node.value, narrow, ctx)
        return
    target = ctx.value(node.target)
    scalar = target.kind is Kind.SCALAR or (target.number and target.rank == 0)
    array = bool(ctx.effects.updates(node)) or not scalar
    ours, made = numpy_dtype(target), promotions([target, ctx.value(node.value)])[0]
    if array and made != ours and dtypes.category(made) <= dtypes.category(ours):
        return  # an array retains its dtype; where it could not hold the result, NumPy raises, so that this is a number
    for finding in _mended(node.target, node.value, isinstance(node.operator, cst.DivideAssign), ctx, False):
        if node.value in finding.edits:
            yield finding


def _mended(
    left: cst.BaseExpression, right: cst.BaseExpression, division: bool, ctx: Context, either: bool = True
) -> Iterator[Finding]:
    """`either`: both operands are only read, and not bound, too."""
    values = [ctx.value(left), ctx.value(right)]
    if not any(v.kind is Kind.ARRAY or ctx.host.is_device_value(v) or _is_open(v) for v in values):
        return
    for weak, value, other in ((left, values[0], right), (right, values[1], left)):
        if gives_way(value, other, ctx):
            yield from _strong(weak, value, ctx)
            return
    if not any(dtypes.is_narrow(d) or (division and d == "bool_") for d in map(numpy_dtype, values)):
        return
    ours, theirs = promotions(values)
    if not ours:
        return
    if division and dtypes.kind(ours) in "biu":
        ours, theirs = "float64", "float64" if theirs in ("int64", "uint64") else "float32"
    if ours == theirs or not keeps_width(ours, ctx):
        return
    position = _which(values, ours) if either or not _may_cast(values[1], values[0], ours) else 1
    node, value = (left, right)[position], values[position]
    imports = ctx.names.name_of("jax.numpy.asarray")[1]
    message = f"this is of {ours} in NumPy and of {theirs} in JAX"
    yield Finding(node, message, {node: lambda made: cast(builders.operand(made), value, ours, ctx)}, imports, wraps=True)


def _is_open(value: Value) -> bool:
    """Whether a scalar has a narrow dtype, as an element of an array has, and is not static."""
    return dtypes.is_narrow(numpy_dtype(value)) and not value.static


def _strong(node: cst.BaseExpression, value: Value, ctx: Context) -> Iterator[Finding]:
    imports = ctx.names.name_of("jax.numpy.asarray")[1]
    message = f"it is computed from Python numbers, has dtype {value.dtype} in NumPy, and does not widen a narrower dtype in JAX"
    yield Finding(node, message, {node: lambda made: cast(builders.operand(made), value, value.dtype, ctx)}, imports, wraps=True)


def _which(values: list[Value], dtype: str) -> int:
    """The operand to cast: not a Python scalar, and such that JAX promotes to `dtype` after the cast."""
    for position in sorted((0, 1), key=lambda i: dtypes.kind(numpy_dtype(values[i])) not in "fc"):
        if _may_cast(values[position], values[1 - position], dtype):
            return position
    return 0


def _may_cast(value: Value, other: Value, dtype: str) -> bool:
    """Whether an operand that is cast to a dtype gives the result that dtype in JAX."""
    return numpy_dtype(value) not in (*dtypes.PYTHON, dtype) and dtypes.promote_jax(dtype, jax_dtype(other)) == dtype
