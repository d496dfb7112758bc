"""An attribute of an object is assigned in code that JAX traces.

The object is outside of the compiled code: it changes once, when JAX traces, and what it gets is a tracer, which leaks. Return the
new value, or make the object a pytree and return it.

```python
from functools import partial

import jax


class Counter:
    def __init__(self):
        self.total = 0.0

    @partial(jax.jit, static_argnums=0)
    def add(self, x):
        self.total = self.total + x
        return x


counter = Counter()
counter.add(1.0)
counter.add(2.0)
assert float(counter.total) == 3.0
```

Right:

```python
import jax


class Counter:
    def __init__(self):
        self.total = 0.0

    def add(self, x):
        self.total = added(self.total, x)
        return x


@jax.jit
def added(total, x):
    return total + x


counter = Counter()
counter.add(1.0)
counter.add(2.0)
assert float(counter.total) == 3.0
```

See https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Mutation
from ..facts.traced_values import CLASS, INSTANCE

rule = LintRule(__name__, "NJ814")


@rule.on(Mutation)
def check(event: Mutation) -> Iterator[tuple[ast.AST, str]]:
    if event.how != "attribute" or event.base.kind not in (INSTANCE, CLASS) or event.base.level >= event.where.level:
        return
    if event.where.transform.startswith(("jax.", "equinox.")):
        yield (
            event.node,
            f"assigns to `.{event.name}` of an object from outside of the code that `{event.where.transform}` traces: it happens "
            "once, not in each call",
        )
