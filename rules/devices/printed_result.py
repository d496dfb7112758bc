"""Each iteration of a loop prints what compiled code computes.

`print` and logging wait for the number, so the next step starts only then, and the device is idle in between. Print every hundredth, or the
result of the step before. Off by default: where a step takes seconds, waiting costs nothing.

```python
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    for _ in range(10):
        x = x @ x / 500
    return x, x.mean()


x, loss = jax.block_until_ready(step(jnp.ones((500, 500))))
for i in range(5):
    x, loss = step(x)
    print(f"{i}: {loss:.3f}")
assert not x.is_ready(), "the loop waited for the device"
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    for _ in range(10):
        x = x @ x / 500
    return x, x.mean()


x, loss = jax.block_until_ready(step(jnp.ones((500, 500))))
for i in range(1, 6):
    x, loss = step(x)
    if i % 100 == 0:
        print(f"{i}: {loss:.3f}")
assert not x.is_ready(), "the loop waited for the device"
```

See https://docs.jax.dev/en/latest/async_dispatch.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Transfer

rule = LintRule(__name__, "NJ856", default=False)


@rule.on(Transfer)
def check(event: Transfer) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "shown":
        yield event.node, f"each iteration waits here for what line {event.line} computes; print every hundredth only"
