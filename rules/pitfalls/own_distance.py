"""A root of the distances between points and themselves, in differentiated code: the derivative is NaN.

The difference of each point to itself is zero, where the derivative of the root is infinite: times zero it is NaN, and so are all
derivatives of the sum, also if the diagonal is masked afterwards. Add a small number below the root, or guard its argument with
`jnp.where`. NJ842 reports other roots that may be of zero.

```python
import jax
import jax.numpy as jnp


def energy(x):
    distances = jnp.sqrt(jnp.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return jnp.sum(distances)


assert jnp.isfinite(jax.grad(energy)(jnp.eye(3))).all()
```

Right:

```python
import jax
import jax.numpy as jnp


def energy(x):
    squares = jnp.sum((x[:, None] - x[None]) ** 2, axis=-1)
    distances = jnp.sqrt(jnp.where(squares > 0, squares, 1.0))
    return jnp.sum(jnp.where(squares > 0, distances, 0.0))


assert jnp.isfinite(jax.grad(energy)(jnp.eye(3))).all()
```

See https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.numbers import OWN
from ..facts.trace_events import Call, Operation

rule = LintRule(__name__, "NJ849")
MESSAGE = (
    "each point is at distance zero from itself, where the derivative is NaN; add a small number, or guard it with `jnp.where`"
)


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    value = event.args[0] if event.args else None
    if value is None or not event.where.differentiated or not value.traced or value.what != OWN:
        return
    of_rows = event.name == "jax.numpy.linalg.norm" and ("axis" in event.keywords or len(event.args) > 2)
    if event.name == "jax.numpy.sqrt" or of_rows:
        yield event.node, MESSAGE


@rule.on(Operation)
def check_power(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    if event.operator == "Pow" and event.where.differentiated and event.left.traced and event.left.what == OWN:
        if isinstance(event.right.constant, float) and 0 < event.right.constant < 1:
            yield event.node, MESSAGE
