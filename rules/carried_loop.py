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

from . import functional, indexed_rows, loop_ranges
from .context import Context, Loop
from .loop_exits import Turn
from .model import Edit, Finding, Kind, Statement
from .registry import Rule

rule = Rule(__name__, "NJ401", optional=True)


@rule.on(cst.For)
def counted(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for i in range(...)`: `lax.fori_loop`."""
    found = ctx.loop(node)
    if found is None or found.form != "range" or not isinstance(node.target, cst.Name) or found.exits.breaks:
        return
    fori, imports = ctx.name_of("jax.lax.fori_loop")
    name = ctx.local(*names_of_step(found, node.target.value))
    where, more = ctx.name_of("jax.numpy.where")
    imports = imports | more if (found.index_after and found.index_before) or found.exits.guards else imports
    target = node.target.value
    plain = loop_ranges.unit(node.iter)
    counter = cst.Name(target if plain else ctx.local("k", "turn"))
    if plain and target not in read(node.body):
        counter = cst.Name("_")
    turn = Turn(ctx, found, "", {})

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        turns = loop_ranges.turns(made.iter, counter)
        first = [] if turns.index is None else [assigned(target, turns.index)]
        body = turn.body(functional.lines(made.body))
        function = step(name, [counter.value, carried_as(found.carry)], [*unpacked(found.carry), *first], body, found.carry)
        call = functional.call(functional.dotted(fori), turns.low, turns.high, cst.Name(name), initial(found))
        lines: list[Statement] = [function, result(found.carry, call)]
        if found.index_after and found.index_before:
            any_turn = cst.Comparison(functional.operand(turns.high), [cst.ComparisonTarget(cst.GreaterThan(), turns.low)])
            chosen = functional.call(functional.dotted(where), any_turn, turns.last, cst.Name(target))
            lines.append(assigned(target, chosen))
        elif found.index_after:
            lines.append(assigned(target, turns.last))
        return placed(made, lines, ctx.first_in_block(node))

    edits: dict[cst.CSTNode, Edit] = {node: edit, **turn.edits()}
    yield Finding(node, f"each turn goes on from the last: {shown(found)}", edits, imports)


@rule.on(cst.For)
def rows(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for x in xs`: `lax.scan`; also over several arrays at once, counted, or from the last to the first."""
    found = ctx.loop(node)
    if found is None or found.form != "rows" or found.exits.breaks:
        return
    scan, imports = ctx.name_of("jax.lax.scan")
    simple = isinstance(node.target, cst.Name)
    target = node.target.value if isinstance(node.target, cst.Name) else ctx.local("row", "turn")
    name = ctx.local(*names_of_step(found, target))
    scanned, more = xs(node.iter, ctx)
    turn = Turn(ctx, found, "", {})
    backwards = scanned is not node.iter and called(node.iter, ctx) == "reversed"

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        first: list[cst.BaseStatement] = (
            [] if simple else [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(made.target)], cst.Name(target))])]
        )
        function = step(
            name,
            [carried_as(found.carry), target],
            [*unpacked(found.carry), *first],
            turn.body(functional.lines(made.body)),
            found.carry,
            cst.Name("None"),
        )
        call = functional.call(functional.dotted(scan), cst.Name(name), initial(found), xs(node.iter, ctx)[0])
        if backwards:
            call = call.with_changes(args=[*call.args, functional.keyword("reverse", cst.Name("True"))])
        return placed(made, [function, result(found.carry, call, "_")], ctx.first_in_block(node))

    yield Finding(
        node, f"each turn takes a row, and goes on from the last: {shown(found)}", {node: edit, **turn.edits()}, imports | more
    )


def called(node: cst.BaseExpression, ctx: Context) -> str:
    name = ctx.qualname(node.func) if isinstance(node, cst.Call) else None
    return (name or "").removeprefix("builtins.")


def xs(node: cst.BaseExpression, ctx: Context) -> tuple[cst.BaseExpression, frozenset[str]]:
    """What `lax.scan` goes through in the place of an (original) iterable."""
    name = called(node, ctx)
    if not isinstance(node, cst.Call) or name not in ("zip", "enumerate", "reversed", "range"):
        if ctx.kind(node) is Kind.ARRAY:
            return functional.bare(ctx.rewritten(node)), frozenset()
        asarray, imports = ctx.name_of("jax.numpy.asarray")
        return functional.call(functional.dotted(asarray), ctx.rewritten(node)), imports
    arange, imports = ctx.name_of("jax.numpy.arange")
    if name == "range":
        return functional.call(functional.dotted(arange), *(ctx.rewritten(a.value) for a in node.args)), imports
    inner = [xs(a.value, ctx) for a in node.args]
    if name == "reversed":
        return inner[0]
    if name == "zip":
        return cst.Tuple([cst.Element(part) for part, _i in inner]), imports.union(*(i for _p, i in inner))
    counted = node.args[0].value
    if called(counted, ctx) == "zip" and isinstance(counted, cst.Call):
        counted = counted.args[0].value
    length = functional.call(cst.Name("len"), ctx.rewritten(counted))
    index = functional.call(functional.dotted(arange), length)
    if len(node.args) > 1:
        index = cst.BinaryOperation(ctx.rewritten(node.args[1].value), cst.Add(), index)  # type: ignore[assignment]
    return cst.Tuple([cst.Element(index), cst.Element(inner[0][0])]), imports | inner[0][1]


@rule.on(cst.While)
def conditional(node: cst.While, ctx: Context) -> Iterator[Finding]:
    """`while test`: `lax.while_loop`."""
    found = ctx.loop(node)
    if found is None:
        return
    loop, imports = ctx.name_of("jax.lax.while_loop")
    test, name = ctx.local("running"), ctx.local(*names_of_step(found, ""))
    truth = is_truth(node.test, ctx)
    turn = Turn(ctx, found, ctx.local("done", "finished") if found.exits.breaks else "", {})

    def edit(made: cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        condition = functional.bare(made.test)
        if not truth:
            condition = cst.Comparison(functional.operand(condition), [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])
        running = defined(test, [carried_as(turn.names)], [*unpacked(turn.names), going_on(turn, condition)])
        body = turn.body(functional.lines(made.body))
        function = step(name, [carried_as(turn.names)], unpacked(turn.names), body, turn.names)
        call = functional.call(functional.dotted(loop), cst.Name(test), cst.Name(name), started(found, turn))
        lines: list[Statement] = [running, apart(function), result(turn.names, call)]
        return placed(made, lines, ctx.first_in_block(node))

    imports |= ctx.name_of("jax.numpy.where")[1] if found.exits.guards else frozenset()
    yield Finding(node, f"a condition ends the loop: {shown(found)}", {node: edit, **turn.edits()}, imports)


@rule.on(cst.For)
def left(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for` with `break`: `lax.while_loop` that counts."""
    found = ctx.loop(node)
    if found is None or not found.exits.breaks:
        return
    loop, imports = ctx.name_of("jax.lax.while_loop")
    where, more = ctx.name_of("jax.numpy.where")
    target = node.target.value if isinstance(node.target, cst.Name) else ""
    test, name = ctx.local("running"), ctx.local(*names_of_step(found, target))
    turn = Turn(ctx, found, ctx.local("done", "finished"), {})
    counts = found.form == "range"
    named = target != "_" and (target in read(node.body) or found.index_after)
    plain = counts and named and loop_ranges.unit(node.iter) and not (found.index_after and found.index_before)
    counter = target if plain else ctx.local("k", "turn")
    rows = None if counts else indexed_rows.Rows(ctx, counter)
    names = (counter, *turn.names)

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        first = [assigned(counter, loop_ranges.plus(cst.Name(counter), 1))]
        low: cst.BaseExpression = cst.Integer("0")
        after: list[cst.SimpleStatementLine] = []
        if rows is None:
            turns = loop_ranges.turns(made.iter, cst.Name(counter))
            low, high = turns.low, turns.high
            index = turns.index or cst.Name(counter)
            if not plain:
                low, high = cst.Integer("0"), high if turns.index is not None else loop_ranges.minus(high, low)
                index = index if turns.index is not None else loop_ranges.added(turns.low, cst.Name(counter))
                first += [assigned(target, index)] if named else []
            if found.index_after and not plain:
                any_turn = cst.Comparison(cst.Name(counter), [cst.ComparisonTarget(cst.GreaterThanEqual(), cst.Integer("0"))])
                chosen = functional.call(functional.dotted(where), any_turn, index, cst.Name(target))
                after.append(assigned(target, chosen if found.index_before else index))
        else:
            row = rows.row(node.iter)
            row = row.with_changes(lpar=[], rpar=[]) if isinstance(row, cst.Tuple) else row
            high = rows.count(node.iter)
            assert isinstance(made.target, (cst.Name, cst.Tuple))
            first.append(cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(made.target)], row)]))
        more_turns = cst.Comparison(
            loop_ranges.plus(cst.Name(counter), 1), [cst.ComparisonTarget(cst.LessThan(), functional.bare(high))]
        )
        running = defined(test, ["carry"], [*unpacked(names), going_on(turn, more_turns)])
        body = turn.body(functional.lines(made.body))
        function = step(name, ["carry"], [*unpacked(names), *first], body, names)
        start = started(found, turn, loop_ranges.plus(low, -1))
        call = functional.call(functional.dotted(loop), cst.Name(test), cst.Name(name), start)
        needed = not (plain and found.index_after) and not after
        bound = ["_" if needed else counter, "_", *found.carry]
        lines: list[Statement] = [running, apart(function), result(bound, call), *after]
        if rows is not None and rows.made:
            lines = [*rows.made, apart_of(lines[0]), *lines[1:]]
        return placed(made, lines, ctx.first_in_block(node))

    edits: dict[cst.CSTNode, Edit] = {node: edit, **turn.edits()}
    yield Finding(node, f"`break` may end the loop: {shown(found)}", edits, imports | more)


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


