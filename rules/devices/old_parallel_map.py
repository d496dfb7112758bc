"""`jax.pmap`, which newer transformations replace.

The length of the first axis has to be the number of devices. `jax.jit` of arrays with a sharding, and `jax.shard_map`, run on any
number of devices, and the code is the same on one. Off by default: code that was written for `pmap` still runs.

```python
import jax
import jax.numpy as jnp

x = jnp.ones((3 * jax.device_count(), 2))
doubled = jax.pmap(lambda row: 2 * row)(x)
```

Right:

```python
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

mesh = jax.make_mesh((jax.device_count(),), ("rows",))
x = jax.device_put(jnp.ones((3 * jax.device_count(), 2)), NamedSharding(mesh, PartitionSpec("rows")))
doubled = jax.jit(lambda x: 2 * x)(x)
```

See https://docs.jax.dev/en/latest/migrate_pmap.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Transformation

rule = LintRule(__name__, "NJ857", default=False)
OLD = frozenset({"jax.pmap", "equinox.filter_pmap", "flax.nnx.pmap"})


@rule.on(Transformation)
def check(event: Transformation) -> Iterator[tuple[ast.AST, str]]:
    if event.name in OLD:
        yield event.node, f"`{event.name}` is bound to the number of devices; use `jax.jit` with shardings, or `jax.shard_map`"
