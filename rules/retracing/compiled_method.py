"""`jit` of a method whose object is neither static nor a pytree.

`jit` traces `self` like any argument, and raises TypeError for an object of a class that is not registered as a pytree. Compile a function
of the arrays, register the class, or make `self` static if the object never changes.

```python
import jax


class Model:
    def __init__(self, weight):
        self.weight = weight

    @jax.jit
    def predict(self, x):
        return self.weight * x


Model(2.0).predict(3.0)
```

Right:

```python
import jax


class Model:
    def __init__(self, weight):
        self.weight = weight

    def predict(self, x):
        return predicted(self.weight, x)


@jax.jit
def predicted(weight, x):
    return weight * x


Model(2.0).predict(3.0)
```

See https://docs.jax.dev/en/latest/faq.html#how-to-use-jit-with-methods
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Definition

rule = LintRule(__name__, "NJ836")


@rule.on(Definition)
def check(event: Definition) -> Iterator[tuple[ast.AST, str]]:
    if not event.registered and not event.static:
        yield event.node, f"`jit` traces the object of the method `{event.name}`, whose class is not registered as a pytree"
