"""64-bit numbers are asked for, and JAX gives 32 bits.

Unless `jax_enable_x64` is set, `jnp.float64` and `jnp.int64` mean 32 bits; there is a warning only. Set it at the start of the program,
`jax.config.update("jax_enable_x64", True)`, or ask for 32 bits.

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
from ..facts.trace_events import Call
from ..facts.traced_values import EXTERNAL, TEXT, Traced

rule = LintRule(__name__, "NJ843")
NAMES = frozenset({"float64", "int64", "uint64", "complex128"})
MODULES = ("jax.numpy.", "jax.random.", "jax.lax.", "jax.nn.", ".")


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    """A call that asks for an array of a dtype. What only compares with a dtype, or keeps it in a table, may do so for NumPy."""
    if event.where.precise or not event.name.startswith(MODULES):
        return
    module, _, last = event.name.rpartition(".")
    given = [*event.args, event.keywords.get("dtype")]
    name = last if module == "jax.numpy" and last in NAMES else next((word for each in given if (word := wide(each))), "")
    if name and last not in ASKING:
        yield event.node, f"the dtype `{name}` means 32 bits unless `jax_enable_x64` is set, which no file does"


ASKING = frozenset("issubdtype isdtype dtype finfo iinfo can_cast promote_types result_type".split())


def wide(value: Traced | None) -> str:
    """The name of a dtype of 64 bits, of JAX or NumPy."""
    if value is None:
        return ""
    if value.kind == EXTERNAL:
        module, _, last = value.name.rpartition(".")
        return last if module in ("jax.numpy", "numpy") and last in NAMES else ""
    return str(value.constant) if value.kind == TEXT and value.constant in NAMES else ""
