"""A loop that filters its arrays by a mask, so that fewer elements remain in each iteration.

JAX compiles for arrays of fixed length. All elements stay, and a mask says which of them are active. Each element is computed
on its own, so the inactive ones do not matter, and only active elements are stored: by a select where the positions form a
whole block of the array (`np.arange(n)`, `np.mgrid[0:n, 0:m]` flattened), else by a scatter that drops the others. The loop
ends when no element is active.

```python
import numpy as np


def escape_times(c: np.ndarray, n: int):
    c = c.ravel()
    z = np.zeros(len(c), complex)
    place = np.arange(len(c))
    times = np.zeros(len(c), int)
    for i in range(n):
        z = z * z + c
        inside = abs(z) <= 2
        times[place] = i
        z, c, place = z[inside], c[inside], place[inside]
    return times
```

becomes

```python
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def escape_times(c: jax.Array, n: int):
    c = c.ravel()
    z = jnp.zeros(len(c), complex)
    place = jnp.arange(len(c))
    times = jnp.zeros(len(c), int)

    left = jnp.ones(len(z), bool)

    def running(carry):
        i, left, z, times = carry
        return (i < n) & jnp.any(left)

    def step(carry):
        i, left, z, times = carry
        z = z * z + c
        inside = abs(z) <= 2
        times = times.at[: len(c)].set(jnp.where(left, i, times[: len(c)]))
        left = left & inside
        return i + 1, left, z, times

    _, _, _, times = lax.while_loop(running, step, (0, left, z, times))
    return times
```

The loop stays Python where elements are summed, sorted, or combined with other arrays; where the remaining elements are read
after the loop; or where the arrays may have more than one axis.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Edit, Finding, Statement
from ..core.registry import Rule
from ..facts.compaction import Scatter
from ..facts.loop_plan import Compaction
from ..loop_codegen.iteration_slices import span
from ..loop_codegen.loop_functions import replacement, unpacked
from ..slices import masks
from ..syntax import builders, loop_ranges

rule = Rule(__name__, "NJ415", optional=True)


@rule.on(cst.For)
def check(node: cst.For, ctx: Context) -> Iterator[Finding]:
    match ctx.loops.loop_plan(node), node.target:
        case Compaction(arrays=found), cst.Name(value=index):
            pass
        case _:
            return
    names = ("jax.lax.while_loop", "jax.numpy.ones", "jax.numpy.any", "jax.numpy.where")
    loop, ones, any_of, _where = (builders.dotted(ctx.names.name_of(name)[0]) for name in names)
    left = ctx.names.local("left", "remaining")
    test, name = ctx.names.local("running"), ctx.names.local("step", f"step_{index}")
    carried = (index, left, *found.carry)
    stored = {s.array.value for s in found.scatters}

    def edit(made: cst.For) -> cst.FlattenSentinel[cst.BaseStatement]:
        iterations = loop_ranges.counted_iterations(made.iter, cst.Name(index))
        length = builders.call(cst.Name("len"), cst.Name(found.length))
        mask = builders.assigned((left,), builders.call(ones, length, cst.Name("bool")))
        more = cst.Comparison(cst.Name(index), [cst.ComparisonTarget(cst.LessThan(), iterations.high)])
        some = builders.call(any_of, cst.Name(left))
        going = builders.returned(cst.BinaryOperation(builders.operand(more), cst.BitAnd(), some))
        running = builders.function(test, ["carry"], [*unpacked(carried), going])
        result = builders.tuple_of([loop_ranges.plus(cst.Name(index), 1), *(cst.Name(n) for n in carried[1:])])
        body = [*builders.lines(made.body), builders.returned(result)]
        function = builders.function(name, ["carry"], [*unpacked(carried), *body])
        start = builders.tuple_of([iterations.low, *(cst.Name(n) for n in carried[1:])])
        call = builders.call(loop, cst.Name(test), cst.Name(name), start)
        run = builders.spaced(builders.assigned(("_", "_", *(n if n in stored else "_" for n in found.carry)), call))
        ranks = dict.fromkeys((s.array.value, s.rank) for s in found.scatters if s.rank)
        checked = [cst.parse_statement(f"assert {array}.ndim == {rank}") for array, rank in ranks]
        lines: list[Statement] = [
            *(line for line in checked if isinstance(line, cst.SimpleStatementLine)),
            mask,
            builders.spaced(running),
            builders.spaced(function),
            run,
        ]
        return replacement(made, lines, ctx.flow.first_in_block(node))

    edits: dict[cst.CSTNode, Edit] = dict.fromkeys(found.compactions[1:], builders.gone)
    edits[found.compactions[0]] = lambda _made: builders.assigned(
        (left,), cst.BinaryOperation(cst.Name(left), cst.BitAnd(), found.mask.deep_clone())
    ).body[0]
    edits.update(dict.fromkeys(found.tests, builders.gone))
    edits.update({s.statement: _stored(s, left, ctx) for s in found.scatters})
    edits[node] = edit
    imports = frozenset().union(*(ctx.names.name_of(name)[1] for name in names))
    yield Finding(
        node,
        f"`{cst.Module([]).code_for_node(found.mask)}` filters the arrays in each iteration: a mask says which elements are active",
        edits,
        imports,
    )


def _stored(scatter: Scatter, left: str, ctx: Context) -> Edit:
    """`array[place[chosen]] = value[chosen]`: the other elements get an index past the end, and are dropped. If the indices are
    those of a block of the array, in order, the other elements of the block do not change."""

    def edit(_made: cst.Assign) -> cst.Assign:
        array = cst.Name(scatter.array.value)
        counts: cst.BaseExpression = cst.Name(left)
        if scatter.selection is not None:
            counts = cst.BinaryOperation(counts, cst.BitAnd(), scatter.selection.deep_clone())
        if scatter.sizes:
            return cst.Assign([cst.AssignTarget(array)], _block(scatter, counts, ctx))
        first = cst.Name(scatter.indices[0].value)
        whole = ctx.value(scatter.indices[0]).dtype in ("int64", "int")
        location: cst.BaseExpression = first if whole else builders.method(first, "astype", cst.Name("int"))
        location = masks.where(counts, location, cst.parse_expression(f"{array.value}.shape[0]"), ctx)
        parts = [cst.SubscriptElement(cst.Index(p)) for p in (location, *(cst.Name(n.value) for n in scatter.indices[1:]))]
        value, known, given = ctx.rewritten(scatter.value), ctx.value(scatter.array).dtype, ctx.value(scatter.value).dtype
        if dtypes.category(given) > dtypes.category(known) >= 0:
            value = _cast(scatter, value, ctx)
        made = builders.with_keyword(builders.at(array, parts, "set", value), "mode", cst.SimpleString('"drop"'))
        return cst.Assign([cst.AssignTarget(array)], made)

    return edit


def _cast(scatter: Scatter, value: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """The stored value, cast to the array's dtype."""
    asarray = builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0])
    return builders.call(asarray, value, cst.Attribute(cst.Name(scatter.array.value), cst.Name("dtype")))


def _block(scatter: Scatter, counts: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """`array.at[:n].set(jnp.where(counts, value, array[:n]))`; for several axes, the flat operands are reshaped."""
    array = cst.Name(scatter.array.value)
    sizes = [ctx.rewritten(size) for size in scatter.sizes]
    value = ctx.rewritten(scatter.value)
    if not dtypes.absorbs(ctx.value(scatter.array).dtype, ctx.value(scatter.value).dtype):
        value = _cast(scatter, value, ctx)  # otherwise the select would change the dtype of the other elements
    if len(sizes) > 1:
        counts = builders.method(builders.operand(counts), "reshape", *sizes)
        value = builders.method(builders.operand(value), "reshape", *sizes) if scatter.along else value
    parts = [span(None, size, None) for size in sizes]
    return builders.at(array, parts, "set", masks.where(counts, value, cst.Subscript(array, builders.clean(parts)), ctx))
