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

rule = LintRule(__name__, "NJ844")
INSTEAD = {"softmax": "jax.nn.log_softmax", "sigmoid": "jax.nn.log_sigmoid"}


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if event.name != "jax.numpy.log" or len(event.node.args) != 1:
        return
    inner = event.node.args[0]
    if not isinstance(inner, ast.Call):
        return
    name = called(inner)
    if name in INSTEAD and event.args[0].kind == "array":
        yield event.node, f"the logarithm of `{name}` is -inf where `{name}` underflows; use `{INSTEAD[name]}`"
    elif name == "sum" and inner.args and isinstance(inner.args[0], ast.Call) and called(inner.args[0]) == "exp":
        argument = inner.args[0].args[0] if inner.args[0].args else None
        if not (isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Sub)):
            yield event.node, "`exp` overflows before the logarithm is taken; use `jax.nn.logsumexp`"


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
