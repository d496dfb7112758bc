"""A function of Python compares traced values: `max`, `min`, `sorted`, `any`, `all`.

They ask for the truth of each comparison, so they raise TracerBoolConversionError. Use `jnp.maximum`, `jnp.minimum`, `jnp.sort`, `jnp.any`
and `jnp.all`.

```python
import jax


@jax.jit
def larger(x, y):
    return max(x + 1, y + 1)


larger(1.0, 2.0)
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def larger(x, y):
    return jnp.maximum(x + 1, y + 1)


larger(1.0, 2.0)
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..facts.traced_values import ARRAY, ITERATOR, LIST, TUPLE, Traced

rule = LintRule(__name__, "NJ806")
DESCRIBING = frozenset({"shape", "ndim", "size", "dtype", "nbytes"})
INSTEAD = {
    "max": "`jnp.maximum` or `jnp.max`",
    "min": "`jnp.minimum` or `jnp.min`",
    "sorted": "`jnp.sort`",
    "any": "`jnp.any`",
    "all": "`jnp.all`",
}


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name not in INSTEAD or not event.args or not compares_elements(event.node):
        return
    several = event.name in ("max", "min") and len(event.args) > 1
    values = event.args
    if not several and values[0].kind in (TUPLE, LIST):
        every = values[0].items
        several = event.name not in ("any", "all")
        if every is None:
            values = (values[0].what,) if isinstance(values[0].what, Traced) and values[0].what.kind == ARRAY else ()
        elif several and len(every) < 2:
            return
        else:
            values = every
    if values and values[0].kind == ITERATOR and isinstance(values[0].what, Traced):
        values = (values[0].what,)
    if any(value.abstract and (value.kind == ARRAY or several) for value in values):
        yield (
            event.node,
            f"`{event.name}` of Python compares traced values; use {INSTEAD[event.name]}: `{event.where.transform}` traces this code",
        )


def compares_elements(call: ast.Call) -> bool:
    """Whether it compares what it gets, or what a `key` computes from that: not what the `key` says of arrays, as their size."""
    for keyword in call.keywords:
        if keyword.arg == "key":
            if not isinstance(keyword.value, ast.Lambda):
                return isinstance(keyword.value, ast.Attribute)  # `jnp.abs`; of other functions nothing is known
            parts = [*ast.walk(keyword.value.body)]
            return not any(
                (isinstance(part, ast.Attribute) and part.attr in DESCRIBING)
                or (isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "len")
                for part in parts
            )
    return True
