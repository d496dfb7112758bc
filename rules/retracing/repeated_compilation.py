"""A new function is compiled and called at once, in a function that may run often.

`jit` remembers what it compiled by the function. `jax.jit(lambda ...)(x)` makes another function in each call, so each call compiles.
Make the compiled function once, at the top level of the module. NJ831 reports the calls in loops. What runs once by its name is left
out: tests, `main`, and functions that make, build or initialize something.

```python
import itertools

import jax

traces = itertools.count()


def double(x):
    return jax.jit(lambda x: (next(traces), 2 * x)[1])(x)


double(1.0)
double(1.0)
assert next(traces) == 1
```

Right:

```python
import jax


@jax.jit
def double(x):
    return 2 * x


double(1.0)
double(1.0)
assert double._cache_size() == 1
```

See https://docs.jax.dev/en/latest/jit-compilation.html#jit-and-caching
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Transformation, Where

rule = LintRule(__name__, "NJ837")
ONCE = frozenset(
    "main test tests benchmark demo example create make build setup init initialize initialise compile".split()
)  # words in names


@rule.on(Transformation)
def check(event: Transformation) -> Iterator[tuple[ast.AST, str]]:
    where = event.where
    if event.name == "jax.jit" and event.called and event.fresh and where.function and not where.staged and not runs_once(where):
        yield (
            event.node,
            f"`{event.name}` gets a new function in each call of `{event.where.function}`, and compiles it each time",
        )


def runs_once(where: Where) -> bool:
    """Whether the function around seems to run once, by its name or its file."""
    return where.tests or not ONCE.isdisjoint(where.function.lower().split("_"))
