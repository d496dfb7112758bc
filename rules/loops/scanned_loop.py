"""A loop that appends one element in each iteration to a list, which becomes an array afterwards.

`lax.scan` passes the carried values from one iteration to the next and stacks the elements, so the list is an array from the
start. If the iterations are independent, the loop becomes whole-array code or `jax.vmap` (NJ411), or `lax.map`, which runs them
one by one. The trip count is the length of an array, so it must be known when tracing: pass it as an argument.

The loop stays Python where the list is used as a list: returned, passed to `len`, read in the loop, or appended to in some
iterations only. If there are no iterations, `np.array([])` has shape (0,) and dtype float64; the JAX array has the shape and
dtype of its elements.

```python
import numpy as np


def orbit(x: np.ndarray, v: np.ndarray, dt: float, n: int):
    xs = []
    for _ in range(n):
        v = v - dt * x
        x = x + dt * v
        xs.append(x)
    return np.array(xs)
```

becomes

```python
import functools

import jax
from jax import lax


@functools.partial(jax.jit, static_argnames="n")
def orbit(x: jax.Array, v: jax.Array, dt: float, n: int):
    def step(carry, _):
        x, v = carry
        v = v - dt * x
        x = x + dt * v
        return (x, v), x

    _, xs = lax.scan(step, (x, v), length=n)
    return xs
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.dtypes import is_weak
from ..core.findings import Edit, Finding, Kind, Statement
from ..core.registry import Rule
from ..facts.loop_plan import Accumulation
from ..facts.loops import AccumulatedList
from ..loop_codegen import scanned_rows
from ..loop_codegen.counted_scans import counted_rows
from ..loop_codegen.loop_functions import carried_as, leads, replacement, result, shown, started, step, unpacked
from ..syntax import builders, loop_ranges

rule = Rule(__name__, "NJ412", optional=True)


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node):
        case Accumulation(loop=found, rows=read):
            pass
        case _:
            return
    scan, imports = ctx.names.name_of("jax.lax.scan" if found.carry else "jax.lax.map")
    where, more = ctx.names.name_of("jax.numpy.where")
    simple = isinstance(node.target, cst.Name)
    target = node.target.value if isinstance(node.target, cst.Name) else ctx.names.local("row", "turn")
    name = ctx.names.local(*(("step", f"step_{target}") if found.carry else (f"{found.accumulated[0].name}_at", "turn")))
    named = target in builders.names(node.body) or not simple
    writer = _Items(ctx, target)
    taken = None if read is None else counted_rows(read, ctx)
    makers = list(dict.fromkeys(f.maker for f in found.accumulated))

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        param = taken.param if taken is not None else target if named else "_"
        first = taken.first if taken is not None else [] if simple else [builders.bound(made.target, cst.Name(target))]
        body = list(builders.lines(made.body))
        items, body = writer.taken(body, found.accumulated)
        if found.carry:
            output = builders.tuple_of(items)
            function = step(
                name,
                [carried_as(found.carry), param],
                [*unpacked(found.carry), *first],
                body,
                found.carry,
                output,
            )
        else:
            last = builders.returned(builders.tuple_of(items))
            function = builders.function(name, [param], [*first, *body, last])
        values = [cst.Arg(cst.Name(name)), *([cst.Arg(started(found))] if found.carry else [])]
        iterations = cst.Arg(taken.values) if taken is not None else _iterations(node, ctx, named or not found.carry)
        call = cst.Call(builders.dotted(scan), [*values, iterations])
        names = [f.name for f in found.accumulated]
        later = ctx.flow.live_after(node) | {*ctx.plan.returns}
        carried = found.carry if any(name in later for name in found.carry) else ["_"]
        run = result(carried, call, *names) if found.carry else builders.spaced(builders.assigned(names, call))
        lines: list[Statement] = [function, run]
        if found.index_after and isinstance(node.target, cst.Name):
            count = loop_ranges.counted_iterations(made.iter, cst.Name(target))
            last_index = count.last
            if found.index_before:
                any_iteration = cst.Comparison(builders.operand(count.high), [cst.ComparisonTarget(cst.GreaterThan(), count.low)])
                last_index = builders.call(builders.dotted(where), any_iteration, last_index, cst.Name(target))
            lines.append(builders.assigned((target,), last_index))
        comments = [line for maker in makers for line in maker.leading_lines if line.comment is not None]
        made = made.with_changes(leading_lines=[*comments, *made.leading_lines])
        return replacement(made, lines, leads(node, makers, ctx))

    edits: dict[cst.CSTNode, Edit] = {f.maker: builders.gone for f in found.accumulated}
    edits.update({} if taken is None else taken.edits)
    edits.update({f.statement: writer.edit(f) for f in found.accumulated})
    edits.update({call: _itself(f.name) for f in found.accumulated for call in f.arrays})
    edits[node] = edit
    _values, needed = scanned_rows.stacked(node, ctx)
    names = ", ".join(f"`{f.name}`" for f in found.accumulated)
    how = f"{shown(found)}, and `lax.scan` stacks the items" if found.carry else "`lax.map` stacks the items"
    yield Finding(node, f"each iteration appends an element to {names}: {how}", edits, imports | more | needed)


class _Items:
    """The values that the iterations output, which replace the statements that append them to lists."""

    def __init__(self, ctx: Context, index: str) -> None:
        self.ctx, self.index = ctx, index
        self.names: dict[str, str] = {}

    def edit(self, filled: AccumulatedList) -> Edit:
        """`xs.append(value)` becomes `xs_i = value`."""
        self.names[filled.name] = self.ctx.names.local(f"{filled.name}_{self.index if self.index != '_' else 'item'}")
        value = filled.value

        def made(_made: cst.Expr) -> cst.Assign:
            return cst.Assign([cst.AssignTarget(cst.Name(self.names[filled.name]))], builders.bare(self.item(value)))

        return made

    def item(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """The value that one iteration outputs, in the dtype that NumPy gives to a Python number."""
        made = self.ctx.rewritten(value)
        known = self.ctx.value(value)
        if known.kind is Kind.SCALAR and is_weak(known.dtype):
            asarray = builders.dotted(self.ctx.names.name_of("jax.numpy.asarray")[0])
            return builders.call(asarray, made, cst.Name(known.dtype))
        return made

    def taken(
        self, body: list[cst.BaseStatement], filled: tuple[AccumulatedList, ...]
    ) -> tuple[list[cst.BaseExpression], list[cst.BaseStatement]]:
        """The values that an iteration returns, and the statements before. A value's expression is returned directly if nothing
        changes its operands later."""
        values: dict[str, cst.BaseExpression] = {}
        names = {self.names[f.name] for f in filled}
        for position in reversed(range(len(body))):
            match body[position]:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)], leading_lines=lines
                ) if name in names:
                    later = self.ctx.flow.uses(body[position + 1 :])[1]
                    read = self.ctx.flow.uses((value,))[0]
                    last = position == len(body) - 1
                    if not any(line.comment for line in lines) and (last or (isinstance(value, cst.Name) and not read & later)):
                        values[name] = value
                        del body[position]
        return [values.get(self.names[f.name], cst.Name(self.names[f.name])) for f in filled], body


def _iterations(node: cst.For, ctx: Context, needed: bool) -> cst.Arg:
    """The argument over which `lax.scan` iterates; just the trip count if nothing else is `needed`."""
    space = ctx.loops.iteration_space(node)
    if not needed and space.is_range and space.stride == 1:
        iterations = loop_ranges.counted_iterations(ctx.rewritten(node.iter), cst.Name("_"))
        return builders.keyword("length", loop_ranges.length(iterations.low, iterations.high))
    made, _imports = scanned_rows.stacked(node, ctx)
    if space.function == "reversed":
        backwards = cst.SubscriptElement(cst.Slice(None, None, builders.integer(-1), second_colon=cst.Colon()))
        made = cst.Subscript(builders.operand(made), [backwards])
    return cst.Arg(made)


def _itself(name: str) -> Edit:
    return lambda _made: cst.Name(name)
