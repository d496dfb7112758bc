"""A text is compared with an argument of a compiled function that is not static.

A text cannot be traced: the call raises TypeError. Name the parameter in `static_argnames`.

```python
import jax


@jax.jit
def reduced(x, how):
    if how == "sum":
        return x.sum()
    return x.mean()


reduced(jax.numpy.ones(3), "sum")
```

Right:

```python
from functools import partial

import jax


@partial(jax.jit, static_argnames="how")
def reduced(x, how):
    if how == "sum":
        return x.sum()
    return x.mean()


reduced(jax.numpy.ones(3), "sum")
```

See https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import CompiledCall, Operation
from ..facts.traced_values import EXTERNAL, FUNCTION, TEXT, Traced

rule = LintRule(__name__, "NJ834")
CONSTANTS = frozenset("pi e inf nan newaxis euler_gamma".split())


@rule.on(Operation)
def check(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    if event.operator not in ("Eq", "NotEq") or not event.where.staged:
        return
    for value, other in ((event.left, event.right), (event.right, event.left)):
        if value.abstract and other.kind == TEXT:
            yield event.node, "a text is compared with a traced argument; name the parameter in `static_argnames`"
            return


@rule.on(CompiledCall)
def check_call(event: CompiledCall) -> Iterator[tuple[ast.AST, str]]:
    for name, value in event.traced.items():
        if value.kind in (TEXT, FUNCTION) or is_function(value):
            kind = "a text" if value.kind == TEXT else "a function"
            yield event.nodes.get(name, event.node), f"{kind} cannot be traced; name the parameter `{name}` in `static_argnames`"


def is_function(value: Traced) -> bool:
    """Whether a value is a function of JAX, or a dtype."""
    module, _, last = value.name.rpartition(".")
    return value.kind == EXTERNAL and module in ("jax.numpy", "jax.nn", "jax.lax") and last not in CONSTANTS
