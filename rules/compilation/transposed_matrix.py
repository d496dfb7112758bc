"""A transposed matrix times a vector: `X.T @ error`, as in the gradient of a linear model.

XLA copies the matrix for that, column by column, which takes several times as long as the product of the vector and the matrix as it
is: `error @ X`. Where nothing says that these are a matrix and a vector, the helper function that is added to the module decides when
tracing; it does the same for a matrix of one column.

```python
import numpy as np


def gradient(X: np.ndarray, y: np.ndarray, w: np.ndarray):
    return 2 * X.T @ (X @ w - y) / len(y), X.T @ y
```

becomes

```python
import jax
import jax.numpy as jnp


def _scaled_transposed_matmul(scale, a, b):
    \"\"\"`scale * a.T @ b`, where a number scales the vector b, which comes first: XLA copies no matrix then.

    That is the same in float64: other dtypes are rounded, overflow or wrap elsewhere.
    \"\"\"
    alike = a.dtype == b.dtype == jnp.result_type(scale, a) == jnp.float64
    column = a.ndim == 2 and b.ndim in (1, 2) and b.size == len(b) < a.size
    return ((scale * b).T @ a).T if alike and column and jnp.ndim(scale) == 0 else jnp.matmul(scale * a.T, b)


def _transposed_matmul(a, b):
    \"\"\"`a.T @ b`, where a vector b, or one column, comes first: XLA copies no matrix then.\"\"\"
    column = a.ndim == 2 and b.ndim in (1, 2) and b.size == len(b)
    return (b.T @ a).T if column else jnp.matmul(a.T, b)


@jax.jit
def gradient(X: jax.Array, y: jax.Array, w: jax.Array):
    return _scaled_transposed_matmul(2, X, X @ w - y) / len(y), _transposed_matmul(X, y)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.values import Value
from ..slices import masks
from ..syntax import builders
from ..syntax.tree import transposed

rule = Rule(__name__, "NJ906", optional=True, faster=True)
FUNCTIONS = ("numpy.dot", "numpy.matmul")
AROUND = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget, cst.Attribute, cst.Subscript)
MATMUL, DOT = "_transposed_matmul", "_transposed_dot"
MESSAGE = "a matrix is transposed for its product with a vector: XLA computes that faster with the vector first"


@rule.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if isinstance(node.operator, cst.MatrixMultiply) and not builders.has_comment(node.operator):
        yield from _product(node, node.left, node.right, MATMUL, ctx)


@rule.on(cst.Call)
def function(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    match node:
        case cst.Call(args=[cst.Arg(value=left, keyword=None, star=""), cst.Arg(value=right, keyword=None, star="")]):
            name = ctx.qualname(node.func)
            if name in FUNCTIONS:
                yield from _product(node, left, right, DOT if name == "numpy.dot" else MATMUL, ctx)
        case cst.Call(
            func=cst.Attribute(value=left, attr=cst.Name(value="dot")), args=[cst.Arg(value=right, keyword=None, star="")]
        ):
            yield from _product(node, left, right, DOT, ctx)


def _product(
    node: cst.BaseExpression, left: cst.BaseExpression, right: cst.BaseExpression, helper: str, ctx: Context
) -> Iterator[Finding]:
    matrix = transposed(left)
    if matrix is None or not ctx.plan.traceable or masks.masked((left, right), node, ctx):
        return
    known = [ctx.value(each) for each in (matrix, right)]
    if not may_gain(*known) or any(value.kind is not Kind.ARRAY for value in known):
        return
    certain = known[0].rank == 2 and known[1].rank == 1
    name = "" if certain else ctx.names.defined(helper)

    def edit(made: cst.CSTNode) -> cst.BaseExpression:
        assert isinstance(made, cst.BaseExpression)
        parts = operands(made)
        turned = None if parts is None else transposed(parts[0])
        if parts is None or turned is None:
            return made  # another rule has rewritten it
        if certain:
            product = cst.BinaryOperation(builders.operand(parts[1]), cst.MatrixMultiply(), builders.operand(turned))
            return builders.operand(product) if isinstance(ctx.parent(node), AROUND) else product
        return builders.call(cst.Name(name), builders.bare(turned), builders.bare(parts[1]))

    imports = frozenset() if certain else ctx.names.name_of("jax.numpy.dot")[1]
    yield Finding(node, MESSAGE, {node: edit}, imports, definitions=frozenset() if certain else frozenset({helper}))


def operands(node: cst.BaseExpression) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """The two operands of a product, as an operator, a function or a method writes it."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.MatrixMultiply(), right=right):
            return left, right
        case cst.Call(args=[cst.Arg(value=left), cst.Arg(value=right)]):
            return left, right
        case cst.Call(func=cst.Attribute(value=left, attr=cst.Name(value="dot")), args=[cst.Arg(value=right)]):
            return left, right
    return None


def may_gain(matrix: Value, vector: Value) -> bool:
    """Whether these may be a matrix and a vector, or one column, of numbers."""
    numbers = all(value.dtype not in ("bool", "object") for value in (matrix, vector))
    return numbers and matrix.rank in (-1, 2) and vector.rank in (-1, 1) and not (matrix.static and vector.static)