def initial(found: Loop) -> cst.BaseExpression:
    """What is carried at first. A number that has no value before the loop starts as 0, which takes any dtype."""
    values = starts(found)
    return values[0] if len(values) == 1 else cst.Tuple([cst.Element(v) for v in values])


def starts(found: Loop) -> list[cst.BaseExpression]:
    return [cst.Integer("0") if n in found.unset else cst.Name(n) for n in found.carry]


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
    body: Sequence[cst.BaseStatement],
    carry: Sequence[str],
    output: cst.BaseExpression | None = None,
) -> cst.FunctionDef:
    """The function of a turn: it binds what it carries, does what the loop did, and returns what is carried."""
    lines = list(body)
    if first and lines and isinstance(lines[0], cst.FunctionDef):
        lines[0] = lines[0].with_changes(leading_lines=[cst.EmptyLine(indent=False), *lines[0].leading_lines])
    returned: cst.BaseExpression = functional.tuple_of(carry)
    end = cst.SimpleStatementLine([])
    match lines[-1] if lines else None:
        case (
            cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=value)]
            ) as last
        ) if [bound] == list(carry):
            returned, end, lines = value, last, lines[:-1]
    if output is not None:
        returned = cst.Tuple([cst.Element(returned), cst.Element(output)])
    if isinstance(returned, cst.Tuple):
        returned = returned.with_changes(lpar=[], rpar=[])
    return defined(name, params, [*first, *lines, end.with_changes(body=[cst.Return(returned)])])


