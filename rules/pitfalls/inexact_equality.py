"""The result of float arithmetic is compared with `==` to a number that no float equals.

0.1 and 0.7 have no exact float, and each operation rounds: the comparison is false where exact arithmetic makes it true. Use `jnp.isclose`.

```python
import jax.numpy as jnp

total = jnp.full(7, 0.1)
assert jnp.sum(total) == 0.7
```

Right:

```python
import jax.numpy as jnp

total = jnp.full(7, 0.1)
assert jnp.isclose(jnp.sum(total), 0.7)
```

See https://docs.jax.dev/en/latest/_autosummary/jax.numpy.isclose.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.numbers import ROUNDED, rounds
from ..facts.trace_events import Operation
from ..facts.traced_values import ARRAY, Traced

rule = LintRule(__name__, "NJ847")


@rule.on(Operation)
def check(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    if event.operator not in ("Eq", "NotEq") or not isinstance(event.node, ast.Compare) or len(event.node.ops) != 1:
        return
    nodes = event.node.left, event.node.comparators[0]
    for (computed, node), number in (((event.left, nodes[0]), event.right), ((event.right, nodes[1]), event.left)):
        if computed.kind == ARRAY and (rounds(node) or computed.name == ROUNDED) and inexact(number):
            yield event.node, f"rounding makes this differ from {number.constant}; use `jnp.isclose`"


def inexact(number: Traced) -> bool:
    """Whether a literal has a fraction that no float has exactly."""
    value = number.constant
    return isinstance(value, float) and value == value and abs(value) < 2**20 and (value * 2**20) % 1 != 0
