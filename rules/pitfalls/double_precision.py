"""64-bit numbers are asked for, and JAX gives 32 bits.

Unless `jax_enable_x64` is set, `jnp.float64` and `jnp.int64` mean 32 bits; there is a warning only. Set it at the start of the program,
`jax.config.update("jax_enable_x64", True)`, or ask for 32 bits. Off by default: another file may set it.

```python
import jax.numpy as jnp

x = jnp.zeros(3, dtype=jnp.float64)
assert x.dtype == "float64"
```

Right:

```python
import jax
import jax.numpy as jnp

with jax.enable_x64(True):
    x = jnp.zeros(3, dtype=jnp.float64)
assert x.dtype == "float64"
```

See https://docs.jax.dev/en/latest/default_dtypes.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Reference

rule = LintRule(__name__, "NJ843", default=False)
WIDE = frozenset(f"jax.numpy.{name}" for name in ("float64", "int64", "uint64", "complex128"))


@rule.on(Reference)
def check(event: Reference) -> Iterator[tuple[ast.AST, str]]:
    if event.name in WIDE and not event.where.precise:
        yield event.node, f"`{event.name}` means 32 bits unless `jax_enable_x64` is set, which no file does"
