"""An array leaves the device and comes back in each iteration of a loop.

`np.asarray(x)` waits for `x` and copies it to the host, and the compiled function that gets the copy sends it back. Keep the array on the
device: what NumPy does with it, `jax.numpy` does too.

```python
import jax
import jax.numpy as jnp
import numpy as np

step = jax.jit(lambda x: 0.5 * x)
x = step(jnp.ones(1000))
with jax.transfer_guard_host_to_device("disallow"):
    for _ in range(3):
        x = np.asarray(step(x))
```

Right:

```python
import jax
import jax.numpy as jnp

step = jax.jit(lambda x: 0.5 * x)
x = step(jnp.ones(1000))
with jax.transfer_guard_host_to_device("disallow"):
    for _ in range(3):
        x = step(x)
```

See https://docs.jax.dev/en/latest/transfer_guard.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Transfer

rule = LintRule(__name__, "NJ853")


@rule.on(Transfer)
def check(event: Transfer) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "returned":
        yield (
            event.node,
            f"`{event.name}` copies to the host what the call in line {event.line} sends back in each iteration; keep it on the device",
        )
