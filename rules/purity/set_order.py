"""Code that JAX traces loops over a set.

The order of a set of texts differs from one process to the next, and so does the compiled code: it is compiled again, and several
hosts do not agree. Loop over `sorted(...)`.

```python
import jax


@jax.jit
def total(x):
    result = 0.0
    for name in {"weights", "bias", "scale"}:
        result = result * 0.5 + x[name]
    return result


x = {"weights": 1.0, "bias": 2.0, "scale": 4.0}
print(total(x))
```

Right:

```python
import jax


@jax.jit
def total(x):
    result = 0.0
    for name in ("bias", "scale", "weights"):
        result = result * 0.5 + x[name]
    return result


x = {"weights": 1.0, "bias": 2.0, "scale": 4.0}
print(total(x))
```

See https://docs.jax.dev/en/latest/multi_process.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Iteration
from ..facts.traced_values import SELECTED, SET, is_unordered

rule = LintRule(__name__, "NJ818")


@rule.on(Iteration)
def check(event: Iteration) -> Iterator[tuple[ast.AST, str]]:
    values = event.value.items or () if event.value.kind in ("enumerate", "zip") else (event.value,)
    plain = event.value.kind == SET and event.value.what is None and event.value.name != SELECTED  # mostly of texts
    if (plain or any(map(is_unordered, values))) and event.where.staged and not all(map(only_checks, event.body)):
        yield (
            event.node,
            f"the order of a set differs between processes; use `sorted`: `{event.where.transform}` traces this code",
        )


def only_checks(statement: ast.AST) -> bool:
    """Whether a statement does no more than to raise an error."""
    match statement:
        case ast.If(body=body, orelse=rest):
            return all(map(only_checks, [*body, *rest]))
    return isinstance(statement, ast.Raise | ast.Assert)
