"""`global` or `nonlocal` in code that JAX traces.

The variable is bound once, when JAX traces, to a tracer, which leaks. Calls of the compiled code do not bind it. Return the value.

```python
import jax

count = 0


@jax.jit
def step(x):
    global count
    count = count + 1
    return x


step(1.0)
step(2.0)
assert count == 2
```

Right:

```python
import jax


@jax.jit
def step(x, count):
    return x, count + 1


x, count = step(1.0, 0)
x, count = step(2.0, count)
assert count == 2
```

See https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#pure-functions
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Rebinding
from ..jax_table.transforms import ONCE

rule = LintRule(__name__, "NJ813")


@rule.on(Rebinding)
def check(event: Rebinding) -> Iterator[tuple[ast.AST, str]]:
    if event.level < event.where.level and event.where.transform not in ONCE:
        yield (
            event.node,
            f"binds the {event.form} variable `{event.name}` in code that `{event.where.transform}` traces: it happens once, "
            "not in each call; return the value",
        )
