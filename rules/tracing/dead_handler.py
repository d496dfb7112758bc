"""A handler around code that JAX traces, for an error of arithmetic, or for an error of JAX itself.

Compiled code raises no ZeroDivisionError, FloatingPointError or LinAlgError: it gives infinity or NaN. The handler never runs. Test
the value, with `jnp.where` or `checkify`. A handler for TracerBoolConversionError or the like hides that the code cannot be traced.

```python
import jax


@jax.jit
def ratio(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return x * 0


assert ratio(1.0, 0.0) == 0
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def ratio(x, y):
    return jnp.where(y == 0, 0, x / jnp.where(y == 0, 1, y))


assert ratio(1.0, 0.0) == 0
```

See https://docs.jax.dev/en/latest/debugging/checkify_guide.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Handler

rule = LintRule(__name__, "NJ809")
NEVER = frozenset({"ZeroDivisionError", "FloatingPointError", "LinAlgError", "ArithmeticError"})
TRACERS = frozenset(
    """
    TracerBoolConversionError TracerArrayConversionError TracerIntegerConversionError ConcretizationTypeError
    NonConcreteBooleanIndexError
    """.split()
)


@rule.on(Handler)
def check(event: Handler) -> Iterator[tuple[ast.AST, str]]:
    if event.where.staged and event.where.direct and event.names and TRACERS.issuperset(event.names):
        yield event.node, f"`{event.names[0]}` always comes here: `{event.where.transform}` traces this code"
    elif event.where.staged and event.names and NEVER.issuperset(event.names):
        yield event.node, f"compiled code raises no {event.names[0]}; test the value: `{event.where.transform}` traces this code"
