"""Calls whose arguments are other ones in `jax.numpy`.

Arguments without a meaning in JAX go, others are renamed or become keywords; lists become arrays where JAX takes arrays only;
the result is cast where its dtype would be another one. What cannot be said in JAX keeps the function as it was.

```python
import numpy as np


def middle(x, order):
    flat = np.ravel(x, order="C")
    return np.sort(flat, kind="stable")[len(flat) // 2] + np.dot(x[0], [1.0, 2.0])
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def middle(x, order):
    flat = jnp.ravel(x, order="C")
    return jnp.sort(flat)[len(flat) // 2] + jnp.dot(x[0], jnp.array([1.0, 2.0]))
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from . import functional, numpy_table
from .adapt import Adaptation, adaptation, adapted
from .context import Context
from .model import Finding, Kind
from .numpy_table.entry import Entry, Verdict
from .registry import Rule

rule = Rule(__name__, "NJ103")


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node.func) or ""
    if not name.startswith("numpy."):
        return
    entry = numpy_table.function(name) or numpy_table.ufunc_method(name)
    if entry is None or entry.verdict in (Verdict.HOST, Verdict.REFUSED) or entry.kind == "dtype" or ctx.on_host(node):
        return
    if ctx.updates(node) or ctx.updates(ctx.statement(node)) and _has_output(node, entry):
        return  # the rules on output arguments write it
    plan = adaptation(node, name, entry, ctx)
    if plan.problem:
        yield Finding(node, plan.problem, blocks=True)
    elif entry.verdict is Verdict.EXPRESSION:
        yield from _expression(node, name, entry, plan, ctx)
    elif plan.changes:
        yield Finding(node, f"`{name}` takes other arguments in JAX", {node: lambda made: adapted(made, plan)}, frozenset(plan.imports))


def _has_output(node: cst.Call, entry: Entry) -> bool:
    return any(a.keyword is not None and a.keyword.value == "out" for a in node.args)


def _expression(node: cst.Call, name: str, entry: Entry, plan: Adaptation, ctx: Context) -> Iterator[Finding]:
    given = {parameter: position for parameter, position in plan.bound.items() if position not in plan.dropped}
    wanted = set(re.findall(r"{(\w+)}", entry.target))
    missing = wanted - given.keys() - entry.defaults.keys()
    if missing or set(given) - wanted:
        what = ", ".join(sorted(missing or set(given) - wanted))
        yield Finding(node, f"`{name}` cannot be written for JAX with these arguments ({what})", blocks=True)
        return
    imports = set(plan.imports)
    for module in re.findall(r"\b(jnp|jax)\.", entry.target):
        imports |= ctx.name_of("jax.numpy.asarray" if module == "jnp" else "jax.jit")[1]

    def edit(made: cst.Call) -> cst.BaseExpression:
        done = adapted(made, plan)
        parts = {
            parameter: _argument(made, plan, position) for parameter, position in given.items()
        }
        parts |= {p: functional.dotted(source) for p, source in entry.defaults.items() if p not in parts}
        assert done is not None
        return filled(entry.target, parts, ctx)

    yield Finding(node, f"`{name}` is written otherwise in JAX", {node: edit}, frozenset(imports))


def _argument(made: cst.Call, plan: Adaptation, position: int) -> cst.BaseExpression:
    value = functional.bare(made.args[position].value)
    for build in plan.builds.get(position, ()):
        value = build(value)
    return value


def filled(template: str, parts: dict[str, cst.BaseExpression], ctx: Context) -> cst.BaseExpression:
    """A template of the table with its arguments."""
    stand_in = {name: f"_np2jax_{name}_" for name in parts}
    text = re.sub(r"{(\w+)}", lambda m: stand_in[m[1]], template)
    text = re.sub(r"\bjnp\.", ctx.name_of("jax.numpy.x")[0].rpartition(".")[0] + ".", text)
    tree = cst.parse_expression(text)
    for name, node in parts.items():
        tree = _replaced(tree, stand_in[name], node)
    return tree


class _Fill(cst.CSTTransformer):
    def __init__(self, name: str, node: cst.BaseExpression) -> None:
        super().__init__()
        self.name, self.node = name, node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.node.deep_clone() if original_node.value == self.name else updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(value=functional.operand(updated_node.value))


def _replaced(tree: cst.BaseExpression, name: str, node: cst.BaseExpression) -> cst.BaseExpression:
    made = tree.visit(_Fill(name, node))
    assert isinstance(made, cst.BaseExpression)
    return made


__all__ = ["Kind", "check", "filled", "rule"]
