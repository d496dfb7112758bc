"""Assignment to an element of a JAX array.

Arrays of JAX cannot be changed: `x[i] = v` raises TypeError, in compiled code and outside of it. Use `x = x.at[i].set(v)`.

```python
import jax.numpy as jnp


def one_hot(i, n):
    x = jnp.zeros(n)
    x[i] = 1.0
    return x


one_hot(1, 3)
```

Right:

```python
import jax.numpy as jnp


def one_hot(i, n):
    x = jnp.zeros(n)
    return x.at[i].set(1.0)


one_hot(1, 3)
```

See https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html#in-place-updates
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..core.diagnostic import Safety
from ..core.lint_rules import Edit, Finding, LintRule
from ..facts.trace_events import Call, Mutation
from ..facts.traced_values import ARRAY, HOST

rule = LintRule(__name__, "NJ811", safety=Safety.SAFE)
METHODS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


@rule.on(Mutation)
def check(event: Mutation) -> Iterator[Finding]:
    if event.how in ("item", "delete") and event.base.kind == ARRAY and (event.base.traced or event.base.floating):
        message = "arrays of JAX cannot be changed in place; use `x = x.at[i].set(v)`"
        edit = rebound(event.statement)
        yield (event.statement, message, edit) if edit and event.statement else (event.node, message)
    elif event.how == "item" and event.base.kind == HOST and event.value.traced:
        yield (
            event.node,
            f"a NumPy array cannot hold a traced value; use `jnp` and `.at[i].set(v)`: `{event.where.transform}` traces this code",
        )


def rebound(statement: ast.stmt | None) -> Edit:
    """`x = x.at[i].set(v)` for `x[i] = v`, and the like for `x[i] += v`."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=index)], value=value):
            method = "set"
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=index), op=operator, value=value):
            method = METHODS.get(type(operator), "")
        case _:
            return ()
    if not method or isinstance(value, ast.Tuple | ast.Starred):
        return ()
    return f"{name} = {name}.at[", index, f"].{method}(", value, ")"


@rule.on(Call)
def check_fill(event: Call) -> Iterator[tuple[ast.AST, str]]:
    in_place = event.name in (".fill", ".put", ".itemset", ".resize", ".setflags", ".partition")
    if in_place and event.base.kind == ARRAY and (event.base.traced or event.base.floating):
        yield event.node, f"arrays of JAX cannot be changed in place, and have no `{event.name[1:]}`"
