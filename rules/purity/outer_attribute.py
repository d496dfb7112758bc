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
from ..facts.traced_values import CLASS, INSTANCE, TREE, UNKNOWN

rule = LintRule(__name__, "NJ814")
STATEFUL = frozenset({"flax.linen.Module", "haiku.Module"})  # their variables are changed on purpose


@rule.on(Mutation)
def check(event: Mutation) -> Iterator[tuple[ast.AST, str]]:
    if event.how not in ("attribute", "part"):
        return
    if event.how == "attribute" and is_frozen(event):
        yield (
            event.node,
            f"assigns to `.{event.name}` of an object of `{event.base.what.name}`, which cannot change; make a new one",
        )
        return
    if event.base.kind not in (INSTANCE, CLASS) or event.base.level >= event.where.level:
        return
    if not event.where.staged and not event.value.has_traced:
        return  # `vmap` and `grad` by themselves run the code in each call
    if event.how == "part" and event.base.what.every_base() & STATEFUL:
        return
    if event.where.transform.startswith(("jax.", "equinox.")):
        yield (
            event.node,
            f"{'changes' if isinstance(event.node, ast.Subscript) else 'assigns to'} `.{event.name}` of an object from outside of the code that `{event.where.transform}` traces: it happens "
            "once, not in each call",
        )


def is_frozen(event: Mutation) -> bool:
    """Whether the assignment raises. What a method of the object assigns may belong to its constructor."""
    base = event.base
    if base.kind not in (INSTANCE, TREE, UNKNOWN) or not hasattr(base.what, "frozen"):
        return False
    frozen = base.what.frozen()
    match event.node:
        case ast.Attribute(value=ast.Name(id="self")):
            return event.where.function == "__call__" and (frozen or "flax.linen.Module" in base.what.every_base())
        case _ if not frozen:
            return False
        case ast.Attribute(value=ast.Name()):
            return event.where.function not in ("__init__", "__new__", "__post_init__", "__setattr__", "__setstate__")
    return False
