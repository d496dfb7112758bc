"""The edits that read whole axes and arrays, and mask the elements that are not selected."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ..context import Context
from ..core.findings import Edit
from ..facts.dynamic_slices import Bounds, Mask, Product, Ragged, Read, Roll, Whole
from ..facts.loop_plan import Vectorized
from ..facts.values import replace
from ..syntax import builders
from . import masks

Axes = tuple[tuple[int, Bounds], ...]


def edits(ragged: Ragged, ctx: Context, names: Mapping[Axes, str]) -> Mapping[cst.CSTNode, Edit]:
    """The edits of one statement or condition, by node: first those that change how it is read, then those that mask it."""
    steps: dict[cst.CSTNode, list[Edit]] = {}
    for subscript, read in ragged.reads.items():
        steps.setdefault(subscript, []).append(_reading(read, subscript in ragged.stores, ctx))
    for node, roll in ragged.moved.items():
        steps.setdefault(node, []).append(_moving(roll, ctx))
    for node, whole in ragged.selected.items():
        if whole is not None:
            steps.setdefault(node, []).append(_reading_all(whole, ctx))
    for node, counted in ragged.counts.items():
        steps.setdefault(node, []).append(_counting(counted, ctx))
    for turned in ragged.reversals:
        steps.setdefault(turned, []).append(lambda made: made.value if isinstance(made, cst.Subscript) else made.args[0].value)
    for call, position in ragged.axes_left_out.items():
        steps.setdefault(call, []).append(_without(position))
    for call, mask in ragged.reductions.items():
        steps.setdefault(call, []).append(_leaving_out(mask, ctx, names))
    for node, product in ragged.products.items():
        steps.setdefault(node, []).append(_summing(node, product, ctx))
    for operand, mask in ragged.masks.items():
        steps.setdefault(operand, []).append(_masking(mask, ctx, names))
    for node, (call, start) in ragged.starts.items():
        steps.setdefault(node, []).append(_counting_from(node, call, start, ctx))
    return {node: _all(each) for node, each in steps.items()}


def _reading_all(whole: Whole, ctx: Context) -> Edit:
    if len(builders.flat(whole.subscript.slice)) == 1:
        return lambda _made: builders.operand(ctx.rewritten(whole.subscript.value))

    def edit(_made: cst.CSTNode) -> cst.BaseExpression:
        made = ctx.rewritten_inside(whole.subscript)
        assert isinstance(made, cst.Subscript)
        return _with_parts(made, {whole.part: cst.Slice(None, None)})

    return edit


def _without(position: int) -> Edit:
    """A call without the argument at a position."""

    def edit(made: cst.Call) -> cst.Call:
        args = [a for k, a in enumerate(made.args) if k != position]
        return made.with_changes(args=[*args[:-1], *(a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in args[-1:])])

    return edit


def _counting(mask: cst.BaseExpression, ctx: Context) -> Edit:
    count = builders.dotted(ctx.names.name_of("jax.numpy.count_nonzero")[0])
    return lambda _made: builders.call(count, ctx.rewritten(mask))


def _all(steps: list[Edit]) -> Edit:
    def edit(made: cst.CSTNode) -> object:
        for each in steps:
            made = each(made)
        return made

    return edit


def _masking(mask: Mask, ctx: Context, names: Mapping[Axes, str]) -> Edit:
    mask = _named(mask, names)
    return lambda made: masks.filled(mask, made, ctx)


def _leaving_out(mask: Mask, ctx: Context, names: Mapping[Axes, str]) -> Edit:
    mask = _named(mask, names)
    return lambda made: builders.with_keyword(made, "where", masks.condition(mask, ctx))


def _named(mask: Mask, names: Mapping[Axes, str]) -> Mask:
    """A mask as the variable that is bound to it, if there is one."""
    return replace(mask, selection=cst.Name(names[mask.axes])) if mask.axes in names else mask


def _summing(node: cst.BaseExpression, product: Product, ctx: Context) -> Edit:
    """A product of vectors as the sum of the selected products, in the dtype of the product."""
    dot, total, result_type = (
        builders.dotted(ctx.names.name_of(f"jax.numpy.{name}")[0]) for name in ("dot", "sum", "result_type")
    )
    mapped = _maps_one_side(node, product, ctx)

    def edit(_made: cst.BaseExpression) -> cst.BaseExpression:
        left, right = (builders.operand(ctx.rewritten(side)) for side in (product.left, product.right))
        if mapped:
            left, right = (masks.filled(product.mask, builders.bare(side), ctx) for side in (left, right))
            plain = isinstance(node, cst.BinaryOperation)
            made = cst.BinaryOperation(left, cst.MatrixMultiply(), right) if plain else builders.call(dot, left, right)
            if not product.typed:
                return made
            typed = builders.call(result_type, *(cst.Name(name) for name in product.typed))
            return builders.method(made, "astype", typed)  # 0 converts bools to integers
        made = builders.call(total, cst.BinaryOperation(left, cst.Multiply(), right))
        made = builders.with_keyword(made, "where", masks.condition(product.mask, ctx))
        if not product.typed:
            return made
        typed = builders.call(result_type, *(cst.Name(name) for name in product.typed))
        return builders.with_keyword(made, "dtype", typed)

    return edit


def _maps_one_side(node: cst.BaseExpression, product: Product, ctx: Context) -> bool:
    """Whether `jax.vmap` maps a loop in which one of two vectors and the mask are invariant: a product of a matrix and a vector.

    XLA sums a single product as fast, without two copies of the operands.
    """
    at, moving = ctx.parent(node), set[str]()
    while at is not None and not isinstance(at, cst.FunctionDef):
        match ctx.loops.loop_plan(at) if isinstance(at, cst.For) else None:
            case Vectorized(iterations=found) if not found.elementwise and not found.expensive:
                moving.update(found.indices, dict(found.rows), ctx.flow.uses([found.nest[-1].body])[1])
        at = ctx.parent(at)
    bounds = [bound for _back, b in product.mask.axes for bound in b.written]
    if not moving or any(not moving.isdisjoint(builders.names(bound)) for bound in bounds):
        return False
    left, right = (moving.isdisjoint(builders.names(side)) for side in (product.left, product.right))
    return left is not right


def _counting_from(node: cst.BaseExpression, call: cst.Call, start: str, ctx: Context) -> Edit:
    """A position in the whole axis as one in the slice from `start` on; `node` is the call, or its sum with the start."""
    maximum = builders.dotted(ctx.names.name_of("jax.numpy.maximum")[0])
    first = cst.parse_expression(start)

    def edit(made: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(made, cst.BinaryOperation) and isinstance(node, cst.BinaryOperation):
            return builders.call(maximum, made.left if node.left is call else made.right, first)
        return builders.call(maximum, cst.BinaryOperation(made, cst.Subtract(), builders.operand(first)), cst.Integer("0"))

    return edit


def _reading(read: Read, target: bool, ctx: Context) -> Edit:
    """A subscript with other parts. `target`: it stays a subscript, because it is the target of a store."""

    def edit(made: cst.Subscript) -> cst.BaseExpression:
        if read.roll is not None:
            return _rolled(made.value, *read.roll, ctx)
        return _with_parts(made, {k: _part(how, ctx) for k, how in read.parts.items()}, target)

    return edit


def _moving(roll: Roll, ctx: Context) -> Edit:
    return lambda made: _rolled(made, *roll, ctx)


def _with_parts(made: cst.Subscript, others: Mapping[int, cst.BaseSlice], target: bool = False) -> cst.BaseExpression:
    parts = builders.flat(made.slice)
    for k, other in others.items():
        parts[k] = cst.SubscriptElement(other)
    while len(parts) > 1 and masks.all_slices(parts[-1:]):
        parts = parts[:-1]
    if masks.all_slices(parts) and not target:
        return builders.operand(made.value)
    return made.with_changes(slice=builders.clean(parts))


def _rolled(array: cst.BaseExpression, sign: int, shift: str, ctx: Context) -> cst.BaseExpression:
    """`jnp.roll(x, k, axis=0)`, of `x[::-1]` for the sign -1: many times faster on a CPU than a gather."""
    if sign < 0:
        backwards = cst.Slice(None, None, cst.parse_expression("-1"), cst.Colon(), cst.Colon())
        array = cst.Subscript(builders.operand(array), [cst.SubscriptElement(backwards)])
    made = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.roll")[0]), array, cst.parse_expression(shift))
    return builders.with_keyword(made, "axis", cst.Integer("0"))


def _part(how: cst.BaseSlice | tuple[int, str, Bounds] | None, ctx: Context) -> cst.BaseSlice:
    if how is None:
        return cst.Slice(None, None)
    if not isinstance(how, tuple):
        return how
    sign, offset, bounds = how
    name = ctx.slices.positions(bounds)
    if sign < 0:
        return cst.Index(cst.parse_expression(f"{offset} - {name}" if offset != "0" else f"-{name}"))
    if offset == "0":
        return cst.Index(cst.Name(name))
    alone = offset.lstrip("-").isalnum()
    if offset.startswith("-") and alone:
        return cst.Index(cst.parse_expression(f"{name} - {offset[1:]}"))
    return cst.Index(cst.parse_expression(f"{name} + {offset}" if alone else f"{name} + ({offset})"))
