"""A random key from outside is used up in each iteration of a loop.

Each iteration draws the same numbers. Split the key into one for each iteration, or derive one with `fold_in(key, i)`.

```python
import jax

key = jax.random.key(0)
draws = []
for _ in range(2):
    draws.append(jax.random.normal(key))
assert draws[0] != draws[1]
```

Right:

```python
import jax

key = jax.random.key(0)
draws = []
for part in jax.random.split(key, 2):
    draws.append(jax.random.normal(part))
assert draws[0] != draws[1]
```

See https://docs.jax.dev/en/latest/random-numbers.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import KeyUse

rule = LintRule(__name__, "NJ822")


@rule.on(KeyUse)
def check(event: KeyUse) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "loop":
        yield event.node, "each iteration uses the same random key; split it, or use `jax.random.fold_in(key, i)`"
    elif event.form == "carried":
        yield event.node, "each iteration uses a key of the carry and returns the same one; split it, and carry the new key"
    elif event.form == "batch":
        yield event.node, "a function that runs many times uses one random key from outside: the same numbers come each time"
