"""A static argument that changes in each iteration of a loop.

`jit` compiles once for each value of a static argument. If it changes with the loop, each iteration compiles. Make it traced.

```python
from functools import partial

import jax


@partial(jax.jit, static_argnames="i")
def step(x, i):
    return x + i


x = 1.0
for i in range(5):
    x = step(x, i)
assert step._cache_size() <= 2
```

Right:

```python
import jax


@jax.jit
def step(x, i):
    return x + i


x = 1.0
for i in range(5):
    x = step(x, i)
assert step._cache_size() <= 2
```

See https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import CompiledCall
from ..facts.traced_values import NUMBER

rule = LintRule(__name__, "NJ833")


@rule.on(CompiledCall)
def check(event: CompiledCall) -> Iterator[tuple[ast.AST, str]]:
    if not event.where.loop or event.where.staged:
        return
    for name, value in event.static.items():
        node = event.nodes.get(name)
        if value.name == "bool" or isinstance(value.constant, bool):
            continue  # two values, two compilations
        if value.kind == NUMBER and isinstance(node, ast.Name) and node.id in event.where.changing:
            yield node, f"the static argument `{name}` changes in each iteration, and each value is compiled; make it traced"
