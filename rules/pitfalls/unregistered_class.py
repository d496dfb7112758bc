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
from ..facts.trace_events import CompiledCall, TracedArguments
from ..facts.traced_values import DICT, EXTERNAL, INSTANCE, LIST, TUPLE, Traced

rule = LintRule(__name__, "NJ861")
WITH_FUNCTIONS = frozenset(
    {"equinox.nn.MLP()", "equinox.nn.Lambda()"}
)  # pytrees that hold a function, which only `filter_jit` takes


@rule.on(CompiledCall)
def check(event: CompiledCall) -> Iterator[tuple[ast.AST, str]]:
    for name, value in event.traced.items():
        for reason in reasons(value):
            yield event.nodes.get(name, event.node), f"{reason}: the argument `{name}`"


@rule.on(TracedArguments)
def check_transformed(event: TracedArguments) -> Iterator[tuple[ast.AST, str]]:
    if event.transform.startswith("jax."):
        for value in event.values:
            for reason in reasons(value):
                yield event.node, f"{reason}: an argument of what `{event.transform}` traces"


def reasons(value: Traced) -> Iterator[str]:
    """Why a value cannot be traced."""
    if value.kind == INSTANCE and value.name == "unregistered":
        yield f"the class `{value.what.name}` is not registered as a pytree"
    elif value.kind == EXTERNAL and value.name in WITH_FUNCTIONS:
        yield f"an object of `{value.name.removesuffix('()')}` holds a function, which only the transformations of Equinox take"
    elif value.kind == INSTANCE and any(each.name in WITH_FUNCTIONS for each in value.what.made.values()):
        yield f"an object of `{value.what.name}` holds a function, which only the transformations of Equinox take"
    elif value.kind in (TUPLE, LIST, DICT):
        for item in value.items or ():
            yield from reasons(item)
