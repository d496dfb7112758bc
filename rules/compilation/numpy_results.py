"""A compiled function, whose callers outside of the project get NumPy arrays, as before.

They may change what they get in place, test its type, use a number as a key, or pass it to a function that stays NumPy, and arrays
of JAX are too slow for it or do not allow it. With `--placement fast`, a decorator converts the results, unless an argument is an array of JAX, as under
`jax.grad`, `jax.vmap` or `jax.jit`. So it is in packages, and in modules with functions that stay NumPy, except for scripts.

```python
import numpy as np


def envelope(x: np.ndarray, decay: float):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = max(decay * y[i - 1], abs(x[i]))
    return y
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

jax.config.update("jax_enable_x64", True)


def _numpy_results(function, numbers=()):
    \"\"\"The function with NumPy arrays as its results, unless it gets an array of JAX, as under jax.grad, or JAX traces it. `numbers`: the
    positions of the results that are Python numbers.\"\"\"

    @functools.wraps(function)
    def call(*args, **kwargs):
        results = function(*args, **kwargs)
        made, given = jax.tree.leaves(results), jax.tree.leaves((args, kwargs))
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in made)
        if traced or any(isinstance(leaf, jax.Array) for leaf in given) or not any(isinstance(leaf, jax.Array) for leaf in made):
            return results
        results = jax.tree.map(lambda leaf: np.array(leaf)[()] if isinstance(leaf, jax.Array) else leaf, results)
        return tuple(x.item() if k in numbers else x for k, x in enumerate(results)) if numbers else results

    return call


@_numpy_results
@jax.jit
def envelope(x: jax.Array, decay: float):
    y = jnp.zeros_like(x)

    def step(y_before, x_i):
        y_i = jnp.broadcast_to(jnp.where(abs(x_i) > decay * y_before, abs(x_i), decay * y_before), y.shape[1:]).astype(y.dtype)
        return y_i, y_i

    _, y_items = lax.scan(step, y[0], x[1:])
    y = y.at[1:].set(y_items)
    return y
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.dtypes import is_weak
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..definitions.results import NUMPY_RESULTS, PYTHON_RESULTS
from ..facts.values import Value
from ..syntax import builders

rule = Rule(__name__, "NJ513")


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition or ctx.plan.refused or not ctx.plan.inputs.shell.returns_numpy:
        return
    result = ctx.host.returned
    helper = PYTHON_RESULTS if _is_python_number(result) else NUMPY_RESULTS
    decorator: cst.BaseExpression = cst.Name(ctx.names.defined(helper))
    imports = frozenset[str]()
    for dotted in ("functools.wraps", "jax.Array", "numpy.array"):
        imports |= ctx.names.name_of(dotted)[1]
    numbers = [k for k, e in enumerate(result.elements or ()) if _is_python_number(e)] if result.kind is Kind.TUPLE else []
    if numbers and helper == NUMPY_RESULTS:
        positions = cst.Tuple([cst.Element(cst.Integer(str(k))) for k in numbers])
        partial = builders.dotted(ctx.names.name_of("functools.partial")[0])
        decorator = cst.Call(partial, [cst.Arg(decorator), builders.keyword("numbers", positions)])

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        return shells.decorated(made, decorator, ctx)

    message = f"code outside of the project may call `{node.name.value}`, and gets NumPy arrays"
    yield Finding(node, message, {node: edit}, imports, definitions=frozenset({helper}))


def _is_python_number(value: Value) -> bool:
    """Whether a result is a Python number, or several ones."""
    if value.kind is Kind.TUPLE and value.elements:
        return all(map(_is_python_number, value.elements))
    return value.kind is Kind.SCALAR and is_weak(value.dtype)
