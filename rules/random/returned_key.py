"""A function that seeds NumPy's global random state for its callers.

NumPy has one global state, whereas a key must be passed. The function returns its key with its results, and the caller
continues with it. A constructor stores the key in the object, where the caller reads it. A caller that draws nothing afterwards
ignores it.

```python
import numpy as np


def start(n: int, seed: int):
    np.random.seed(seed)
    return np.random.normal(size=n)


def walk(n: int, seed: int):
    position = start(n, seed)
    return position + np.random.normal(size=n)
```

becomes

```python
import functools

import jax


@functools.partial(jax.jit, static_argnames="n")
def start(n: int, seed: int):
    key = jax.random.key(seed)
    key, normal_key = jax.random.split(key)
    return jax.random.normal(normal_key, (n,)), key


@functools.partial(jax.jit, static_argnames="n")
def walk(n: int, seed: int):
    position, key = start(n, seed)
    return position + jax.random.normal(key, (n,))
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.function_plan import FunctionPlan
from .unused_keys import leaves, unpacked, without_key

rule = Rule(__name__, "NJ305", for_numpy_code=True)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is None or plan.refused or not plan.random.gives:
        return
    message = f"`{plan.name.rpartition('.')[2]}` seeds NumPy's random state: it returns the key"
    if leaves(node, plan, ctx) and ctx.plan.refused and ctx.host.requires_host(plan.name):
        short = plan.name.rpartition(".")[2]
        yield Finding(
            node, f"`{short}` seeds NumPy's random state for a function that stays NumPy", blocks=True, refuses=plan.name
        )
    elif leaves(node, plan, ctx):
        yield from _left(node, plan, ctx, message)
    elif ctx.plan.refused or not ctx.random.seeds(node) or ctx.random.passes_on_key(node):
        return
    elif plan.random.keeps:
        yield from _from_object(node, plan, ctx, message)
    else:
        yield from _taken(node, plan, ctx, message)


def _left(node: cst.Call, plan: FunctionPlan, ctx: Context, message: str) -> Iterator[Finding]:
    """A call whose key nothing reads."""
    if (target := unpacked(node, plan, ctx)) is not None:

        def longer(made: cst.Tuple) -> cst.Tuple:
            return made.with_changes(elements=[*made.elements, cst.Element(cst.Name("_"))])

        yield Finding(node, message, {target: longer})
    elif (
        node.args or not plan.random.key or (ctx.plan.refused and plan.inputs.shell.key)
    ):  # else the rule that passes it a key does both
        yield Finding(node, message, {node: lambda made: without_key(made, plan)})


def _taken(node: cst.Call, plan: FunctionPlan, ctx: Context, message: str) -> Iterator[Finding]:
    """`a, b, key = f()`."""
    statement, key = ctx.parent(node), ctx.random.key_name
    if isinstance(statement, cst.Expr):
        target: cst.BaseAssignTargetExpression = cst.Name(key)
        if plan.results:
            rest = "_" if plan.results == 1 else "*_"
            target = cst.ensure_type(cst.parse_expression(f"{rest}, {key}"), cst.Tuple)
        yield Finding(node, message, {statement: lambda made: cst.Assign([cst.AssignTarget(target)], made.value)})
        return
    if (several := unpacked(node, plan, ctx)) is not None:

        def longer(made: cst.Tuple) -> cst.Tuple:
            return made.with_changes(elements=[*made.elements, cst.Element(cst.Name(key))])

        yield Finding(node, message, {several: longer})
        return
    assert isinstance(statement, cst.Assign)
    if plan.results > 1:
        name = cst.Module([]).code_for_node(statement.targets[0].target)
        line = f"{name}, {key} = {name}[:-1], {name}[-1]"
        yield Finding(node, message, after=lambda: [cst.parse_statement(line)])
        return

    def edit(made: cst.Assign) -> cst.Assign:
        whole = made.targets[0].target
        if isinstance(whole, cst.Tuple) and not whole.lpar:
            whole = whole.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        pair = cst.Tuple([cst.Element(whole), cst.Element(cst.Name(key))], lpar=[], rpar=[])
        return made.with_changes(targets=[cst.AssignTarget(pair)])

    yield Finding(node, message, {statement: edit})


def _from_object(node: cst.Call, plan: FunctionPlan, ctx: Context, message: str) -> Iterator[Finding]:
    """`key = obj.key` after a constructor."""
    statement = ctx.parent(node)
    if isinstance(statement, cst.Assign):
        owner = cst.Module([]).code_for_node(statement.targets[0].target)
    elif isinstance(node.func, cst.Attribute) and ctx.random.is_base(node):
        owner = ctx.unit.self_name
    else:
        assert statement is not None
        target = cst.AssignTarget(cst.Name(ctx.random.key_name))
        attribute = cst.Name(plan.random.keeps)
        yield Finding(node, message, {statement: lambda made: cst.Assign([target], cst.Attribute(made.value, attribute))})
        return
    line = f"{ctx.random.key_name} = {owner}.{plan.random.keeps}"
    yield Finding(node, message, after=lambda: [cst.parse_statement(line)])


@rule.on(cst.FunctionDef)
def constructor(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """A constructor that seeds the state stores the key in the object."""
    plan = ctx.plan
    if node is not ctx.unit.definition or plan.refused or not plan.random.keeps or ctx.random.passes_on_key():
        return

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        body = cst.ensure_type(made.body, cst.IndentedBlock)
        store = _store(ctx)
        match body.body[-1]:
            case (
                cst.SimpleStatementLine(
                    body=[*others, cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
                ) as last
            ) if name == ctx.random.key_name:
                whole = [*body.body[:-1], last.with_changes(body=[*others, store.with_changes(value=value)])]
            case _:
                whole = [*body.body, cst.SimpleStatementLine([store])]
        return made.with_changes(body=body.with_changes(body=whole))

    if ctx.flow.falls_through(node.body):
        yield Finding(node, "it seeds NumPy's random state for its callers: the object stores the key", {node: edit})


@rule.on(cst.Return)
def early(node: cst.Return, ctx: Context) -> Iterator[Finding]:
    """A `return` in such a constructor."""
    if ctx.plan.refused or not ctx.plan.random.keeps or ctx.random.passes_on_key() or not ctx.flow.ends_unit(node):
        return
    yield Finding(
        node,
        "it seeds NumPy's random state for its callers: the object stores the key",
        {node: lambda made: cst.FlattenSentinel([_store(ctx), made])},
    )


def _store(ctx: Context) -> cst.Assign:
    target = cst.Attribute(cst.Name(ctx.unit.self_name), cst.Name(ctx.plan.random.keeps))
    return cst.Assign([cst.AssignTarget(target)], cst.Name(ctx.random.key_name))
