"""A long Python loop in compiled code.

The loop is unrolled: the program that XLA compiles has one copy of the body for each iteration. The time to compile grows faster than
their number. Use `lax.fori_loop` or `lax.scan`.

```python
import jax
import jax.numpy as jnp


@jax.jit
def iterated(x):
    for _ in range(500):
        x = jnp.cos(x)
    return x


assert len(jax.make_jaxpr(iterated)(1.0).jaxpr.eqns[0].params["jaxpr"].eqns) < 10, "one copy for each iteration"
```

Right:

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def iterated(x):
    return lax.fori_loop(0, 500, lambda _, x: jnp.cos(x), x)


assert len(jax.make_jaxpr(iterated)(1.0).jaxpr.eqns[0].params["jaxpr"].eqns) < 10, "one copy for each iteration"
```

See https://docs.jax.dev/en/latest/_autosummary/jax.lax.fori_loop.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..core.lint_rules import LintRule
from ..facts.trace_events import Iteration

rule = LintRule(__name__, "NJ835")
LONG = 100  # iterations


@rule.on(Iteration)
def check(event: Iteration) -> Iterator[tuple[ast.AST, str]]:
    if event.where.transform.startswith("jax.experimental.pallas"):
        return  # kernels are unrolled on purpose
    if event.where.staged and event.count is not None and event.count * inner_turns(event.body) >= LONG:
        if any(isinstance(inner, ast.Call | ast.BinOp) for statement in event.body for inner in ast.walk(statement)):
            yield (
                event.node,
                f"`{event.where.transform}` unrolls the {event.count * inner_turns(event.body)} iterations of this loop; use `lax.fori_loop` or `lax.scan`",
            )


def inner_turns(body: Sequence[ast.AST]) -> int:
    """How many iterations loops in a loop have for one of it: 1 if they are not literal, or so many that these are reported."""
    most = 1
    for statement in body:
        match statement:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))]), body=inner):
                turns = count * inner_turns(inner)
                most = max(most, turns if turns < LONG else 1)
    return most
