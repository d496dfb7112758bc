"""A result whose shape depends on traced values.

Under `jit` every shape is known before the values are. `nonzero`, `unique`, `where` with one argument and boolean masks as indices
have as many elements as the values decide: they raise. Pass `size=`, or keep the shape with `jnp.where`.

```python
import jax
import jax.numpy as jnp


@jax.jit
def positive_sum(x):
    return x[x > 0].sum()


positive_sum(jnp.ones(3))
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def positive_sum(x):
    return jnp.where(x > 0, x, 0).sum()


positive_sum(jnp.ones(3))
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.NonConcreteBooleanIndexError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call, Index
from ..facts.traced_values import ARRAY, NONE
from ..jax_table.array_functions import VALUE_SHAPES

rule = LintRule(__name__, "NJ804")


@rule.on(Index)
def check(event: Index) -> Iterator[tuple[ast.AST, str]]:
    if (
        event.index.abstract
        and event.index.kind == ARRAY
        and event.index.name == "bool"
        and event.base.kind in (ARRAY, "tree", "host", "unknown")
    ):
        yield event.node, f"a boolean mask as an index gives a shape that depends on values; use `jnp.where`: {traced(event)}"


@rule.on(Call)
def check_call(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name == ".nonzero":
        if event.base.abstract and "size" not in event.keywords:
            yield event.node, f"`nonzero` gives a shape that depends on values; pass `size=`: {traced(event)}"
        return
    if not event.args or not event.args[0].has_abstract:
        repeats = event.name == "jax.numpy.repeat" and len(event.args) > 1 and event.args[1].abstract
        if not repeats:
            return
    last = event.name.rpartition(".")[2]
    if event.name == "jax.numpy.where":
        if len(event.args) == 1 and not {"size", "x"} & {*event.keywords}:
            yield event.node, f"`where` with one argument gives a shape that depends on values; pass `size=`: {traced(event)}"
        return
    word = VALUE_SHAPES.get(event.name)
    if word is None:
        return
    given = event.keywords.get(word)
    if event.name == "jax.numpy.repeat" and not (len(event.args) > 1 and event.args[1].abstract):
        return
    if given is None or given.kind == NONE:
        if word == "length" and len(event.args) > 2:
            return
        yield event.node, f"`{last}` gives a shape that depends on values; pass `{word}=`: {traced(event)}"


def traced(event: Call | Index) -> str:
    return f"`{event.where.transform}` traces this code"
