"""A compiled function gets an int in one call, and a float in another.

`jit` compiles once for each type of a number. Write `1.0` instead of `1` where other calls pass a float. Off by default: one more
compilation may not matter.

```python
import jax
import jax.numpy as jnp

step = jax.jit(lambda x, dt: x + dt)
x, dt = jnp.zeros(3), 1
for _ in range(3):
    x = step(x, dt)
    dt = 0.5 * dt
assert step._cache_size() == 1
```

Right:

```python
import jax
import jax.numpy as jnp

step = jax.jit(lambda x, dt: x + dt)
x, dt = jnp.zeros(3), 1.0
for _ in range(3):
    x = step(x, dt)
    dt = 0.5 * dt
assert step._cache_size() == 1
```

See https://docs.jax.dev/en/latest/jit-compilation.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Retyped

rule = LintRule(__name__, "NJ839", default=False)


@rule.on(Retyped)
def check(event: Retyped) -> Iterator[tuple[ast.AST, str]]:
    first = f"{event.first} in line {event.line}" if event.line != getattr(event.node, "lineno", 0) else f"{event.first} before"
    yield event.node, f"`{event.name}` is {event.found} here and {first}: the function is compiled for each type"
