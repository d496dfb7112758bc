"""An object of a class that is not a pytree is passed to a compiled function.

`jit` accepts arrays, numbers, and containers of them. An object of another class raises TypeError, unless the class is registered
(`jax.tree_util.register_dataclass`), or the argument is static.

```python
import jax


class State:
    def __init__(self, x):
        self.x = x


@jax.jit
def step(state):
    return state.x + 1


step(State(1.0))
```

Right:

```python
from typing import NamedTuple

import jax


class State(NamedTuple):
    x: jax.Array | float


@jax.jit
def step(state):
    return state.x + 1


step(State(1.0))
```

See https://docs.jax.dev/en/latest/custom_pytrees.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import CompiledCall
from ..facts.traced_values import INSTANCE

rule = LintRule(__name__, "NJ861")


@rule.on(CompiledCall)
def check(event: CompiledCall) -> Iterator[tuple[ast.AST, str]]:
    for name, value in event.traced.items():
        if value.kind == INSTANCE and value.name == "unregistered":
            yield (
                event.nodes.get(name, event.node),
                f"the class `{value.what.name}` of the argument `{name}` is not registered as a pytree",
            )
