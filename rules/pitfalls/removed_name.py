"""A name that JAX has removed.

The code raises AttributeError or ImportError with the version that the message names, and with later ones. `--target-jax VERSION`, or
`target-jax` in pyproject.toml, says which version the code is for; names that later ones remove are then not reported.

```python
import jax

doubled = jax.tree_map(lambda x: 2 * x, {"a": 1.0})
```

Right:

```python
import jax

doubled = jax.tree.map(lambda x: 2 * x, {"a": 1.0})
```

See https://docs.jax.dev/en/latest/changelog.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Reference
from ..jax_table.removed_names import REMOVED, numbers

rule = LintRule(__name__, "NJ871")


@rule.on(Reference)
def check(event: Reference) -> Iterator[tuple[ast.AST, str]]:
    removed = REMOVED.get(event.name)
    if removed is not None and not (event.target and event.target < numbers(removed.version)):
        instead = f"; use `{removed.instead}`" if removed.instead else ""
        yield event.node, f"JAX {removed.version} removed `{event.name}`{instead}"
