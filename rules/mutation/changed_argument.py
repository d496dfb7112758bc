"""A function that updates its arguments in place.

JAX arrays are immutable, so the function also returns the new arrays: after its own results, in the order of the parameters. An
array that the function returns anyway is returned once. Every call in the project rebinds its argument.

```python
import numpy as np


def push(position: np.ndarray, velocity, dt):
    step = velocity * dt
    position[:] = position + step
    return np.abs(step).max()
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def push(position: jax.Array, velocity, dt):
    step = velocity * dt
    position = jnp.full_like(position, position + step)
    return jnp.abs(step).max(), position
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..facts.function_plan import FunctionPlan
from ..syntax import builders

rule = Rule(__name__, "NJ210")


def appended(plan: FunctionPlan) -> list[str]:
    """The parameters to return after the function's own results, and the key if the function seeds the state for its callers."""
    already = {name for name, _position in plan.already}
    key = [plan.random.gives] if plan.random.gives and not plan.random.keeps else []
    return [p for p in plan.returns if p not in already] + key


def message(plan: FunctionPlan) -> str:
    if plan.random.gives:
        return "it seeds NumPy's random state for its callers: it returns the key"
    return f"{', '.join(f'`{n}`' for n in appended(plan))} is changed in place, and returned"


@rule.on(cst.Return)
def returned(node: cst.Return, ctx: Context) -> Iterator[Finding]:
    names = appended(ctx.plan)
    if not names or ctx.unit.definition is None or not ctx.flow.ends_unit(node):
        return

    def edit(made: cst.Return) -> cst.Return:
        elements: list[cst.Element | cst.StarredElement] = []
        if made.value is not None and ctx.plan.results:
            if ctx.plan.results > 1 and isinstance(made.value, cst.Tuple):
                elements = [cst.Element(e.value) for e in made.value.elements]
            elif ctx.plan.results > 1:
                elements = [cst.StarredElement(builders.operand(made.value))]
            else:
                elements = [cst.Element(enclosed(made.value) if isinstance(made.value, cst.Tuple) else builders.bare(made.value))]
        return value_of(made, [*elements, *(cst.Element(cst.Name(n)) for n in names)])

    yield Finding(node, message(ctx.plan), {node: edit})


def enclosed(value: cst.Tuple) -> cst.Tuple:
    """A tuple in parentheses."""
    return value if value.lpar else value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def value_of(made: cst.Return, elements: list[cst.Element | cst.StarredElement]) -> cst.Return:
    """`return a, b`; a single element does not become a tuple."""
    value: cst.BaseExpression = cst.Tuple(elements, lpar=[], rpar=[])
    if len(elements) == 1 and isinstance(elements[0], cst.Element):
        value = elements[0].value
    return made.with_changes(value=value, whitespace_after_return=cst.SimpleWhitespace(" "))


@rule.on(cst.FunctionDef)
def coerced(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """Convert parameters to JAX arrays.

    Without jit, a caller may pass a NumPy array, which has no `.at`; with jit, a list, which a traced index cannot subscript.
    """
    if node is not ctx.unit.definition or not ctx.host.coerced:
        return
    asarray, imports = ctx.names.name_of("jax.numpy.asarray")

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        lines = [cst.parse_statement(f"{name} = {asarray}({name})") for name in ctx.host.coerced]
        body = made.body
        assert isinstance(body, cst.IndentedBlock)
        at = 1 if made.get_docstring() is not None else 0
        after = list(body.body[at:])
        if after and isinstance(after[0], cst.FunctionDef) and not after[0].leading_lines:
            after[0] = after[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        return made.with_changes(body=body.with_changes(body=[*body.body[:at], *lines, *after]))

    why = "a sequence of numbers may be a list" if ctx.plan.jit else "an array that is changed may be a NumPy array"
    yield Finding(node, why, {node: edit}, imports)


@rule.on(cst.FunctionDef)
def annotated(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """The return annotation includes the updated arguments."""
    names = appended(ctx.plan)
    if node is not ctx.unit.definition or not names or node.returns is None:
        return
    array, imports = ctx.names.name_of("jax.Array")

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        assert made.returns is not None
        before = made.returns.annotation
        parts: list[cst.BaseExpression] = []
        match before:
            case cst.Name(value="None"):
                pass
            case cst.Subscript(value=cst.Name(value="tuple") | cst.Name(value="Tuple"), slice=elements) if (
                ctx.plan.results == len(elements)
            ):
                parts = [e.slice.value for e in elements if isinstance(e.slice, cst.Index)]
            case _:
                parts = [before]
        parts += [builders.dotted(array) for _ in names]
        whole = parts[0]
        if len(parts) > 1:
            elements = [cst.SubscriptElement(cst.Index(p)) for p in parts]
            whole = cst.Subscript(cst.Name("tuple"), builders.clean(elements))
        return made.with_changes(returns=made.returns.with_changes(annotation=whole))

    yield Finding(node, "the return annotation includes what is returned in addition", {node: edit}, imports)


@rule.on(cst.FunctionDef)
def falls_off(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    """A function whose end can be reached without a `return` gets one."""
    names = appended(ctx.plan)
    if node is not ctx.unit.definition or not names or not ctx.flow.falls_through(node.body):
        return

    def edit(made: cst.FunctionDef) -> cst.FunctionDef:
        if ctx.plan.random.gives and (short := returned_directly(made, names)) is not None:
            return short
        statement = cst.SimpleStatementLine([value_of(cst.Return(), [cst.Element(cst.Name(n)) for n in names])])
        if isinstance(made.body, cst.SimpleStatementSuite):
            lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in made.body.body]
            return made.with_changes(body=cst.IndentedBlock([*lines, statement]))
        return made.with_changes(body=made.body.with_changes(body=[*made.body.body, statement]))

    yield Finding(node, message(ctx.plan), {node: edit})


def returned_directly(made: cst.FunctionDef, names: list[str]) -> cst.FunctionDef | None:
    """Return the value directly if the last statement binds the one variable that is returned; None otherwise."""
    body = cst.ensure_type(made.body, cst.IndentedBlock)
    match body.body[-1]:
        case (
            cst.SimpleStatementLine(
                body=[*others, cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
            ) as last
        ) if names == [name]:
            line = last.with_changes(body=[*others, cst.Return(value)])
            return made.with_changes(body=body.with_changes(body=[*body.body[:-1], line]))
    return None
