"""A loop whose iterations depend on earlier ones.

The body becomes a function of the loop-carried values, which JAX compiles once: `lax.fori_loop` where the iterations are
counted, `lax.scan` over the rows of an array (also where an index only selects the rows), `lax.while_loop` where a condition,
`break` or `return` ends the loop. Loop-invariant values are closed over. A value that the loop returns is computed after the
loop, from the carried values. An array that only the loop binds starts with zeros, in the shape that `jax.eval_shape` finds.

All of these have forward-mode derivatives. Reverse mode also needs a trip count that is known when tracing. The length of an
array is known. The `steps` of `for t in range(steps)` is known with the setting `trip-counts = "static"`; jit then compiles
once for each value of `steps`.

```python
import numpy as np


def recurrence(x: np.ndarray, decay):
    y = np.zeros_like(x)
    for i in range(1, x.shape[0]):
        y[i] = decay * (y[i - 1] - y[0]) + x[i]
    return y


def filled_at(x: np.ndarray, limit: float):
    level = 0.0
    for i in range(len(x)):
        level = 0.9 * level + x[i]
        if level > limit:
            return i
    return -1
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
        return y.at[i].set(decay * (y[i - 1] - y[0]) + x[i])

    y = lax.fori_loop(1, x.shape[0], update_y, y)
    return y


@jax.jit
def filled_at(x: jax.Array, limit: float):
    level = 0.0

    def running(carry):
        i, done, level = carry
        return ~done & (i + 1 < len(x))

    def update_level(carry):
        i, done, level = carry
        i = i + 1
        level = 0.9 * level + x[i]
        done = level > limit
        return i, done, level

    i, done, level = lax.while_loop(running, update_level, (-1, False, level))
    return jnp.where(done, i, -1)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import select
from ..context import Context
from ..core.findings import Edit, Finding, Statement
from ..core.registry import Rule
from ..definitions.lists import FORI, SCAN
from ..facts.loop_plan import Fori, Scan, While
from ..loop_codegen import lists_of_arrays, loop_bounds, scanned_rows
from ..loop_codegen.counted_scans import counted_rows
from ..loop_codegen.loop_exits import IterationWriter
from ..loop_codegen.loop_functions import (
    carried_as,
    done_as,
    going_on,
    names_of_step,
    replacement,
    result,
    shapes_of,
    shown,
    started,
    starting,
    step,
    unpacked,
)
from ..syntax import builders, loop_ranges

rule = Rule(__name__, "NJ401", optional=True)


@rule.on(cst.For)
def counted(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for i in range(...)`: `lax.fori_loop`."""
    match ctx.loops.loop_plan(node), node.target:
        case Fori(loop=found), cst.Name(value=target):
            pass
        case _:
            return
    fori, imports = ctx.names.name_of("jax.lax.fori_loop")
    name = ctx.names.local(*names_of_step(found, target))
    where, more = ctx.names.name_of("jax.numpy.where")
    imports = imports | more if found.index_after and found.index_before else imports
    space = ctx.loops.iteration_space(node)
    plain = space.is_range and space.stride == 1
    counter = cst.Name(target if plain else ctx.names.local("k", "turn"))
    if plain and target not in builders.names(node.body):
        counter = cst.Name("_")
    iteration = IterationWriter(ctx, found, "")
    narrow = loop_bounds.narrow(node, found.index_after, ctx)
    shapes, more = shapes_of(found, ctx)
    imports |= more
    lists = found.lists
    loop = builders.dotted(ctx.names.defined(FORI) if lists else fori)

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        iterations = loop_ranges.counted_iterations(loop_bounds.widened(made.iter, narrow), counter)
        first = [] if iterations.index is None else [builders.assigned((target,), iterations.index)]
        body = iteration.body(builders.lines(made.body))
        function = step(name, [counter.value, carried_as(found.carry)], [*unpacked(found.carry), *first], body, found.carry)
        traced, start = starting(found, shapes, name, [iterations.low])
        call = builders.call(loop, iterations.low, iterations.high, cst.Name(name), start, *map(cst.Name, lists))
        lines: list[Statement] = [function, *traced, result(found.carry, call, after=traced)]
        if found.index_after and found.index_before:
            any_iteration = cst.Comparison(
                builders.operand(iterations.high), [cst.ComparisonTarget(cst.GreaterThan(), iterations.low)]
            )
            selected = builders.call(builders.dotted(where), any_iteration, iterations.last, cst.Name(target))
            lines.append(builders.assigned((target,), selected))
        elif found.index_after:
            lines.append(builders.assigned((target,), iterations.last))
        return replacement(made, lines, ctx.flow.first_in_block(node))

    edits: dict[cst.CSTNode, Edit] = {node: edit, **iteration.edits()}
    message, helpers = f"each iteration depends on the last: {shown(found)}", frozenset({FORI} if lists else ())
    yield Finding(node, message, edits, imports | iteration.imports, definitions=helpers)


