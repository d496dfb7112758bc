"""A call whose arguments differ in `jax.numpy`.

Arguments that mean nothing in JAX are removed, others are renamed or become keywords. Lists become arrays where JAX takes only
arrays. The result is cast where its dtype would differ. If JAX has no way to express the call, the function is left as NumPy.

```python
import numpy as np


def middle(x, order):
    flat = np.ravel(x, order="C")
    return np.sort(flat, kind="stable")[len(flat) // 2] + np.dot(x[0], [1.0, 2.0])
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def middle(x, order):
    flat = jnp.ravel(x, order="C")
    return jnp.sort(flat)[len(flat) // 2] + jnp.dot(x[0], jnp.array([1.0, 2.0]))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import numpy_table
from ..codegen.call_adaptation import adaptation, adapted, expression, literal
from ..context import Context
from ..core.findings import Edit, Finding
from ..core.registry import Rule
from ..numpy_table.entry import Entry, Verdict
from ..syntax import builders
from ..syntax.argument_binding import bind
from ..syntax.out_arguments import outputs

rule = Rule(__name__, "NJ103")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    if not name.startswith("numpy."):
        return
    entry = numpy_table.function(name) or numpy_table.ufunc_method(name)
    if entry is not None and entry.verdict is Verdict.HOST:
        yield from _for_the_host(node, name, entry, ctx)
        return
    if entry is None or entry.verdict is Verdict.REFUSED or entry.kind == "dtype" or ctx.host.on_host(node):
        return
    if ctx.effects.updates(node) or any(not is_none(o) for o in outputs(node, entry)) or entry.writes:
        return  # the rules on output arguments rewrite it
    plan = adaptation(node, name, entry, ctx)
    if plan.problem:
        yield Finding(node, plan.problem, blocks=True)
    elif entry.verdict is Verdict.EXPRESSION:
        yield from expression(node, name, entry, plan, ctx)
    elif plan.changes:
        message = f"`{name}` takes other arguments in JAX, or returns another dtype"
        yield Finding(node, message, {node: lambda made: adapted(made, plan)}, frozenset(plan.imports))


def _for_the_host(node: cst.Call, name: str, entry: Entry, ctx: Context) -> Iterator[Finding]:
    """Pass NumPy arrays to a function that stays NumPy and treats any other array differently."""
    asarray, imports = ctx.names.name_of("numpy.asarray")
    given = {parameter: node.args[position].value for position, parameter in bind(node, entry)}
    for parameter, values in entry.allowed.items():
        if (parameter not in given or literal(given[parameter]) not in values) and not ctx.host.on_host(node):
            yield Finding(node, f"`{name}` stays NumPy, and needs `{parameter}={values[0]}`: {entry.reason}", blocks=True)
    for position, parameter in bind(node, entry):
        argument = node.args[position].value
        value = ctx.value(argument)
        if isinstance(argument, cst.Call) and ctx.qualname(argument.func) in ("numpy.asarray", "numpy.array"):
            continue
        if parameter in entry.arrays and (ctx.host.is_device(argument) or (value.deps and value.numeric)):
            edits: dict[cst.CSTNode, Edit] = {argument: lambda made: builders.call(builders.dotted(asarray), made)}
            yield Finding(argument, f"`{name}` stays NumPy, and tests the types of its arguments", edits, imports)


def is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"
