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

from ..core.diagnostic import Safety
from ..core.lint_rules import Edit, Finding, LintRule
from ..facts.trace_events import Reference
from ..jax_table.removed_names import REMOVED, RENAMED, numbers

rule = LintRule(__name__, "NJ871", safety=Safety.SAFE)


@rule.on(Reference)
def check(event: Reference) -> Iterator[Finding]:
    removed = REMOVED.get(event.name)
    if removed is not None and not (event.target and event.target < numbers(removed.version)):
        instead = f"; use `{removed.instead}`" if removed.instead else ""
        message = f"JAX {removed.version} removed `{event.name}`{instead}"
        if isinstance(event.node, ast.Attribute) and event.name.removeprefix("jax.") in RENAMED:
            yield event.node, message, renamed(event.node, event.name, removed.instead)
        else:
            yield event.node, message


def renamed(node: ast.Attribute, old: str, new: str) -> Edit:
    """The new name, from the same module where both stand in it."""
    module, _, last = new.rpartition(".")
    if old.rpartition(".")[0] == module:
        return node.value, f".{last}"
    top = node.value
    while isinstance(top, ast.Attribute):
        top = top.value
    return (new,) if isinstance(top, ast.Name) and top.id == "jax" else ()
