"""A root of a sum of squares in differentiated code: its derivative is NaN at zero.

The derivative of `sqrt` is infinite at 0, and times the derivative of the squares, which is 0, it is NaN. So is that of `norm`. Add a small
number, or guard the argument with `jnp.where`. Off by default: the argument may never be zero.

```python
import jax
import jax.numpy as jnp


def length(x):
    return jnp.sqrt(jnp.sum(x**2))


assert jnp.isfinite(jax.grad(length)(jnp.zeros(3))).all()
```

Right:

```python
import jax
import jax.numpy as jnp


def length(x):
    return jnp.sqrt(jnp.sum(x**2) + 1e-12)


assert jnp.isfinite(jax.grad(length)(jnp.zeros(3))).all()
```

See https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call

rule = LintRule(__name__, "NJ842", default=False)


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if not event.where.differentiated or not event.args or not event.args[0].traced:
        return
    if event.name == "jax.numpy.linalg.norm":
        yield (
            event.node,
            "the derivative of `norm` is NaN at zero; guard it with `jnp.where`, or add a small number to the squares",
        )
    elif event.name == "jax.numpy.sqrt" and isinstance(event.node.args[0], ast.Call):
        function = event.node.args[0].func
        if isinstance(function, ast.Attribute) and function.attr == "sum":
            yield event.node, "the derivative of `sqrt` is infinite at zero; add a small number to the sum"
