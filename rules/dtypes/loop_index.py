"""Arithmetic of small integers with the index of a loop.

In NumPy the index is a Python integer, which does not change the dtype of an array: int8 times an index is int8. Where the
iterations run in parallel, the index is an array of int64, and the result would be int64 too. It is cast to the dtype that
NumPy computes in. Where the dtype of the array is unknown, and the program has small integers or narrow floats, the dtype is
computed when tracing.

```python
import numpy as np


def weighted(levels: np.ndarray):
    steps = levels.astype(np.int16)
    total = np.zeros(len(steps), dtype=np.int32)
    for i in range(len(steps)):
        total[i] = steps[i] * (i + 1)
    return total
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def weighted(levels: jax.Array):
    steps = levels.astype(jnp.int16)
    total = jnp.zeros(len(steps), dtype=jnp.int32)
    i = jnp.arange(len(steps))
    total = total.at[:].set(steps * (i + 1).astype(jnp.int16))
    return total
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.dtypes import is_narrow, kind
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.loop_plan import index_is_array, vectorized
from ..facts.values import DRAWN
from ..syntax import builders
from ..syntax.argument_binding import bind
from ..syntax.tree import walk
from .call_dtypes import promoted_arguments
from .jax_dtypes import dtype_name, may_be_narrow, numpy_dtype

rule = Rule(__name__, "NJ611")
Dtype = Callable[[], cst.BaseExpression]
FLOATING = (cst.Divide, cst.MatrixMultiply)  # operators that convert integers to floats


@rule.on(cst.BinaryOperation)
def arithmetic(node: cst.BinaryOperation, ctx: Context) -> Iterator[Finding]:
    if not isinstance(node.operator, FLOATING):
        yield from _met(((node.left, node.right), (node.right, node.left)), ctx)


@rule.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Finding]:
    """`s += i` of a scalar. What is stored has the dtype of its array; the sum over all iterations has its own."""
    if isinstance(node.operator, (cst.DivideAssign, cst.MatrixMultiplyAssign)) or not isinstance(node.target, cst.Name):
        return
    loops = [at for at in _enclosing(node, ctx) if isinstance(at, cst.For)]
    every = [iterations for at in loops for iterations in vectorized(ctx.loops.loop_plan(at))]
    if all(node.target.value != r.name for turns in every for r in turns.reductions):
        yield from _met(((node.value, node.target),), ctx)


@rule.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """`np.add(x[i], i)`, `np.where(x[i] > 0, x[i], i)`."""
    entry = numpy_table.function(ctx.qualname(node.func) or "")
    if entry is None or entry.dtype != "promote":
        return
    bound = {parameter: position for position, parameter in bind(node, entry) if parameter}
    given = [
        node.args[position].value for _p, position, element, _v in promoted_arguments(node, entry, ctx, bound) if element < 0
    ]
    yield from _met([(index, other) for index in given for other in given if index is not other], ctx)


def _met(pairs: Iterable[tuple[cst.BaseExpression, cst.BaseExpression]], ctx: Context) -> Iterator[Finding]:
    """The first index whose other operand may be small integers."""
    for index, other in pairs:
        if not _of_python(index, ctx) or (dtype := _dtype(other, ctx)) is None or not _is_array(index, ctx):
            continue

        def edit(made: cst.BaseExpression, dtype: Dtype = dtype) -> cst.BaseExpression:
            return builders.method(builders.operand(made), "astype", dtype())

        imports = ctx.names.name_of("jax.numpy.result_type")[1]
        message = (
            "the index of a loop takes the dtype of the array that it is combined with; in JAX it would make small integers int64"
        )
        yield Finding(index, message, {index: edit}, imports, wraps=True)
        return


def _of_python(node: cst.BaseExpression, ctx: Context) -> bool:
    value = ctx.value(node)
    return value.kind is Kind.SCALAR and value.dtype == "int" and value.name != DRAWN


def _dtype(other: cst.BaseExpression, ctx: Context) -> Dtype | None:
    """The dtype that a Python integer adopts with another operand; None where an integer of 64 bits has the same result."""
    value = ctx.value(other)
    dtype = numpy_dtype(value) if value.kind in (Kind.ARRAY, Kind.SCALAR) else ""
    if dtype:
        narrow = kind(dtype) in ("i", "u") and is_narrow(dtype)
        return (lambda: builders.dotted(dtype_name(dtype, ctx))) if narrow else None
    arrays = _arrays(other, ctx)
    if not any(kind(d) in ("i", "u") for d in ctx.program.narrow_dtypes):
        return None
    if not arrays or not (may_be_narrow(other, ctx) or value.kind is Kind.SCALAR):
        return None
    result_type = ctx.names.name_of("jax.numpy.result_type")[0]
    return lambda: builders.call(builders.dotted(result_type), *map(ctx.rewritten, arrays.values()), cst.Name("int"))


def _arrays(node: cst.BaseExpression, ctx: Context) -> dict[str, cst.Name]:
    """The variables whose elements an expression computes with, by name; none where it calls functions that may change the
    dtype."""
    match node:
        case cst.Call(func=func, args=args) if _keeps(ctx.qualname(func) or ""):
            return {name: found for a in args for name, found in _arrays(a.value, ctx).items()}
        case cst.Name() if ctx.kind(node) in (Kind.ARRAY, Kind.SCALAR):
            return {} if _of_python(node, ctx) else {node.value: node}
        case cst.Subscript(value=inner) | cst.UnaryOperation(expression=inner):
            return _arrays(inner, ctx)
        case cst.BinaryOperation(left=left, right=right):
            return {**_arrays(left, ctx), **_arrays(right, ctx)}
    return {}


def _keeps(name: str) -> bool:
    """Whether a function returns the dtype to which its arguments are promoted."""
    entry = numpy_table.function(name)
    return name in ("builtins.abs", "builtins.min", "builtins.max") or (entry is not None and entry.dtype in ("same", "promote"))


def _is_array(index: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an integer depends on values that vary with the iteration, where JAX runs all iterations in parallel, or
    iterates over an array of them."""
    names = builders.names(index)
    for at in _enclosing(index, ctx):
        if (
            isinstance(at, cst.For)
            and not ctx.is_static(index)
            and _bound(at) & names
            and index_is_array(ctx.loops.loop_plan(at))
        ):
            return True
        if isinstance(at, (cst.GeneratorExp, cst.ListComp)) and builders.names(at.for_in.target) & names:
            call = ctx.parent(ctx.parent(at) or at)
            if isinstance(call, cst.Call) and ctx.builtins.reduction_operands(call) is not None:
                return True
    return False


def _enclosing(node: cst.CSTNode, ctx: Context) -> Iterator[cst.CSTNode]:
    """The ancestors of a node, up to its function."""
    at = ctx.parent(node)
    while at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        yield at
        at = ctx.parent(at)


def _bound(loop: cst.For) -> set[str]:
    """The names that vary from one iteration to the next."""
    targets = [n.target for n, _parent in walk(loop.body) if isinstance(n, (cst.AssignTarget, cst.AugAssign, cst.For))]
    return set().union(*(builders.names(t) for t in (loop.target, *targets)))
