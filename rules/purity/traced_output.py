"""`print`, logging or a file in code that JAX traces.

It happens once, when JAX traces, and shows a tracer instead of a value. Use `jax.debug.print`, or print what the compiled function
returns.

```python
import jax


@jax.jit
def step(x):
    print("x is", x)
    return 2 * x


step(1.0)
```

Right:

```python
import jax


@jax.jit
def step(x):
    jax.debug.print("x is {x}", x=x)
    return 2 * x


step(1.0)
```

See https://docs.jax.dev/en/latest/debugging/print_breakpoint.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..jax_table.host_functions import LOGGING, OUTPUT, PLOTS, WRITER
from ..jax_table.transforms import ONCE

rule = LintRule(__name__, "NJ815")


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if not event.where.staged or event.where.transform in ONCE:
        return
    shows = any(value.has_traced for value in (*event.args, *event.keywords.values()))
    if event.name in LOGGING or event.name == "print":
        if shows:
            yield (
                event.node,
                f"`{event.name}` shows a tracer, once; use `jax.debug.print`: `{event.where.transform}` traces this code",
            )
        elif event.name == "print" and event.where.direct:
            yield event.node, f"`print` runs once, when `{event.where.transform}` traces; use `jax.debug.print`"
    elif event.name.startswith(PLOTS) and shows:
        yield (
            event.node,
            f"`{event.name}` gets a tracer; plot what the compiled function returns: `{event.where.transform}` traces this code",
        )
    elif event.name in OUTPUT or event.name.startswith(f"{WRITER}."):
        yield event.node, f"`{event.name}` runs once, when `{event.where.transform}` traces; use `jax.experimental.io_callback`"
