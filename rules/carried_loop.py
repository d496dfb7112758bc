"""A loop whose turns depend on the turns before them.

The body becomes a function of what it carries, and JAX compiles it once: `lax.fori_loop` where the turns are counted,
`lax.scan` over the rows of an array, `lax.while_loop` where a condition ends it. What the turns only read is closed over.

```python
import numpy as np


def recurrence(x: np.ndarray, decay):
    y = np.zeros_like(x)
    for i in range(1, x.shape[0]):
        y[i] = decay * y[i - 1] + x[i]
    return y
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def recurrence(x: jax.Array, decay):
    y = jnp.zeros_like(x)

    def update_y(i, y):
        return y.at[i].set(decay * y[i - 1] + x[i])

    y = lax.fori_loop(1, x.shape[0], update_y, y)
    return y
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from . import functional, loop_ranges
from .context import Context, Loop
from .model import Finding, Statement
from .registry import Rule

rule = Rule(__name__, "NJ401", optional=True)


@rule.on(cst.For)
def counted(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for i in range(...)`: `lax.fori_loop`."""
    found = ctx.loop(node)
    if found is None or found.form != "range" or not isinstance(node.target, cst.Name):
        return
    fori, imports = ctx.name_of("jax.lax.fori_loop")
    name = ctx.local(*names_of_step(found, node.target.value))
    target = node.target.value
    plain = loop_ranges.unit(node.iter)
    counter = cst.Name(target if plain else ctx.local("k", "turn"))
    if plain and target not in read(node.body):
        counter = cst.Name("_")

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        turns = loop_ranges.turns(made.iter, counter)
        first = [] if turns.index is None else [assigned(target, turns.index)]
        function = step(name, [counter.value, carried_as(found.carry)], [*unpacked(found.carry), *first], made.body, found.carry)
        call = functional.call(functional.dotted(fori), turns.low, turns.high, cst.Name(name), functional.tuple_of(found.carry))
        lines: list[Statement] = [function, result(found.carry, call)]
        if found.index_after:
            lines.append(assigned(target, turns.last))
        return placed(made, lines, ctx.first_in_block(node))

    yield Finding(node, f"each turn goes on from the last: {shown(found)}", {node: edit}, imports)


