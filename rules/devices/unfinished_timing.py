"""A clock is read while compiled code is still running.

A compiled function returns before its result is ready. The time that passes until then is the time to start it. Wait with
`jax.block_until_ready`.

```python
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    for _ in range(20):
        x = x @ x / 1000
    return x


x = step(jnp.ones((1000, 1000))).block_until_ready()
start = time.perf_counter()
y = step(x)
measured = time.perf_counter() - start
jax.block_until_ready(y)
assert measured > 0.5 * (time.perf_counter() - start)
```

Right:

```python
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    for _ in range(20):
        x = x @ x / 1000
    return x


x = step(jnp.ones((1000, 1000))).block_until_ready()
start = time.perf_counter()
y = jax.block_until_ready(step(x))
measured = time.perf_counter() - start
jax.block_until_ready(y)
assert measured > 0.5 * (time.perf_counter() - start)
```

See https://docs.jax.dev/en/latest/async_dispatch.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Timing

rule = LintRule(__name__, "NJ851")


@rule.on(Timing)
def check(event: Timing) -> Iterator[tuple[ast.AST, str]]:
    yield (
        event.node,
        f"what was called in line {event.line} may still run; wait with `jax.block_until_ready` before the clock is read",
    )
