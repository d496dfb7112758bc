"""A list or a tuple beside an array in arithmetic or in a comparison.

NumPy makes an array of it; JAX refuses.

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

from .context import Context
from .model import Finding, Kind
from .registry import Rule
from .sequences import is_sequence, wrapped

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


def _pair(left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context, repeats: bool = False) -> Iterator[Finding]:
    """`repeats`: a list would be repeated, were the other operand an integer."""
    for node, other in ((left, right), (right, left)):
        if ctx.kind(other) is not Kind.ARRAY:
            continue
        if ctx.kind(node) in SEQUENCES and repeats and ctx.value(other).number:
            yield Finding(node, "it is not known whether a list is repeated here, or multiplied by an array", blocks=True)
        elif is_sequence(node, ctx):  # were it a number in another call, its array would be as weakly typed
            imports = ctx.name_of("jax.numpy.asarray")[1]
            yield Finding(node, "a list or a tuple beside an array", {node: partial(wrapped, node, ctx=ctx)}, imports)
