"""A traced value is converted to a Python number.

`float()`, `int()`, `complex()`, `.item()`, `.tolist()` and the functions of `math` need a value, which a tracer does not have: they raise
ConcretizationTypeError. Keep the array of rank 0, cast it with `astype`, and use the functions of `jax.numpy`.

```python
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x):
    return x / float(x.max())


scaled(jnp.ones(3))
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def scaled(x):
    return x / x.max()


scaled(jnp.ones(3))
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..jax_table.array_functions import CONVERSIONS
from ..jax_table.host_functions import STATIC_MATH

rule = LintRule(__name__, "NJ802")
CASTS = frozenset({"float", "int", "complex", "operator.index"})


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    name = event.name
    where = f": `{event.where.transform}` traces this code"
    if name.startswith(".") and name[1:] in CONVERSIONS:
        failing = event.base.abstract or (event.base.traced and name != ".item")
        if failing:
            yield event.node, f"`{name}()` of a traced value; keep the array{where}"
    elif name in CASTS and event.args and event.args[0].traced and (event.args[0].abstract or name != "operator.index"):
        yield event.node, f"`{name}()` of a traced value; keep the array, or cast it with `astype`{where}"
    elif name.startswith("math.") and name not in STATIC_MATH and any(value.traced for value in event.args):
        yield event.node, f"`{name}` of a traced value; use `jnp.{name[5:]}`{where}"
