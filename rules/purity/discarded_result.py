"""The result of `x.at[i].set(v)` is thrown away.

`at` returns a new array and leaves `x` as it was.

```python
import jax.numpy as jnp

x = jnp.zeros(3)
x.at[0].set(1.0)
assert x[0] == 1.0
```

Right:

```python
import jax.numpy as jnp

x = jnp.zeros(3)
x = x.at[0].set(1.0)
assert x[0] == 1.0
```

See https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.diagnostic import Safety
from ..core.lint_rules import Finding, LintRule
from ..facts.trace_events import Discarded

rule = LintRule(__name__, "NJ819", safety=Safety.UNSAFE)
CHANGES = frozenset("set add subtract multiply divide power min max apply mul".split())


@rule.on(Discarded)
def check(event: Discarded) -> Iterator[Finding]:
    match event.node:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at")), attr=method)):
            if method in CHANGES and (event.value.name.startswith("at.") or event.value.kind == "unknown"):
                message = f"the result is thrown away, and `{ast.unparse(array)}` stays as it was; bind it"
                yield (event.node, message, (array, " = ", event.node)) if isinstance(array, ast.Name) else (event.node, message)
