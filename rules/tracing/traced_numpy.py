"""A function of NumPy gets a traced value.

NumPy needs the numbers, which a tracer does not have: it raises TracerArrayConversionError. Use the function of `jax.numpy`.

```python
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def norm(x):
    return np.sqrt(jnp.sum(x**2))


norm(jnp.ones(3))
```

Right:

```python
import jax
import jax.numpy as jnp


@jax.jit
def norm(x):
    return jnp.sqrt(jnp.sum(x**2))


norm(jnp.ones(3))
```

See https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerArrayConversionError
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..core.lint_rules import LintRule
from ..facts.trace_events import Call
from ..facts.traced_values import ARRAY, LIST, TUPLE, Traced
from ..jax_table.host_functions import DUCK_TYPED

rule = LintRule(__name__, "NJ803")
REDUCTIONS = frozenset("sum prod mean std var max min amax amin any all argmax argmin argsort cumsum cumprod".split())


@rule.on(Call)
def check(event: Call) -> Iterator[tuple[ast.AST, str]]:
    if not event.name.startswith(("numpy.", "scipy.")) or event.name.startswith("numpy.random."):
        return
    last = event.name.rpartition(".")[2]
    if last in DUCK_TYPED and event.name.count(".") == 1 and not (last in REDUCTIONS and is_sequence(event.args)):
        return
    if any(value.has_traced for value in (*event.args, *event.keywords.values())):
        hint = f"use `jnp.{last}`" if event.name.startswith("numpy.") else "use the function of `jax.scipy`"
        yield event.node, f"`{event.name}` of a traced value; {hint}: `{event.where.transform}` traces this code"


def is_sequence(args: Sequence[Traced]) -> bool:
    """Whether a function gets a list of traced arrays, which NumPy would make an array of."""
    return (
        bool(args) and args[0].kind in (LIST, TUPLE) and any(item.kind == ARRAY and item.traced for item in args[0].items or ())
    )
