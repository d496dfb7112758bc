"""Compiled code reads a large array from outside.

The array is a constant of the compiled code: it is copied into each program that reads it, and compiling takes long. Pass it as an
argument.

```python
import jax
import jax.numpy as jnp

weights = jnp.ones((1000, 1000))


@jax.jit
def predict(x):
    return weights @ x


assert not predict.trace(jnp.ones(1000)).jaxpr.consts
```

Right:

```python
import jax
import jax.numpy as jnp

weights = jnp.ones((1000, 1000))


@jax.jit
def predict(weights, x):
    return weights @ x


assert not predict.trace(weights, jnp.ones(1000)).jaxpr.consts
```

See https://docs.jax.dev/en/latest/jit-compilation.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Capture

rule = LintRule(__name__, "NJ838")


@rule.on(Capture)
def check(event: Capture) -> Iterator[tuple[ast.AST, str]]:
    yield (
        event.node,
        f"`{event.name}` has {event.elements} elements, and becomes a constant of what `{event.where.transform}` compiles; pass it",
    )
