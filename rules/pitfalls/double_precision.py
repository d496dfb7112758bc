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
from ..facts.trace_events import Call, Reference
from ..facts.traced_values import EXTERNAL, TEXT

rule = LintRule(__name__, "NJ843", default=False)
NAMES = frozenset({"float64", "int64", "uint64", "complex128"})
WIDE = frozenset(f"jax.numpy.{name}" for name in NAMES)


@rule.on(Reference)
def check(event: Reference) -> Iterator[tuple[ast.AST, str]]:
    if event.name in WIDE and not event.where.precise:
        yield event.node, f"`{event.name}` means 32 bits unless `jax_enable_x64` is set, which no file does"


@rule.on(Call)
def check_dtype(event: Call) -> Iterator[tuple[ast.AST, str]]:
    """A dtype that is a text, a type of NumPy, or one of Python."""
    given = event.keywords.get("dtype")
    if event.name == ".astype" and event.args:
        given = event.args[0]
    if given is None or event.where.precise or not event.name.startswith(("jax.numpy.", ".")):
        return
    name = given.name.removeprefix("numpy.") if given.kind == EXTERNAL else given.constant if given.kind == TEXT else None
    if name in NAMES:
        yield event.node, f"the dtype `{name}` means 32 bits unless `jax_enable_x64` is set, which no file does"
