"""A Python loop over the rows of a traced array.

The loop is unrolled: the program that XLA compiles has one copy of the body for each row, so it takes long to compile. Use
`jax.vmap` for independent rows, and `lax.scan` for the others.

```python
import jax
import jax.numpy as jnp


@jax.jit
def total(x):
    result = 0.0
    for row in jnp.sin(x):
        result = result + jnp.tanh(result + row)
    return result


assert len(jax.make_jaxpr(total)(jnp.ones(100)).jaxpr.eqns[0].params["jaxpr"].eqns) < 10, "one copy for each row"
```

Right:

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def total(x):
    def step(result, row):
        return result + jnp.tanh(result + row), None

    return lax.scan(step, 0.0, jnp.sin(x))[0]


assert len(jax.make_jaxpr(total)(jnp.ones(100)).jaxpr.eqns[0].params["jaxpr"].eqns) < 10, "one copy for each row"
```

See https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Iteration
from ..facts.traced_values import ARRAY, HOST
from ..jax_table.array_functions import ARRAY_ATTRIBUTES, ARRAY_METHODS, CONVERSIONS, STATIC_ATTRIBUTES

rule = LintRule(__name__, "NJ808")
OF_ARRAYS = ARRAY_METHODS | ARRAY_ATTRIBUTES | STATIC_ATTRIBUTES | CONVERSIONS | {"at", "copy", "block_until_ready", "devices"}


@rule.on(Iteration)
def check(event: Iteration) -> Iterator[tuple[ast.AST, str]]:
    value = event.value
    if value.kind in ("enumerate", "zip") and value.items:
        if not all(item.kind in (ARRAY, HOST, "range") for item in value.items):
            return  # a list beside the array says how many iterations there are
        value = next((item for item in value.items if item.kind == ARRAY and item.abstract), value)
    if value.kind == ARRAY and value.abstract and value.name != "key" and event.where.staged and not holds_others(event):
        yield (
            event.node,
            f"a Python loop over a traced array is unrolled; use `jax.vmap` or `lax.scan`: `{event.where.transform}` traces this code",
        )


def holds_others(event: Iteration) -> bool:
    """Whether the body treats the elements as what no array holds: keys of a dict, or objects with fields. The annotation is wrong."""
    whole = ast.dump(event.node)
    for node in (inner for part in event.body for inner in ast.walk(part)):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in event.targets and attr not in OF_ARRAYS:
                return True
            case ast.Subscript(value=container, slice=ast.Name(id=name)) if (
                name in event.targets and ast.dump(container) == whole
            ):
                return True
    return False