@rule.on(cst.For)
def rows(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for x in xs`: `lax.scan`."""
    found = ctx.loop(node)
    if found is None or found.form != "rows":
        return
    scan, imports = ctx.name_of("jax.lax.scan")
    target = node.target.value if isinstance(node.target, cst.Name) else ctx.local("row")
    name = ctx.local(*names_of_step(found, target))
    simple = isinstance(node.target, cst.Name)

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        first: list[cst.BaseStatement] = (
            [] if simple else [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(made.target)], cst.Name(target))])]
        )
        function = step(
            name,
            [carried_as(found.carry), target],
            [*unpacked(found.carry), *first],
            made.body,
            found.carry,
            cst.Name("None"),
        )
        call = functional.call(functional.dotted(scan), cst.Name(name), functional.tuple_of(found.carry), made.iter)
        return placed(made, [function, result(found.carry, call, "_")], ctx.first_in_block(node))

    yield Finding(node, f"each turn takes a row, and goes on from the last: {shown(found)}", {node: edit}, imports)


@rule.on(cst.While)
def conditional(node: cst.While, ctx: Context) -> Iterator[Finding]:
    """`while test`: `lax.while_loop`."""
    found = ctx.loop(node)
    if found is None:
        return
    loop, imports = ctx.name_of("jax.lax.while_loop")
    test, name = ctx.local("running"), ctx.local(*names_of_step(found, ""))
    carried = carried_as(found.carry)
    truth = is_truth(node.test, ctx)

    def edit(made: cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        condition = (
            made.test
            if truth
            else cst.Comparison(functional.operand(made.test), [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])
        )
        asked = cst.SimpleStatementLine([cst.Return(functional.bare(condition))])
        running = defined(test, [carried], [*unpacked(found.carry), asked])
        function = step(name, [carried], unpacked(found.carry), made.body, found.carry)
        call = functional.call(functional.dotted(loop), cst.Name(test), cst.Name(name), functional.tuple_of(found.carry))
        lines: list[Statement] = [running, apart(function), result(found.carry, call)]
        return placed(made, lines, ctx.first_in_block(node))

    yield Finding(node, f"a condition ends the loop: {shown(found)}", {node: edit}, imports)


# --- parts ---------------------------------------------------------------------------------------------------------------


def shown(found: Loop) -> str:
    names = ", ".join(f"`{name}`" for name in found.carry)
    return f"{names} {'is' if len(found.carry) == 1 else 'are'} carried"


def names_of_step(found: Loop, index: str) -> tuple[str, ...]:
    """What the function of a turn may be called, best first."""
    first = f"update_{found.carry[0]}" if len(found.carry) == 1 else "step"
    return (first, f"{first}_{index}") if index.isidentifier() and index != "_" else (first,)


def read(body: cst.BaseSuite) -> set[str]:
    return functional.names(body)


def is_truth(test: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a condition is a bool already."""
    if isinstance(test, (cst.Comparison, cst.BooleanOperation)) or ctx.value(test).dtype in ("bool", "bool_"):
        return True
    return isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)


def carried_as(carry: Sequence[str]) -> str:
    return carry[0] if len(carry) == 1 else "carry"


def unpacked(carry: Sequence[str]) -> list[cst.SimpleStatementLine]:
    """`a, b = carry`."""
    if len(carry) == 1:
        return []
    targets = cst.Tuple([cst.Element(cst.Name(n)) for n in carry], lpar=[], rpar=[])
    return [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(targets)], cst.Name("carry"))])]


def assigned(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], value)])


def result(carry: Sequence[str], call: cst.BaseExpression, *more: str) -> cst.SimpleStatementLine:
    """The statement that runs the loop."""
    carried: cst.BaseExpression = functional.tuple_of(carry)
    if isinstance(carried, cst.Tuple) and not more:
        carried = carried.with_changes(lpar=[], rpar=[])
    if more:
        carried = cst.Tuple([cst.Element(carried), *(cst.Element(cst.Name(n)) for n in more)], lpar=[], rpar=[])
    assert isinstance(carried, (cst.Name, cst.Tuple))
    line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(carried)], call)])
    return line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def step(
    name: str,
    params: Sequence[str],
    first: Sequence[cst.BaseStatement],
    body: cst.BaseSuite,
    carry: Sequence[str],
    output: cst.BaseExpression | None = None,
) -> cst.FunctionDef:
    """The function of a turn: it binds what it carries, does what the loop did, and returns what is carried."""
    lines = functional.lines(body)
    if first and isinstance(lines[0], cst.FunctionDef):
        lines[0] = lines[0].with_changes(leading_lines=[cst.EmptyLine(indent=False), *lines[0].leading_lines])
    returned: cst.BaseExpression = functional.tuple_of(carry)
    last = lines[-1]
    if len(carry) == 1 and output is None and isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1:
        match last.body[0]:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=value) if bound == carry[0]:
                return defined(name, params, [*first, *lines[:-1], last.with_changes(body=[cst.Return(value)])])
    if output is not None:
        returned = cst.Tuple([cst.Element(returned), cst.Element(output)])
    if isinstance(returned, cst.Tuple):
        returned = returned.with_changes(lpar=[], rpar=[])
    return defined(name, params, [*first, *lines, cst.SimpleStatementLine([cst.Return(returned)])])


def defined(name: str, params: Sequence[str], body: Sequence[cst.BaseStatement]) -> cst.FunctionDef:
    parameters = cst.Parameters([cst.Param(cst.Name(p)) for p in params])
    return cst.FunctionDef(cst.Name(name), parameters, cst.IndentedBlock(body))


def apart(statement: cst.FunctionDef) -> cst.FunctionDef:
    """With an empty line before it."""
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def placed(made: cst.For | cst.While, lines: list[Statement], first: bool) -> cst.FlattenSentinel[cst.BaseStatement]:
    """The statements in the place of the loop: its comments above, and an empty line before a function."""
    leading = list(made.leading_lines)
    if not first and not any(line.comment is None for line in leading[:1]):
        leading.insert(0, cst.EmptyLine(indent=False))
    return cst.FlattenSentinel([lines[0].with_changes(leading_lines=leading), *lines[1:]])
