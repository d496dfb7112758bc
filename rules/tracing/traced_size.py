"""A size, a range or a bound of a slice that is a traced value.

Shapes are known before the values are, so `range(n)`, `jnp.zeros(n)`, `x.reshape(n, -1)` and `x[:n]` need a number of Python. Pass `n` as a
static argument, loop with `lax.fori_loop`, and take a part of fixed size with `lax.dynamic_slice`.

```python
import jax
import jax.numpy as jnp


@jax.jit
def powers(x, n):
    return x ** jnp.arange(n)


powers(2.0, 3)
```

Right:

```python
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="n")
def powers(x, n):
    return x ** jnp.arange(n)


powers(2.0, 3)
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Bound, Call, Index
from ..facts.traced_values import ARRAY, HOST, LIST, TUPLE
from ..jax_table.array_functions import AXES, SHAPE_ARGUMENTS

rule = LintRule(__name__, "NJ805")


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    where = f": `{event.where.transform}` traces this code"
    if event.name == "range" and any(value.abstract for value in event.args):
        yield event.node, f"`range` of a traced value; make it static, or use `lax.fori_loop`{where}"
    elif event.name == ".reshape" and any(value.has_abstract for value in event.args):
        yield event.node, f"`reshape` to a shape that is a traced value; make it static{where}"
    for position, word in SHAPE_ARGUMENTS.get(event.name, ()):
        value = event.args[position] if position < len(event.args) else event.keywords.get(word)
        if value is not None and value.has_abstract:
            short = event.name.replace("jax.numpy", "jnp").replace("jax.lax", "lax")
            yield event.node, f"the argument `{word}` of `{short}` gives a shape, and is a traced value; make it static{where}"
            return


@rule.on(Call)
def check_axis(event: Call) -> Iterator[tuple[ast.AST, str]]:
    module, dot, last = event.name.rpartition(".")
    if dot and last in AXES and module in ("", "jax.numpy"):
        place = 1 if module else 0
        value = event.args[place] if place < len(event.args) else event.keywords.get("axis")
        if value is not None and value.abstract:
            yield (
                event.node,
                f"the axis of `{last}` is a traced value; make it static: `{event.where.transform}` traces this code",
            )


@rule.on(Bound)
def check_bound(event: Bound) -> Iterator[tuple[ast.AST, str]]:
    yield event.node, f"a traced bound of a slice; use `lax.dynamic_slice`, or a mask: `{event.where.transform}` traces this code"


@rule.on(Index)
def check_index(event: Index) -> Iterator[tuple[ast.AST, str]]:
    if event.index.abstract and event.index.kind == ARRAY and event.base.kind in (LIST, TUPLE):
        yield (
            event.node,
            f"a traced value as the index of a Python sequence; make an array of it: `{event.where.transform}` traces this code",
        )
    elif event.index.abstract and event.base.kind == HOST:
        yield (
            event.node,
            f"a traced value as the index of a NumPy array; use `jnp.asarray`: `{event.where.transform}` traces this code",
        )
