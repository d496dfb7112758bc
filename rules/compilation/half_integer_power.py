"""A number that is not negative, to the power -1.5 or under a fraction to the power 1.5: `r2 ** -1.5`, `d / r2 ** 1.5`.

XLA computes such a power from a logarithm and an exponential, item by item, which takes several times as long as a root and
products: `jnp.sqrt(r2) ** -3`, `d / jnp.sqrt(r2) ** 3`. Both are equal up to rounding where the base is a sum of squares, an
absolute value or the like; -0.0 has another sign, and stays. The derivative at 0 is infinite in both. Elsewhere, as in
`r2 ** 1.5`, it is 0, and that of the root is NaN there: that stays, too.

```python
import numpy as np


def potential(x, y, z):
    r2 = x**2 + y**2 + z**2 + 0.01
    return np.stack([x, y, z]) * r2 ** (-1.5)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def potential(x, y, z):
    r2 = x**2 + y**2 + z**2 + 0.01
    return jnp.stack([x, y, z]) * jnp.sqrt(r2) ** -3
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..syntax import builders
from .nonnegative_values import is_nonnegative

rule = Rule(__name__, "NJ905", optional=True, faster=True)
HALVES = (-7, -5, -3, -1, 3, 5, 7)  # XLA takes the root itself for the power 1/2; a product of more factors loses digits
NARROW = ("float16", "bfloat16", "object")


@rule.on(cst.BinaryOperation)
def check(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if not isinstance(node.operator, cst.Power) or not ctx.plan.traceable or builders.has_comment(node.operator):
        return
    halves = 2 * (exponent(node.right) or 0)
    if halves not in HALVES or not (halves < 0 or divides(node, ctx)):
        return
    base = ctx.value(node.left)
    if base.kind not in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN) or base.dtype in NARROW or ctx.is_static(node.left):
        return
    if not is_nonnegative(node.left, ctx):
        return
    root, imports = ctx.names.name_of("jax.numpy.sqrt")

    def edit(made: cst.BinaryOperation) -> cst.BaseExpression:
        if not isinstance(made.operator, cst.Power):
            return made  # another rule has rewritten it
        taken = builders.call(builders.dotted(root), builders.bare(made.left))
        if halves == -1:
            return builders.operand(builders.binary(cst.Integer("1"), cst.DivideAssign(), taken))
        return made.with_changes(left=taken, right=builders.integer(int(halves)))

    message = "a power of halves: XLA computes a root and products several times as fast"
    yield Finding(node, message, {node: edit}, imports)


def exponent(node: cst.BaseExpression) -> float | None:
    """The value of a number, the negative of one, or a fraction of two; None for anything else."""
    match node:
        case cst.Float() | cst.Integer():
            return float(node.evaluated_value)
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            value = exponent(inner)
            return None if value is None else -value
        case cst.BinaryOperation(left=left, operator=cst.Divide(), right=right):
            above, below = exponent(left), exponent(right)
            return above / below if above is not None and below else None
    return None


def divides(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether something is divided by an expression, or by a product with it."""
    above = ctx.parent(node)
    while isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.Multiply):
        node, above = above, ctx.parent(above)
    return isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.Divide) and above.right is node
