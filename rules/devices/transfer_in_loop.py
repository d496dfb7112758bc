"""A number is fetched from the device in each iteration of a loop that only stores it.

`float(loss)`, `loss.item()` and `jax.device_get(loss)` wait until the step that computes `loss` is done. The next step starts later, and
the device is idle in between. Store the array, and fetch all of them after the loop, or every hundredth.

```python
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    for _ in range(10):
        x = x @ x / 500
    return x, x.mean()


x, loss = jax.block_until_ready(step(jnp.ones((500, 500))))
losses = []
for _ in range(5):
    x, loss = step(x)
    losses.append(float(loss))
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
losses = []
for _ in range(5):
    x, loss = step(x)
    losses.append(loss)
assert not x.is_ready(), "the loop waited for the device"
losses = [float(loss) for loss in losses]
```

See https://docs.jax.dev/en/latest/async_dispatch.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Transfer

rule = LintRule(__name__, "NJ852")


@rule.on(Transfer)
def check(event: Transfer) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "kept":
        yield (
            event.node,
            f"each iteration waits here for what line {event.line} computes; store the array, and fetch the numbers after the loop",
        )
