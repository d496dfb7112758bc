"""A function that stays NumPy, and updates the result of a converted function.

NumPy code cannot update a `jax.Array`. Where it writes into the result of a converted function, or uses the result in a way
that only a NumPy array allows, the result is converted to a NumPy array.

```python
import numpy as np


def double(x: np.ndarray):
    return np.multiply(x, 2.0)


def noisy(x, rng: np.random.Generator):
    y = double(x)
    y[0] = np.random.randint(2, dtype=bool)
    return y
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def double(x: jax.Array):
    return jnp.multiply(x, 2.0)


def noisy(x, rng: np.random.Generator):
    y = np.array(double(x))
    y[0] = np.random.randint(2, dtype=bool)
    return y
```
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from ..context import Context
from ..core.dtypes import is_weak
from ..core.findings import Edit, Finding, Kind
from ..core.registry import Rule
from ..definitions.host import AS_NUMPY
from ..syntax import builders
from . import host_arrays

ACCEPTING = ("builtins.print", "builtins.float", "builtins.int", "builtins.bool", "builtins.len", "builtins.str")
rule = Rule(__name__, "NJ216", for_numpy_code=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is None or plan.refused or plan.jax or not ctx.plan.refused:
        return
    filled = plan.inputs.shell.changed
    if not filled and (plan.returns or plan.inputs.shell.core or plan.inputs.shell.returns_numpy):
        return  # NJ213 converts the results, or its shell, or its decorator
    if filled and (not plan.results or (plan.results == 1 and plan.already)):
        return  # it returns nothing, or the argument itself
    if not (ctx.program.fast or ctx.host.requires_host(plan.name) or host_arrays.may_be_weak(node, ctx)):
        return
    if ctx.kind(node) in (Kind.OBJECT, Kind.STRING, Kind.NONE) or _wrapped(node, ctx):
        return
    if not ctx.host.requires_host(plan.name) and _accepts_jax(node, ctx):
        return
    array, imports = ctx.names.name_of(host_arrays.maker(node, ctx))
    short = plan.name.rpartition(".")[2]
    if ctx.kind(node) is Kind.ARRAY and not (ctx.value(node).number or _may_be_scalar(node, ctx)):
        yield Finding(
            node,
            f"the result of `{short}` is changed here",
            {node: lambda made: builders.call(builders.dotted(array), made)},
            imports,
            wraps=True,
        )
        return
    if ctx.kind(node) is Kind.SCALAR and is_weak(ctx.value(node).dtype):
        if plan.traceable:  # else it is a Python scalar, as before
            message = f"the result of `{short}` is used here as a Python number"
            yield Finding(node, message, {node: partial(_python_number, "" if plan.jit else array)}, imports, wraps=True)
        return
    if ctx.kind(node) in (Kind.SCALAR, Kind.ARRAY):
        message = f"the result of `{short}` is used here as a NumPy scalar"
        yield Finding(node, message, {node: partial(_number, array)}, imports, wraps=True)
        return
    over = host_arrays.mapped(node, ctx, same=bool(filled and plan.already))
    message = f"the results of `{short}` are used here as NumPy arrays"
    yield Finding(node, message, {node: over.build}, over.imports, definitions=over.definitions, wraps=True)


@rule.on(cst.Call)
def of_unknown(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    """A call of a function value that may be a compiled function."""
    if not ctx.program.fast or not ctx.plan.refused or not ctx.host.may_return_jax(node):
        return
    if isinstance(ctx.parent(node), cst.Expr):
        return  # nothing reads it
    imports = frozenset[str]()
    for dotted in ("jax.Array", "numpy.array"):
        imports |= ctx.names.name_of(dotted)[1]
    as_numpy = ctx.names.defined(AS_NUMPY)
    edits: dict[cst.CSTNode, Edit] = {node: lambda made: builders.call(cst.Name(as_numpy), made)}
    if ctx.qualname(node.func) == "builtins.map":
        edits = {node.args[0].value: partial(_converting, as_numpy)}
    elif _as_numpy_already(node, as_numpy, ctx):
        return
    message = "the function may be a compiled one, and code on the host works with NumPy arrays"
    yield Finding(node, message, edits, imports, definitions=frozenset({AS_NUMPY}), wraps=True)


def _as_numpy_already(node: cst.Call, as_numpy: str, ctx: Context) -> bool:
    enclosing = ctx.parent(argument) if isinstance(argument := ctx.parent(node), cst.Arg) else None
    return isinstance(enclosing, cst.Call) and isinstance(enclosing.func, cst.Name) and enclosing.func.value.startswith(as_numpy)


def _converting(as_numpy: str, function: cst.BaseExpression) -> cst.Lambda:
    """`lambda *args: _as_numpy(function(*args))`."""
    given = [cst.Arg(cst.Name("args"), star="*")]
    body = builders.call(cst.Name(as_numpy), cst.Call(builders.operand(function), given))
    return cst.Lambda(cst.Parameters(star_arg=cst.Param(cst.Name("args"))), body)


def _may_be_scalar(node: cst.Call, ctx: Context) -> bool:
    """Whether an array of a compiled function may stand for a NumPy scalar, which NumPy makes of numbers and of arrays without
    dimensions."""
    value = ctx.value(node)
    if not ctx.program.fast or value.rank > 0 or isinstance(ctx.parent(node), host_arrays.CONSUMING):
        return False
    given = [ctx.value(argument.value) for argument in node.args]
    return value.rank == 0 or any(v.number or v.kind is Kind.UNKNOWN for v in given)


def _wrapped(node: cst.Call, ctx: Context) -> bool:
    """Whether it is already converted to a NumPy array."""
    enclosing = ctx.parent(argument) if isinstance(argument := ctx.parent(node), cst.Arg) else None
    return isinstance(enclosing, cst.Call) and ctx.qualname(enclosing.func) in ("numpy.array", "numpy.asarray", "jax.tree.map")


def _accepts_jax(node: cst.Call, ctx: Context) -> bool:
    """Whether nothing depends on whether a result is a NumPy array or a jax.Array: it is discarded, or passed to a function that
    accepts both."""
    match ctx.parent(node):
        case cst.Expr():
            return True
        case cst.Arg() as argument if isinstance(call := ctx.parent(argument), cst.Call) and call.func is not node:
            name, plan = ctx.qualname(call.func) or "", ctx.calls.callee(call)
            return name in ACCEPTING or (plan is not None and not plan.refused)
        case cst.FormattedStringExpression():
            return True
    return False


def _python_number(array: str, made: cst.Call) -> cst.Call:
    """The Python scalar in an array of rank 0, as `is False` requires one. `array`: the function that ensures that it is an
    array."""
    number = builders.call(builders.dotted(array), made) if array else made
    return builders.method(number, "item")


def _number(array: str, made: cst.Call) -> cst.Subscript:
    """The NumPy scalar in an array of rank 0."""
    whole = cst.Tuple([])
    return cst.Subscript(builders.call(builders.dotted(array), made), [cst.SubscriptElement(cst.Index(whole))])
