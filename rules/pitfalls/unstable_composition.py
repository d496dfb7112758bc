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

from ..core.diagnostic import Safety
from ..core.lint_rules import Edit, Finding, LintRule
from ..facts.trace_events import Call
from ..facts.traced_values import ARRAY

rule = LintRule(__name__, "NJ844", safety=Safety.UNSAFE)
INSTEAD = {"softmax": "jax.nn.log_softmax", "sigmoid": "jax.nn.log_sigmoid"}


@rule.on(Call)
def check(event: Call) -> Iterator[Finding]:
    if event.name != "jax.numpy.log" or len(event.args) != 1 or event.args[0].kind != ARRAY:
        return
    inner = event.args[0].what
    if inner == "sum of exp":
        yield event.node, "`exp` overflows before the logarithm is taken; use `jax.nn.logsumexp`"
    elif isinstance(inner, str) and inner in INSTEAD:
        message = f"the logarithm of `{inner}` is -inf where `{inner}` underflows; use `{INSTEAD[inner]}`"
        edit = combined(event.node.args[0], inner) if event.node.args else ()
        yield (event.node, message, edit) if edit else (event.node, message)


def combined(argument: ast.expr, name: str) -> Edit:
    """`jax.nn.log_softmax(x, axis=1)` for the argument `jax.nn.softmax(x, axis=1)`."""
    match argument:
        case ast.Call(func=ast.Attribute(value=module, attr=attr), args=[first], keywords=keywords) if attr == name:
            options = [part for keyword in keywords for part in (f", {keyword.arg}=", keyword.value)]
            return (module, f".log_{name}(", first, *options, ")") if all(keyword.arg for keyword in keywords) else ()
    return ()
