"""A random key is used twice.

The same key gives the same numbers: two draws from it are not independent. Split it first.

```python
import jax

key = jax.random.key(0)
x = jax.random.normal(key)
y = jax.random.normal(key)
assert x != y
```

Right:

```python
import jax

key = jax.random.key(0)
first, second = jax.random.split(key)
x = jax.random.normal(first)
y = jax.random.normal(second)
assert x != y
```

See https://docs.jax.dev/en/latest/random-numbers.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import KeyUse

rule = LintRule(__name__, "NJ821")


@rule.on(KeyUse)
def check(event: KeyUse) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "again":
        yield event.node, f"this random key was used up in line {event.first}: the same numbers come again; split it first"
