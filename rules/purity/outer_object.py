"""A list, a dict or a set from outside changes in code that JAX traces.

The change happens once, when JAX traces, and what is stored is a tracer: it leaks, and using it later raises UnexpectedTracerError.
Calls of compiled code change nothing. Return the value instead; collect those of a loop with `lax.scan`.

```python
import jax

history = []


@jax.jit
def step(x):
    y = 2 * x
    history.append(y)
    return y


step(1.0)
step(2.0)
assert [float(y) for y in history] == [2.0, 4.0]
```

Right:

```python
import jax

history = []


@jax.jit
def step(x):
    return 2 * x


history.append(step(1.0))
history.append(step(2.0))
assert [float(y) for y in history] == [2.0, 4.0]
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Mutation
from ..facts.traced_values import ITERATOR, MUTABLE
from ..jax_table.transforms import ONCE

rule = LintRule(__name__, "NJ812")


@rule.on(Mutation)
def check(event: Mutation) -> Iterator[tuple[ast.AST, str]]:
    if event.base.name == "attribute" and not event.value.has_traced:
        return  # an object may keep what it knows of shapes and types
    if not event.where.staged and not event.value.has_traced and event.how != "next":
        return  # `vmap` and `grad` by themselves run the code in each call
    changes = event.base.kind in MUTABLE or (event.base.kind == ITERATOR and event.how == "next")
    if changes and event.base.level < event.where.level and event.where.transform not in ONCE:
        yield (
            event.node,
            f"changes an object from outside of the code that `{event.where.transform}` traces: it happens once, not in each call",
        )
