"""A compiled function makes its own random key from a constant.

Each call draws the same numbers. Pass the key as an argument.

```python
import jax


@jax.jit
def noisy(x):
    key = jax.random.key(0)
    return x + jax.random.normal(key)


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
from ..jax_table.random_functions import USES

rule = LintRule(__name__, "NJ823")


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name not in USES or not event.where.staged or event.where.transform in ("jax.eval_shape", "jax.make_jaxpr"):
        return
    key = event.args[0] if event.args else event.keywords.get("key")
    if key is not None and key.name == "key" and key.constant in ("seed", "default"):
        yield (
            event.node,
            f"this key is made from a constant in code that `{event.where.transform}` traces: every call draws the same; pass a key",
        )
