"""A field that holds an array is static.

Static fields are part of what `jit` looks up: they are hashed and compared. An array has no hash, so the call raises, or each new array is
compiled. Make the field a part of the pytree.

```python
import dataclasses

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: jax.Array = dataclasses.field(metadata={"static": True})


@jax.jit
def doubled(layer):
    return 2 * layer.weight


for _ in range(2):
    doubled(Layer(jnp.ones(3)))
```

Right:

```python
import dataclasses

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: jax.Array


@jax.jit
def doubled(layer):
    return 2 * layer.weight


for _ in range(2):
    doubled(Layer(jnp.ones(3)))
```

See https://docs.jax.dev/en/latest/custom_pytrees.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Field
from ..facts.traced_values import ARRAY

rule = LintRule(__name__, "NJ862")


@rule.on(Field)
def check(event: Field) -> Iterator[tuple[ast.AST, str]]:
    if event.static and event.annotation.kind == ARRAY:
        yield event.node, "a static field is hashed and compared, and an array has no hash; make it part of the pytree"
