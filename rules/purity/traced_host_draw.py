"""Random numbers of NumPy or Python in code that JAX traces.

They are drawn once, when JAX traces, and are constants of the compiled code: each call gets the same numbers. Pass a key, and draw
with `jax.random`.

```python
import jax
import numpy as np


@jax.jit
def noisy(x):
    return x + np.random.normal()


assert noisy(1.0) != noisy(1.0)
```

Right:

```python
import jax


@jax.jit
def noisy(x, key):
    return x + jax.random.normal(key)


first, second = jax.random.split(jax.random.key(0))
assert noisy(1.0, first) != noisy(1.0, second)
```

See https://docs.jax.dev/en/latest/random-numbers.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..facts.traced_values import GENERATOR
from ..jax_table.host_functions import SEEDED

rule = LintRule(__name__, "NJ817")
BATCHES = ("jax.vmap", "equinox.filter_vmap")
MODULES = ("numpy.random.", "random.", "secrets.", "uuid.uuid")


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    batch = event.where.transform in BATCHES
    if not (event.where.staged or batch) or not (event.name.startswith(MODULES) or event.name == "os.urandom"):
        return
    if event.name in SEEDED or (event.base.kind == GENERATOR and event.base.level >= event.where.level):
        return  # a generator with a seed of its own gives constants, on purpose
    yield (
        event.node,
        f"`{event.name}` draws once, when `{event.where.transform}` traces: every {'element' if batch else 'call'} gets the same number",
    )
