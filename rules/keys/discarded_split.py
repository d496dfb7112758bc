"""The result of `jax.random.split` or of a draw is thrown away.

Keys do not change: the key is as it was before, and using it again gives the same numbers. Bind the result.

```python
import jax

key = jax.random.key(0)
jax.random.split(key)
x = jax.random.normal(key)
assert x != jax.random.normal(jax.random.key(0))
```

Right:

```python
import jax

key = jax.random.key(0)
key, part = jax.random.split(key)
x = jax.random.normal(part)
assert x != jax.random.normal(jax.random.key(0))
```

See https://docs.jax.dev/en/latest/random-numbers.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Discarded
from ..jax_table.random_functions import SPLIT

rule = LintRule(__name__, "NJ826")


@rule.on(Discarded)
def check(event: Discarded) -> Iterator[tuple[ast.AST, str]]:
    if event.value.name in ("keys", "key"):
        yield event.node, f"the result is thrown away, and the key stays as it was; bind what `{SPLIT}` returns"
