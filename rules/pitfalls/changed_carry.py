"""The body of a `lax` loop returns a carry of another structure or size than it gets.

The carry keeps its structure and its shapes, or the loop raises TypeError: a tuple of two stays one of two, and an array cannot grow.
`scan` needs a pair: the carry, and what to collect.

```python
import jax.numpy as jnp
from jax import lax


def step(carry, x):
    total, count = carry
    return total + x, x


lax.scan(step, (0.0, 0), jnp.ones(3))
```

Right:

```python
import jax.numpy as jnp
from jax import lax


def step(carry, x):
    total, count = carry
    return (total + x, count + 1), x


lax.scan(step, (0.0, 0), jnp.ones(3))
```

See https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Carry
from ..facts.traced_values import ARRAY, DICT, LIST, TUPLE

rule = LintRule(__name__, "NJ863")


@rule.on(Carry)
def check(event: Carry) -> Iterator[tuple[ast.AST, str]]:
    taken, returned = event.taken, event.returned
    if event.grows:
        yield event.node, "the carry grows in each iteration; let it have its final size, and set its elements"
        return
    if event.name == "jax.lax.scan":
        if returned.kind == ARRAY or (returned.kind == TUPLE and returned.items is not None and len(returned.items) != 2):
            yield event.node, "the body of `scan` returns a pair: the carry, and what to collect"
            return
        if returned.kind != TUPLE or returned.items is None:
            return
        returned = returned.items[0]
    known = (TUPLE, LIST, DICT, ARRAY)
    if taken.kind not in known or returned.kind not in known:
        return
    if taken.kind != returned.kind:
        yield event.node, f"the carry is {named(taken.kind)}, and the body returns {named(returned.kind)} for it"
    elif taken.items is not None and returned.items is not None and len(taken.items) != len(returned.items):
        yield event.node, f"the carry has {len(taken.items)} parts, and the body returns {len(returned.items)} for it"


def named(kind: str) -> str:
    return f"an {kind}" if kind == ARRAY else f"a {kind}"
