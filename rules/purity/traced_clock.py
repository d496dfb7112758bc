"""A clock is read in code that JAX traces.

It is read once, when JAX traces, and its time is a constant of the compiled code. Read the clock outside.

```python
import time

import jax


@jax.jit
def step(x):
    return x + time.perf_counter()


assert step(1.0) != step(1.0)
```

Right:

```python
import time

import jax


@jax.jit
def step(x, now):
    return x + now


assert step(1.0, time.perf_counter() % 1) != step(1.0, time.perf_counter() % 1)
```

See https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#pure-functions
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..jax_table.host_functions import CLOCKS

rule = LintRule(__name__, "NJ816")


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name in CLOCKS and event.where.staged:
        yield event.node, f"`{event.name}` runs once, when `{event.where.transform}` traces, and its time is a constant"