def defined(name: str, params: Sequence[str], body: Sequence[cst.BaseStatement]) -> cst.FunctionDef:
    parameters = cst.Parameters([cst.Param(cst.Name(p)) for p in params])
    return cst.FunctionDef(cst.Name(name), parameters, cst.IndentedBlock(body))


def going_on(turn: Turn, condition: cst.BaseExpression) -> cst.SimpleStatementLine:
    """Whether there is another turn."""
    asked = condition
    if turn.done:
        running = cst.UnaryOperation(cst.BitInvert(), cst.Name(turn.done))
        endless = isinstance(condition, cst.Name) and condition.value == "True"
        asked = running if endless else cst.BinaryOperation(running, cst.BitAnd(), functional.operand(condition))
    return cst.SimpleStatementLine([cst.Return(asked)])


def started(found: Loop, turn: Turn, *counter: cst.BaseExpression) -> cst.BaseExpression:
    """What a `lax.while_loop` carries at first."""
    values = [*counter, *([cst.Name("False")] if turn.done else []), *starts(found)]
    return values[0] if len(values) == 1 else cst.Tuple([cst.Element(v) for v in values])


def apart_of(statement: Statement) -> Statement:
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def apart(statement: cst.FunctionDef) -> cst.FunctionDef:
    """With an empty line before it."""
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def placed(made: cst.For | cst.While, lines: list[Statement], first: bool) -> cst.FlattenSentinel[cst.BaseStatement]:
    """The statements in the place of the loop: its comments above, and an empty line before a function."""
    leading = list(made.leading_lines)
    if not first and not any(line.comment is None for line in leading[:1]):
        leading.insert(0, cst.EmptyLine(indent=False))
    return cst.FlattenSentinel([lines[0].with_changes(leading_lines=leading), *lines[1:]])
