"""A call in a Python loop that replaces one of its own arguments: the argument is donated, so JAX reuses its memory.

Without donation, each iteration copies the array to change a few elements. JAX deletes a donated array, so nothing else may use
it: the variable holds an array that was created for it and never passed to anyone. Other calls use the function as before; a
private function with no other caller (`_step`) declares the donation itself.

Arrays from parameters and attributes (`self.u`) may have other owners, and are not donated. To donate them anyway, add
`donate_argnames` by hand. To switch donation off, ignore NJ505; a comment that ignores NJ505 or NJ501 switches it off for its
file.

```python
import numpy as np


def step(u, rate):
    u[1:-1] += rate * (u[:-2] - 2 * u[1:-1] + u[2:])


def main():
    u = np.linspace(0.0, 1.0, 1001) ** 2
    for t in range(100):
        step(u, 0.25)
        print(t, u[500])
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def step(u, rate):
    u = u.at[1:-1].add(rate * (u[:-2] - 2 * u[1:-1] + u[2:]))
    return u


step_in_place = jax.jit(step, donate_argnames="u")  # deletes the `u` that it is given


def main():
    u = jnp.linspace(0.0, 1.0, 1001) ** 2
    for t in range(100):
        u = step_in_place(u, 0.25)
        print(t, u[500])
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ505", optional=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is not None and (name := ctx.calls.donating(node)):
        message = (
            f"`{plan.name.rpartition('.')[2]}` may overwrite {_listed(plan.donation.donating)}, which the result is bound to"
        )
        yield Finding(node.func, message, {node.func: lambda made: cst.Name(name)})


@rule.on(cst.FunctionDef)
def second_name(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition:
        return
    if given := ctx.plan.donation.donates:
        yield Finding(node, f"every call of `{node.name.value}` may overwrite {_listed(given)}", {node: lambda made: made})
    if not (name := ctx.calls.second_name):
        return
    jit, imports = ctx.names.name_of("jax.jit")
    static = f", static_argnames={builders.quoted(ctx.plan.static_args)}" if ctx.plan.static_args else ""
    call = f"{jit}({node.name.value}{static}, donate_argnames={builders.quoted(ctx.plan.donation.donating)})"
    text = f"{name} = {call}  # deletes the {_listed(ctx.plan.donation.donating)} that it is given\n"

    def line() -> list[Statement]:
        made = cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
        return [made.with_changes(leading_lines=[cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)])]

    yield Finding(
        node, f"calls of `{node.name.value}` may overwrite {_listed(ctx.plan.donation.donating)}", imports=imports, after=line
    )


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(f"`{name}`" for name in names)
