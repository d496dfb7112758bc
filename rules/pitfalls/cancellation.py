"""The variance as the mean of the squares minus the square of the mean.

For numbers far from zero both are large and nearly equal. float32 has seven digits, of which the difference loses most: it is 0, or
negative. Use `jnp.var`, or the mean of `(x - jnp.mean(x)) ** 2`.

```python
import jax.numpy as jnp

x = jnp.array([10000.0, 10001.0, 10002.0])
variance = jnp.mean(x**2) - jnp.mean(x) ** 2
assert abs(variance - 2 / 3) < 1e-3
```

Right:

```python
import jax.numpy as jnp

x = jnp.array([10000.0, 10001.0, 10002.0])
variance = jnp.var(x)
assert abs(variance - 2 / 3) < 1e-3
```

See https://docs.jax.dev/en/latest/_autosummary/jax.numpy.var.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.numbers import Mean
from ..facts.trace_events import Operation

rule = LintRule(__name__, "NJ845")


@rule.on(Operation)
def check(event: Operation) -> Iterator[tuple[ast.AST, str]]:
    squares, square = event.left.what, event.right.what
    if event.operator != "Sub" or event.where.precise or not isinstance(squares, Mean) or not isinstance(square, Mean):
        return
    if squares.power == 2 and square.squared and squares._replace(power=1) == square._replace(squared=False):
        yield event.node, "this difference of two nearly equal numbers loses their digits, and may be negative; use `jnp.var`"
