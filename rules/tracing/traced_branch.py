"""Python branches on a traced value.

Under `jit`, `vmap` and the loops of `lax`, an array has no value while Python runs: `if`, `while`, `assert`, `and`, `or` and `not` raise
TracerBoolConversionError. Select with `jnp.where`, or branch with `lax.cond`. An argument that selects what is computed, such as a
flag, belongs into `static_argnames`.

```python
import jax
import jax.numpy as jnp


@jax.jit
def clipped(x):
    if x.sum() > 1:
        return x / x.sum()
    return x


clipped(jnp.ones(3))
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def clipped(x):
    total = x.sum()
    return jnp.where(total > 1, x / total, x)


clipped(jnp.ones(3))
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Operation, Test
from ..facts.traced_values import ARRAY, LIST, NUMBER, TUPLE

rule = LintRule(__name__, "NJ801")
FORMS = {
    "if": "`if` on a traced value; use `jnp.where` or `lax.cond`",
    "while": "`while` on a traced value; use `lax.while_loop`",
    "assert": "`assert` on a traced value; use `checkify` or check it outside of the compiled function",
    "conditional": "a conditional expression on a traced value; use `jnp.where`",
    "comprehension": "a comprehension filters by a traced value; use a mask",
    "chain": "a chained comparison of traced values; combine two comparisons with `&`",
    "and": "`and` of traced values; use `&` or `jnp.logical_and`",
    "or": "`or` of traced values; use `|` or `jnp.logical_or`",
    "not": "`not` of a traced value; use `~` or `jnp.logical_not`",
    "match": "`match` compares a traced value; use `lax.switch`",
    "bool": "`bool()` of a traced value",
}


@rule.on(Test)
def check(event: Test) -> Iterator[tuple[ast.AST, str]]:
    if event.value.abstract and event.value.kind == ARRAY:
        yield event.node, f"{FORMS[event.form]}: `{event.where.transform}` traces this code"


@rule.on(Operation)
def check_membership(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    if event.operator not in ("In", "NotIn"):
        return
    inside = event.right.kind == ARRAY and event.right.abstract
    numbers = event.right.kind in (LIST, TUPLE) and all(item.kind == NUMBER for item in event.right.items or (event.left,))
    arrays = event.left.kind == ARRAY and event.right.kind in (LIST, TUPLE) and event.right.items != ()
    among = event.left.abstract and (numbers or arrays)
    if inside or among:
        yield event.node, f"`in` compares traced values; use `jnp.any(x == value)`: `{event.where.transform}` traces this code"
