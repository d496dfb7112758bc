"""The same array is sent to the device in each iteration of a loop.

`jax.device_put`, `jnp.asarray` and `jnp.array` copy an array of NumPy each time. Send it once, before the loop.

```python
import jax
import numpy as np

data = np.ones(1000)
total = jax.numpy.zeros(1000)
sent = jax.device_put(data)
with jax.transfer_guard_host_to_device("disallow_explicit"):
    for _ in range(3):
        total = total + jax.device_put(data)
```

Right:

```python
import jax
import numpy as np

data = np.ones(1000)
total = jax.numpy.zeros(1000)
sent = jax.device_put(data)
with jax.transfer_guard_host_to_device("disallow_explicit"):
    for _ in range(3):
        total = total + sent
```

See https://docs.jax.dev/en/latest/transfer_guard.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Transfer

rule = LintRule(__name__, "NJ854")


@rule.on(Transfer)
def check(event: Transfer) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "sent":
        yield event.node, f"`{event.name}` sends the same array in each iteration; do it once, before the loop"
