"""An array passed to a function that stays NumPy and updates arrays, or to a library that accepts only NumPy arrays.

A `jax.Array` has no item assignment, so a function that stays NumPy and updates arrays gets a NumPy array. So does
`scipy.fftpack`, which asks its argument for flags that a `jax.Array` does not have.

```python
import numpy as np


def noisy(x):
    y = x.copy()
    y[0:1] = y[0:1] * np.random.randint(2, dtype=bool)
    return y


def run(n):
    x = np.zeros(n)
    return noisy(x)
```

becomes

```python
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def noisy(x):
    y = x.copy()
    y[0:1] = y[0:1] * np.random.randint(2, dtype=bool)
    return y


def run(n):
    x = jnp.zeros(n)
    return noisy(np.asarray(x))
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
from ..facts.values import SUBCLASS
from ..syntax import builders
from ..syntax.tree import children
from .host_arrays import TAKES_NUMPYS

rule = Rule(__name__, "NJ217", for_numpy_code=True)


@rule.on(cst.Call)
def library(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    if ctx.plan.refused or not name.startswith(TAKES_NUMPYS):
        return
    asarray, imports = ctx.names.name_of("numpy.asarray")
    for argument in node.args:
        if argument.star or _is_numpys(argument.value, ctx) or ctx.kind(argument.value) is not Kind.ARRAY:
            continue
        edits: dict[cst.CSTNode, Edit] = {argument.value: partial(_of_numpy, asarray, True, False)}
        yield Finding(argument.value, f"`{name}` accepts only NumPy arrays", edits, imports, wraps=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is None or not plan.refused or not plan.host_writes:
        return
    if ctx.program.fast and ctx.plan.refused:
        return  # whatever compiled code returns to the host is a NumPy array already (NJ216)
    asarray, imports = ctx.names.name_of("numpy.asarray")
    short = plan.name.rpartition(".")[2]
    for argument in node.args:
        if _is_numpys(argument.value, ctx):
            continue
        value = ctx.value(argument.value)
        if value.holds and ctx.plan.refused and ctx.plan.host_writes:
            continue  # a parameter of this function: its callers convert it, and it may be None or a scalar
        made = value.device or bool(value.origin)
        if ctx.plan.refused:
            given = bool(value.origin) and not ctx.host.requires_host(*value.origin)
        else:
            of_params = bool(value.deps) or any(m.startswith("param:") for m in value.memory)  # parameters are JAX arrays here
            given = made or (of_params and not ctx.random.may_be_none(argument.value))
        required = any(ctx.calls.argument(node, p) is argument.value for p in plan.inputs.arrays)
        unsure = value.kind is Kind.UNKNOWN and required and not ctx.plan.refused
        if value.kind is Kind.SCALAR:
            given = given and (made or not (value.holds or value.static or is_weak(value.dtype)))
        elif value.kind is not Kind.ARRAY and not unsure:
            continue
        if argument.star or not given or ctx.host.as_before(argument.value) or value.name == SUBCLASS:
            continue
        certain = value.kind is Kind.ARRAY and not value.number and (value.rank > 0 or bool(value.holds or value.shape))
        optional = _none_somewhere(argument.value, ctx) or (unsure and isinstance(argument.value, cst.Name))
        build = partial(_of_numpy, asarray, certain or unsure, optional)
        edits: dict[cst.CSTNode, Edit] = {argument.value: build}
        yield Finding(argument.value, f"`{short}`, which stays NumPy, changes arrays", edits, imports, wraps=True)


def _is_numpys(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it already is a NumPy array, or an element of one."""
    match node:
        case cst.Call(func=func):
            return ctx.qualname(func) in ("numpy.asarray", "numpy.array")
        case cst.Subscript(value=inner, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Tuple(elements=[])))]):
            return _is_numpys(inner, ctx)
        case cst.IfExp(body=cst.Name(value="None"), orelse=inner):
            return _is_numpys(inner, ctx)
    return False


def _of_numpy(asarray: str, array: bool, optional: bool, made: cst.CSTNode) -> cst.BaseExpression:
    """The value as a NumPy array; its element where it may be a scalar, None where it is None."""
    assert isinstance(made, cst.BaseExpression)
    result: cst.BaseExpression = builders.call(builders.dotted(asarray), made)
    if not array:
        result = cst.Subscript(result, [cst.SubscriptElement(cst.Index(cst.Tuple([])))])
    if optional:
        test = cst.Comparison(builders.operand(made), [cst.ComparisonTarget(cst.Is(), cst.Name("None"))])
        result = cst.IfExp(test=test, body=cst.Name("None"), orelse=result)
    return result


def _none_somewhere(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a statement of the function binds a variable to None."""
    if not isinstance(node, cst.Name) or ctx.unit.definition is None:
        return False
    seen: list[cst.CSTNode] = [ctx.unit.definition.body]
    while seen:
        match at := seen.pop():
            case cst.Assign(targets=targets, value=cst.Name(value="None")):
                if any(isinstance(t.target, cst.Name) and t.target.value == node.value for t in targets):
                    return True
            case cst.BaseExpression():
                continue
        seen += children(at)
    return False
