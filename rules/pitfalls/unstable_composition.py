"""A logarithm of a function that underflows: `log(softmax(x))`, `log(sum(exp(x)))`, `log(sigmoid(x))`.

The inner function is 0 for large negative numbers, and its logarithm is -inf; or `exp` overflows. Use `jax.nn.log_softmax`,
`jax.nn.logsumexp` and `jax.nn.log_sigmoid`.

```python
import jax
import jax.numpy as jnp

x = jnp.array([0.0, 200.0])
assert jnp.isfinite(jnp.log(jax.nn.softmax(x))).all()
```

Right:

```python
import jax
import jax.numpy as jnp

x = jnp.array([0.0, 200.0])
assert jnp.isfinite(jax.nn.log_softmax(x)).all()
```

See https://docs.jax.dev/en/latest/_autosummary/jax.nn.log_softmax.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..facts.traced_values import ARRAY

rule = LintRule(__name__, "NJ844")
INSTEAD = {"softmax": "jax.nn.log_softmax", "sigmoid": "jax.nn.log_sigmoid"}


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name != "jax.numpy.log" or len(event.args) != 1 or event.args[0].kind != ARRAY:
        return
    inner = event.args[0].what
    if inner == "sum of exp":
        yield event.node, "`exp` overflows before the logarithm is taken; use `jax.nn.logsumexp`"
    elif isinstance(inner, str) and inner in INSTEAD:
        yield event.node, f"the logarithm of `{inner}` is -inf where `{inner}` underflows; use `{INSTEAD[inner]}`"
