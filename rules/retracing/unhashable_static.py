"""A static argument that cannot be hashed.

`jit` looks up what it compiled by the static arguments, so a list, a dict, a set, an array or an object of a data class that is
not frozen raises ValueError. Pass a tuple, freeze the class, or make the argument traced.

```python
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="shape")
def padded(x, shape):
    return jnp.zeros(shape).at[0].set(x)


padded(1.0, [3])
```

Right:

```python
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="shape")
def padded(x, shape):
    return jnp.zeros(shape).at[0].set(x)


padded(1.0, (3,))
```

See https://docs.jax.dev/en/latest/jit-compilation.html#marking-arguments-as-static
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import CompiledCall
from ..facts.traced_values import ARRAY, DICT, HOST, INSTANCE, LIST, SET

rule = LintRule(__name__, "NJ832")
UNHASHABLE = {LIST: "a list", DICT: "a dict", SET: "a set", ARRAY: "an array", HOST: "an array"}


@rule.on(CompiledCall)
def check(event: CompiledCall) -> Iterator[tuple[ast.AST, str]]:
    for name, value in event.static.items():
        if value.kind in UNHASHABLE and (value.kind not in (ARRAY, HOST) or value.floating or value.traced or value.elements):
            yield (
                event.nodes.get(name, event.node),
                f"the static argument `{name}` is {UNHASHABLE[value.kind]}, which has no hash",
            )
        elif value.kind == INSTANCE and value.what.unhashable():
            yield (
                event.nodes.get(name, event.node),
                f"the static argument `{name}` is an object of `{value.what.name}`, which has no hash; make the data class frozen",
            )