@rule.on(cst.For)
def rows_by_index(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for i in range(len(x))` whose iterations need `i` only for `x[i]`: `lax.scan`."""
    match ctx.loops.loop_plan(node), node.target:
        case Scan(loop=found, rows=read), cst.Name(value=target) if read is not None:
            taken = counted_rows(read, ctx)
        case _:
            return
    scan, imports = ctx.names.name_of("jax.lax.scan")
    name = ctx.names.local(*names_of_step(found, target))
    iteration = IterationWriter(ctx, found, "")

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        first = [*unpacked(found.carry), *taken.first]
        body = iteration.body(builders.lines(made.body))
        function = step(name, [carried_as(found.carry), taken.param], first, body, found.carry, cst.Name("None"))
        call = builders.call(builders.dotted(scan), cst.Name(name), started(found), taken.values)
        if ctx.loops.iteration_space(node).stride == -1:
            call = builders.with_keyword(call, "reverse", cst.Name("True"))
        return replacement(made, [function, result(found.carry, call, "_")], ctx.flow.first_in_block(node))

    edits: dict[cst.CSTNode, Edit] = {node: edit, **iteration.edits(), **taken.edits}
    yield Finding(
        node, f"each iteration reads a row, and depends on the last: {shown(found)}", edits, imports | iteration.imports
    )


@rule.on(cst.For)
def rows(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for x in xs`: `lax.scan`; also over several arrays in parallel, with a counter, or in reverse."""
    match ctx.loops.loop_plan(node):
        case Scan(loop=found, rows=None):
            pass
        case _:
            return
    scan, imports = ctx.names.name_of("jax.lax.scan")
    simple = isinstance(node.target, cst.Name)
    target = node.target.value if isinstance(node.target, cst.Name) else ctx.names.local("row", "turn")
    name = ctx.names.local(*names_of_step(found, target))
    _scanned, more = scanned_rows.stacked(node, ctx)
    iteration = IterationWriter(ctx, found, "")
    space = ctx.loops.iteration_space(node)
    backwards = space.function == "reversed"
    items = lists_of_arrays.are_items(node, ctx)

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        first = [] if simple else [builders.bound(made.target, cst.Name(target))]
        function = step(
            name,
            [carried_as(found.carry), target],
            [*unpacked(found.carry), *first],
            iteration.body(builders.lines(made.body)),
            found.carry,
            cst.Name("None"),
        )
        if items:
            over = ctx.rewritten((space.parts[0] if backwards else space).iterable)
            call = builders.call(cst.Name(ctx.names.defined(SCAN)), cst.Name(name), started(found), over)
        else:
            call = builders.call(builders.dotted(scan), cst.Name(name), started(found), scanned_rows.stacked(node, ctx)[0])
        if backwards:
            call = call.with_changes(args=[*call.args, builders.keyword("reverse", cst.Name("True"))])
        return replacement(made, [function, result(found.carry, call, "_")], ctx.flow.first_in_block(node))

    edits = {node: edit, **iteration.edits()}
    imports |= more | iteration.imports
    message, helpers = f"each iteration reads a row, and depends on the last: {shown(found)}", frozenset({SCAN} if items else ())
    yield Finding(node, message, edits, imports, definitions=helpers)


@rule.on(cst.While)
def conditional(node: cst.While, ctx: Context) -> Iterator[Finding]:
    """`while test`: `lax.while_loop`."""
    match ctx.loops.loop_plan(node):
        case While(loop=found):
            pass
        case _:
            return
    loop, imports = ctx.names.name_of("jax.lax.while_loop")
    test, name = ctx.names.local("running"), ctx.names.local(*names_of_step(found, ""))
    truth = select.is_truth(node.test, ctx)
    shapes, more = shapes_of(found, ctx)
    imports |= more
    iteration = IterationWriter(ctx, found, done_as(found, ctx))

    def edit(made: cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        condition = builders.bare(made.test)
        if not truth:
            condition = cst.Comparison(builders.operand(condition), [cst.ComparisonTarget(cst.NotEqual(), cst.Integer("0"))])
        running = builders.function(
            test, [carried_as(iteration.names)], [*unpacked(iteration.names), going_on(iteration, condition)]
        )
        body = iteration.body(builders.lines(made.body))
        function = step(name, [carried_as(iteration.names)], unpacked(iteration.names), body, iteration.names)
        traced, start = starting(found, shapes, name, [], *iteration.flags)
        call = builders.call(builders.dotted(loop), cst.Name(test), cst.Name(name), start)
        lines: list[Statement] = [running, builders.spaced(function), *traced, result(iteration.names, call, after=traced)]
        if found.exits.returned is not None and found.exits.returned.last is None:
            lines.append(cst.SimpleStatementLine([iteration.left[0]]))
        return replacement(made, lines, ctx.flow.first_in_block(node))

    edits = {node: edit, **iteration.edits()}
    yield Finding(node, f"a condition ends the loop: {shown(found)}", edits, imports | iteration.imports)


@rule.on(cst.For)
def left(node: cst.For, ctx: Context) -> Iterator[Finding]:
    """`for` with `break`: `lax.while_loop` with a counter."""
    match ctx.loops.loop_plan(node):
        case While(loop=found):
            pass
        case _:
            return
    loop, imports = ctx.names.name_of("jax.lax.while_loop")
    where = ctx.names.name_of("jax.numpy.where")[0]
    target = node.target.value if isinstance(node.target, cst.Name) else ""
    test, name = ctx.names.local("running"), ctx.names.local(*names_of_step(found, target))
    iteration = IterationWriter(ctx, found, done_as(found, ctx))
    space = ctx.loops.iteration_space(node)
    counts = space.range is not None
    named = target != "_" and (target in builders.names(node.body) or found.index_after)
    plain = space.is_range and space.stride == 1 and named and not (found.index_after and found.index_before)
    counter = target if plain else ctx.names.local("k", "turn")
    rows = None if counts else scanned_rows.Rows(ctx, counter)
    narrow = loop_bounds.narrow(node, found.index_after, ctx) if counts else ()
    shapes, more = shapes_of(found, ctx)
    imports |= more
    names = (counter, *iteration.names)

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        first = [builders.assigned((counter,), loop_ranges.plus(cst.Name(counter), 1))]
        low: cst.BaseExpression = cst.Integer("0")
        after: list[cst.SimpleStatementLine] = []
        if rows is None:
            iterations = loop_ranges.counted_iterations(loop_bounds.widened(made.iter, narrow), cst.Name(counter))
            low, high = iterations.low, iterations.high
            index = iterations.index or cst.Name(counter)
            if not plain:
                low, high = cst.Integer("0"), high if iterations.index is not None else loop_ranges.minus(high, low)
                index = index if iterations.index is not None else loop_ranges.added(iterations.low, cst.Name(counter))
                first += [builders.assigned((target,), index)] if named else []
            if found.index_after and not plain:
                any_iteration = cst.Comparison(
                    cst.Name(counter), [cst.ComparisonTarget(cst.GreaterThanEqual(), cst.Integer("0"))]
                )
                selected = builders.call(builders.dotted(where), any_iteration, index, cst.Name(target))
                after.append(builders.assigned((target,), selected if found.index_before else index))
        else:
            row = rows.row(space)
            high = rows.count(space)
            first.append(builders.bound(made.target, builders.opened(row)))
        more_iterations = cst.Comparison(
            loop_ranges.plus(cst.Name(counter), 1), [cst.ComparisonTarget(cst.LessThan(), builders.bare(high))]
        )
        running = builders.function(test, ["carry"], [*unpacked(names), going_on(iteration, more_iterations)])
        body = iteration.body(builders.lines(made.body))
        function = step(name, ["carry"], [*unpacked(names), *first], body, names)
        traced, start = starting(found, shapes, name, [], loop_ranges.plus(low, -1), *iteration.flags)
        call = builders.call(builders.dotted(loop), cst.Name(test), cst.Name(name), start)
        needed = not (plain and found.index_after) and not after
        bound = ["_" if needed else counter, iteration.done if iteration.asked else "_", *found.carry]
        lines: list[Statement] = [running, builders.spaced(function), *traced, result(bound, call, after=traced), *after]
        if rows is not None and rows.made:
            lines = [*rows.made, builders.spaced(lines[0]), *lines[1:]]
        return replacement(made, lines, ctx.flow.first_in_block(node))

    edits: dict[cst.CSTNode, Edit] = {node: edit, **iteration.edits()}
    ends = "break" if found.exits.returned is None else "return"
    yield Finding(node, f"`{ends}` may end the loop: {shown(found)}", edits, imports | iteration.imports)
