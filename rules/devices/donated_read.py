"""An array is read after it was donated.

`donate_argnums` gives the memory of an argument to the compiled function: the array is deleted, and reading it raises
RuntimeError. Bind the result to the same name, or do not donate.

```python
import jax
import jax.numpy as jnp

step = jax.jit(lambda x: x + 1, donate_argnums=0)
x = jnp.ones(3)
y = step(x)
print(x + y)
```

Right:

```python
import jax
import jax.numpy as jnp

step = jax.jit(lambda x: x + 1, donate_argnums=0)
x = jnp.ones(3)
x = step(x)
print(x)
```

See https://docs.jax.dev/en/latest/faq.html#buffer-donation
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Use

rule = LintRule(__name__, "NJ855")


@rule.on(Use)
def check(event: Use) -> Iterator[tuple[ast.AST, str]]:
    if not event.where.staged:
        yield event.node, f"the memory of `{event.name}` was donated in line {event.line}: the array is deleted"
