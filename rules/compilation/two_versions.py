"""A function that NumPy runs faster than a call of compiled code takes, and that compiled code calls, or code with JAX arrays.

It is kept in two versions. The function stays NumPy, for all who call it from Python: same speed, same arguments, same results. The
compiled version beside it is what compiled code of the project calls. If the function is called with an array of JAX, as under
`jax.grad`, `jax.vmap` or `jax.jit`, it calls the compiled version. This is done with `--placement fast` only.

```python
import numpy as np


def product(p: np.ndarray, q: np.ndarray):
    \"\"\"The product of two quaternions.\"\"\"
    w = p[0] * q[0] - p[1:] @ q[1:]
    v = p[0] * q[1:] + q[0] * p[1:]
    return np.hstack((w, v))


def power(q: np.ndarray, n: int):
    result = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(n):
        result = product(result, q)
    return result


def printed(qs: list, q: np.ndarray):
    for p in qs:
        print(product(p, q))
```

becomes

```python
import functools

import jax
import jax.numpy as jnp
from jax import lax
import numpy as np


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


@jax.jit
def _product_jax(p: jax.Array, q: jax.Array):
    w = p[0] * q[0] - p[1:] @ q[1:]
    v = p[0] * q[1:] + q[0] * p[1:]
    return jnp.hstack((w, v))


def product(p: np.ndarray, q: np.ndarray):
    \"\"\"The product of two quaternions.\"\"\"
    if isinstance(p, jax.Array) or isinstance(q, jax.Array):
        return _product_jax(p, q)
    w = p[0] * q[0] - p[1:] @ q[1:]
    v = p[0] * q[1:] + q[0] * p[1:]
    return np.hstack((w, v))


@_numpy_results
@jax.jit
def power(q: jax.Array, n: int):
    result = jnp.array([1.0, 0.0, 0.0, 0.0])

    def update_result(_, result):
        return _product_jax(result, q)

    result = lax.fori_loop(0, n, update_result, result)
    return result


def printed(qs: list, q: np.ndarray):
    for p in qs:
        print(product(p, q))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import shells
from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.function_plan import ShellPlan
from ..facts.unit import CLONE

rule = Rule(__name__, "NJ508", for_numpy_code=True, optional=True)


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition:
        return
    if ctx.unit.moved == CLONE:
        yield Finding(node, f"compiled code calls this version of `{ctx.unit.moved_from}`", {node: shells.without_docstring})
    versions = ctx.plan.versions
    if not versions.clone:
        return
    jax_array, imports = ctx.names.name_of("jax.Array")
    tests = [f"isinstance({name}, {jax_array})" for name in versions.chosen_by]
    shell = versions.shell if len(tests) > 1 else ShellPlan()  # a single argument that chooses the version is an array
    call = cst.Call(cst.Name(versions.clone), shells.arguments(node.params, shell, ctx))
    chosen = cst.If(
        cst.parse_expression(" or ".join(tests)),
        cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(call)])]),
    )

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        return shells.prepended(made, [chosen])

    message = f"`{node.name.value}` stays NumPy, and calls its compiled version for arrays of JAX"
    definitions = frozenset(f for p in node_parameters(node) for f in shells.applied(p, shell))
    if definitions:
        imports |= shells.converters_imports(ctx)
    yield Finding(node, message, {node: edit}, imports, definitions=definitions)


def node_parameters(node: cst.FunctionDef) -> Iterator[str]:
    return (p.name.value for p in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params))
