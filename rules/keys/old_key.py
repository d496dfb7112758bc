"""`jax.random.PRNGKey` makes a key of the old kind.

It is an array of integers, which any code may take for data. `jax.random.key` makes a key that is only good for drawing. Off by default:
both are correct.

```python
import jax

key = jax.random.PRNGKey(0)
x = jax.random.normal(key)
assert jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key)
```

Right:

```python
import jax

key = jax.random.key(0)
x = jax.random.normal(key)
assert jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key)
```

See https://docs.jax.dev/en/latest/jep/9263-typed-keys.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.diagnostic import Safety
from ..core.lint_rules import Finding, LintRule
from ..facts.trace_events import Call

rule = LintRule(__name__, "NJ825", default=False, safety=Safety.UNSAFE)


@rule.on(Call)
def check(event: Call) -> Iterator[Finding]:
    if event.name == "jax.random.PRNGKey":
        function = event.node.func
        message = "`jax.random.key` makes a key that cannot be taken for data"
        if isinstance(function, ast.Attribute):
            yield function, message, (function.value, ".key")
        else:
            yield event.node, message
