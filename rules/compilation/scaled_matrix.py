"""A matrix that is scaled before it is multiplied by a vector: `alpha * A @ x` multiplies each element of A.

The vector is scaled instead, which is smaller and needs no second matrix. In float64 the result is the same up to rounding;
other dtypes would round, overflow or wrap around at other points. Where the dtypes are unknown, or `alpha` may be an array, the
helper function that is added to the module decides when tracing.

```python
import numpy as np


def residual(alpha, A, x, b):
    return b - alpha * A @ x
```

becomes

```python
import jax
import jax.numpy as jnp


def _scaled_matmul(scale, a, b):
    \"\"\"`scale * a @ b`, where a number scales the smaller of the two.

    That is the same in float64: other dtypes are rounded, overflow or wrap elsewhere.
    \"\"\"
    alike = a.dtype == b.dtype == jnp.result_type(scale, a) == jnp.float64
    return a @ (scale * b) if alike and jnp.ndim(scale) == 0 and b.size < a.size else jnp.matmul(scale * a, b)


@jax.jit
def residual(alpha, A, x, b):
    return b - _scaled_matmul(alpha, A, x)
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
from ..slices import masks
from ..syntax import builders
from ..syntax.tree import transposed

rule = Rule(__name__, "NJ903", optional=True, faster=True)
FUNCTION, OF_TRANSPOSED = "_scaled_matmul", "_scaled_transposed_matmul"


@rule.on(cst.BinaryOperation)
def check(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.BinaryOperation(
            left=cst.BinaryOperation(left=scale, operator=cst.Multiply(), right=matrix) as scaled,
            operator=cst.MatrixMultiply(),
            right=vector,
        ) if not builders.has_comment(node.operator, scaled.operator):
            known = [ctx.value(each) for each in (scale, matrix, vector)]
        case _:
            return
    if (
        not ctx.plan.traceable
        or ctx.program.precision != "float64"
        or not may_gain(*known)
        or masks.masked((scaled, vector), node, ctx)
    ):
        return
    if not all(ctx.kind(each) is Kind.ARRAY or ctx.host.is_device(each) for each in (matrix, vector)):
        return  # a user-defined operator may implement `@` with arrays
    turned = transposed(matrix) is not None
    inline, function = certain(*known), OF_TRANSPOSED if turned else FUNCTION
    name = "" if inline else ctx.names.defined(function)

    def edit(made: cst.BinaryOperation) -> cst.BaseExpression:
        left = made.left
        if not isinstance(left, cst.BinaryOperation) or not isinstance(left.operator, cst.Multiply):
            return made  # another rule has rewritten it
        inner = transposed(left.right)
        if inline and inner is not None:
            product = cst.BinaryOperation(left.left, cst.Multiply(), builders.operand(made.right))
            return cst.BinaryOperation(builders.operand(product), cst.MatrixMultiply(), builders.operand(inner))
        if inline:
            product = cst.BinaryOperation(left.left, cst.Multiply(), builders.operand(made.right))
            return made.with_changes(left=builders.operand(left.right), right=builders.operand(product))
        if turned and inner is None:
            return made
        return builders.call(cst.Name(name), left.left, inner or left.right, made.right)

    message = "a matrix is scaled before it is multiplied: to scale the vector is less work"
    imports = frozenset() if inline else ctx.names.name_of("jax.numpy.matmul")[1]
    yield Finding(node, message, {node: edit}, imports, definitions=frozenset() if inline else frozenset({function}))


def may_gain(scale: Value, matrix: Value, vector: Value) -> bool:
    """Whether the operands may be a number, and a matrix and a vector of float64."""
    number = scale.kind is Kind.SCALAR or scale.rank == 0 or (scale.kind is Kind.UNKNOWN and scale.rank < 0)
    arrays = all(v.kind in (Kind.ARRAY, Kind.UNKNOWN) and v.dtype in ("", "float64") for v in (matrix, vector))
    return number and arrays and matrix.rank in (-1, 2) and vector.rank in (-1, 1) and not (matrix.static and vector.static)


def certain(scale: Value, matrix: Value, vector: Value) -> bool:
    """Whether the operands certainly are these."""
    number = (scale.kind is Kind.SCALAR or scale.rank == 0) and dtypes.category(scale.dtype) in (1, 2)
    return number and matrix.rank == 2 and vector.rank == 1 and matrix.dtype == vector.dtype == "float64"
