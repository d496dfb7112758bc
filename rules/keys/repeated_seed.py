"""Each iteration of a loop makes its random key from the same constant.

Each iteration draws the same numbers, whether the key is made in the loop, in a function that the loop calls, or as the default of its
parameter. Make the key once, before the loop, and split it, or derive the keys with `fold_in(key, i)`.

```python
import jax


def draw():
    return jax.random.normal(jax.random.key(0))


draws = []
for _ in range(2):
    draws.append(draw())
assert draws[0] != draws[1]
```

Right:

```python
import jax


def draw(key):
    return jax.random.normal(key)


draws = []
for key in jax.random.split(jax.random.key(0), 2):
    draws.append(draw(key))
assert draws[0] != draws[1]
```

See https://docs.jax.dev/en/latest/random-numbers.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import KeyUse

rule = LintRule(__name__, "NJ827")


@rule.on(KeyUse)
def check(event: KeyUse) -> Iterator[tuple[ast.AST, str]]:
    if event.form == "seeded":
        where = f"in line {event.first} " if event.first != getattr(event.node, "lineno", 0) else ""
        yield event.node, f"the key {where}is made from a constant: each iteration draws the same; split one key before the loop"
