"""The result of `x.at[i].set(v)` is thrown away.

`at` returns a new array and leaves `x` as it was, as do `jnp.sort(x)` and `optax.apply_updates(...)`. In compiled code, the functions of
`jax.numpy` do nothing but return their results.

```python
import jax.numpy as jnp

x = jnp.zeros(3)
x.at[0].set(1.0)
assert x[0] == 1.0
```

Right:

```python
import jax.numpy as jnp

x = jnp.zeros(3)
x = x.at[0].set(1.0)
assert x[0] == 1.0
```

See https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.diagnostic import Safety
from ..core.lint_rules import Finding, LintRule
from ..facts.trace_events import Discarded
from ..facts.traced_values import ARRAY, INSTANCE, TREE
from ..jax_table.array_functions import ARRAY_METHODS, LIKE_IN_PLACE
from ..jax_table.references import is_reference

rule = LintRule(__name__, "NJ819", safety=Safety.UNSAFE)
CHANGES = frozenset("set add subtract multiply divide power min max apply mul".split())
REPLACES = frozenset({"replace", "_replace"})
COMPUTING = ("jax.numpy.", "jax.nn.", "jax.scipy.")  # modules of functions that only compute


@rule.on(Discarded)
def check(event: Discarded) -> Iterator[Finding]:
    match event.node:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at")), attr=method)):
            if (
                method in CHANGES
                and not is_reference(array)
                and (event.value.name.startswith("at.") or event.value.kind == "unknown")
            ):
                message = f"the result is thrown away, and `{ast.unparse(array)}` stays as it was; bind it"
                yield (event.node, message, (array, " = ", event.node)) if isinstance(array, ast.Name) else (event.node, message)
        case ast.Call(func=ast.Attribute(value=base, attr=method), keywords=keywords) if not event.called:
            gradients = method == "apply_gradients" and any(keyword.arg == "grads" for keyword in keywords)
            if is_new(method, event) or (gradients and event.base.kind != INSTANCE):
                yield event.node, f"the result is thrown away, and `{ast.unparse(base)}` stays as it was; bind it"
        case ast.Call() if event.called in LIKE_IN_PLACE:
            yield (
                event.node,
                f"the result of `{event.called.rpartition('.')[2]}` is thrown away, and its arguments stay as they were; bind it",
            )
        case ast.Call() if event.called.startswith(COMPUTING) and event.value.abstract and event.value.kind == ARRAY:
            yield (
                event.node,
                f"the result of `{event.called.rpartition('.')[2]}` is thrown away, so that it has no effect; bind it",
            )


def is_new(method: str, event: Discarded) -> bool:
    """Whether a method returns a new object, and does nothing else."""
    base = event.base
    if method in REPLACES:
        return (base.kind == INSTANCE and base.what.frozen()) or (base.kind == TREE and base.traced)
    return method in ARRAY_METHODS and base.kind == ARRAY and (base.traced or base.floating)
