"""`jit` of a new function in each iteration of a loop, or in each call of a function that a loop calls.

`jit` remembers what it compiled by the function. A lambda, a `partial` or a `def` in the loop is another function in each
iteration, so each iteration compiles. Make the compiled function once, before the loop.

```python
import itertools

import jax

traces = itertools.count()
for i in range(3):
    double = jax.jit(lambda x: (next(traces), 2 * x)[1])
    double(1.0)
assert next(traces) == 1
```

Right:

```python
import itertools

import jax

traces = itertools.count()
double = jax.jit(lambda x: (next(traces), 2 * x)[1])
for i in range(3):
    double(1.0)
assert next(traces) == 1
```

See https://docs.jax.dev/en/latest/jit-compilation.html#jit-and-caching
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Recompilation, Transformation

rule = LintRule(__name__, "NJ831")
COMPILE = frozenset({"jax.jit", "jax.pmap", "equinox.filter_jit", "flax.nnx.jit", "jax.experimental.pjit.pjit"})


@rule.on(Transformation)
def check(event: Transformation) -> Iterator[tuple[ast.AST, str]]:
    if event.name in COMPILE and event.where.loop and event.fresh and not event.where.staged:
        yield (
            event.node,
            f"`{event.name}` gets a new function in each iteration, and compiles it each time; do it before the loop",
        )


@rule.on(Recompilation)
def check_call(event: Recompilation) -> Iterator[tuple[ast.AST, str]]:
    if not event.where.staged:
        yield (
            event.node,
            f"`{event.name}` compiles a new function in each call, {event.place}; compile it once, outside of the function",
        )
