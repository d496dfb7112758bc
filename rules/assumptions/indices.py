"""An index is in range.

NumPy raises IndexError for an index that is out of range. JAX reads the last element, or the first, and stores nothing. It raises
for an axis of size 0, as NumPy does; but also in the code of a compiled loop that does not run, which it traces.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category
from ..core.findings import Kind
from ..facts.iteration_space import integer
from ..facts.loop_plan import Fori, While
from ..facts.values import BITS
from ..syntax.row_exchanges import lengths_that_overlap
from .jax_operands import ARRAYS, NUMBERS, quoted, runs_in_jax

kind = ConditionKind("index", "test or assert that the index is below the length (`if i < len(x):`)")


@kind.on(cst.Subscript)
def subscript(node: cst.Subscript, ctx: Context) -> Iterator[Assumption]:
    if ctx.kind(node.value) not in ARRAYS or not runs_in_jax(ctx, node.value):
        return
    axis: int | None = 0
    for part in node.slice:
        index = part.slice.value if isinstance(part.slice, cst.Index) else None
        if isinstance(index, cst.Ellipsis):
            axis = None
        elif index is None:
            axis = axis and axis + 1 if axis != 0 else 1
        elif not _selects_nothing(index, ctx):
            if _is_mask(index, ctx):
                axis = None
                continue
            yield from _indexed(node, index, axis, ctx)
            axis = None if axis is None else axis + 1


@kind.on(cst.For)
def rows(node: cst.For, ctx: Context) -> Iterator[Assumption]:
    """A loop over an array that may end early reads the items one by one; JAX traces that even if there is none."""
    if isinstance(ctx.loops.loop_plan(node), While):
        for leaf in ctx.loops.iteration_space(node).leaves:
            if not leaf.function and leaf.target is not None and ctx.kind(leaf.iterable) in ARRAYS:
                yield Assumption(node, f"{quoted(leaf.iterable)} is not empty")


@kind.on(cst.Assign)
def exchanged(node: cst.Assign, ctx: Context) -> Iterator[Assumption]:
    """NumPy copies rows one after the other, numbers are read before; see `row_exchanges`."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=targets))], value=cst.Tuple(elements=values)):
            paths = {update.access_path for update in ctx.effects.updates(node)}
            if len(paths) != 1 or len(targets) != len(values) or not any(ctx.value(e.value).rank < 0 for e in values):
                return
            for length in sorted(lengths_that_overlap([e.value for e in targets], [e.value for e in values]) or ()):
                yield Assumption(node, f"`{min(paths)}` has not {length} rows")


def _indexed(node: cst.Subscript, index: cst.BaseExpression, axis: int | None, ctx: Context) -> Iterator[Assumption]:
    number = integer(index)
    if number in (0, -1) or ctx.kind(index) not in (*NUMBERS, Kind.LIST, Kind.TUPLE):
        return
    along = f"axis {axis} of " if axis else ""
    if axis is not None and ctx.integers.is_inside(index, node.value, axis):
        loop = _loop(node, ctx)
        if number is None and loop is not None and isinstance(ctx.loops.loop_plan(loop), (Fori, While)):
            yield Assumption(node, f"{along}{quoted(node.value)} is not empty")
        return
    if number is not None:
        least = number + 1 if number >= 0 else -number
        yield Assumption(node, f"{along}{quoted(node.value)} has {least} elements or more")
    else:
        yield Assumption(node, f"{quoted(index)} is in range of {along}{quoted(node.value)}")


def _loop(node: cst.CSTNode, ctx: Context) -> cst.For | cst.While | None:
    """The innermost loop around an expression."""
    at = ctx.parent(node)
    while at is not None and not isinstance(at, (cst.For, cst.While, cst.FunctionDef, cst.Lambda)):
        at = ctx.parent(at)
    return at if isinstance(at, (cst.For, cst.While)) else None


def _selects_nothing(index: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is None or np.newaxis."""
    return ctx.kind(index) is Kind.NONE or ctx.qualname(index) == "numpy.newaxis"


def _is_mask(index: cst.BaseExpression, ctx: Context) -> bool:
    value = ctx.value(index)
    return category(value.dtype) == 0 or value.name == BITS
