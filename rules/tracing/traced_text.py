"""A traced value becomes text.

A tracer has no value, so `f"{x:.2f}"` and `"%f" % x` raise, and `f"{x}"` gives the description of a tracer, once, while JAX
traces. Print with `jax.debug.print("{x}", x=x)`.

```python
import jax


@jax.jit
def reported(x):
    total = x * 2
    label = f"total {total:.2f}"
    return total


reported(1.0)
```

Right:

```python
import jax


@jax.jit
def reported(x):
    total = x * 2
    jax.debug.print("total {total:.2f}", total=total)
    return total


reported(1.0)
```

See https://docs.jax.dev/en/latest/debugging/print_breakpoint.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Formatting
from ..facts.traced_values import ARRAY
from ..jax_table.transforms import ONCE

rule = LintRule(__name__, "NJ807")
FORMS = ("f-string", "%", "format")
NAMES = ("str", "repr")  # of a pytree they may be its own


@rule.on(Formatting)
def check(event: Formatting) -> Iterator[tuple[ast.AST, str]]:
    if event.value.abstract and (
        event.spec or (event.where.direct and event.where.staged and shows(event) and event.where.transform not in ONCE)
    ):
        yield (
            event.node,
            f"a traced value in a text has no value yet; use `jax.debug.print`: `{event.where.transform}` traces this code",
        )


def shows(event: Formatting) -> bool:
    return event.form in FORMS or (event.form in NAMES and event.value.kind == ARRAY)
