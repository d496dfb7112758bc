"""The edits that read whole axes and arrays, and put masks where others do not count."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from . import functional, masks
from .context import Context
from .facts import replace
from .model import Edit
from .spans import Bounds, Mask, Ragged, Read

Axes = tuple[tuple[int, Bounds], ...]


def edits(ragged: Ragged, ctx: Context, names: Mapping[Axes, str]) -> Mapping[cst.CSTNode, Edit]:
    """The edits of one statement or condition, by node: how something is read comes first, what masks it after that."""
    steps: dict[cst.CSTNode, list[Edit]] = {}
    for subscript, read in ragged.reads.items():
        steps.setdefault(subscript, []).append(_reading(read, subscript in ragged.stores, ctx))
    for node, source in ragged.selected.items():
        if source is not node:
            steps.setdefault(node, []).append(_reading_all(source, ctx))
    for call in ragged.reversals:
        steps.setdefault(call, []).append(lambda made: made.args[0].value)
    for call, mask in ragged.reductions.items():
        steps.setdefault(call, []).append(_leaving_out(mask, ctx))
    for operand, mask in ragged.masks.items():
        steps.setdefault(operand, []).append(_masking(mask, ctx, names))
    return {node: _all(each) for node, each in steps.items()}


def _reading_all(source: cst.BaseExpression, ctx: Context) -> Edit:
    return lambda _made: functional.operand(ctx.rewritten(source))


def _all(steps: list[Edit]) -> Edit:
    def edit(made: cst.CSTNode) -> object:
        for each in steps:
            made = each(made)
        return made

    return edit


def _masking(mask: Mask, ctx: Context, names: Mapping[Axes, str]) -> Edit:
    if mask.axes in names:
        mask = replace(mask, chosen=cst.Name(names[mask.axes]))
    return lambda made: masks.filled(mask, made, ctx)


def _leaving_out(mask: Mask, ctx: Context) -> Edit:
    return lambda made: functional.with_keyword(made, "where", masks.condition(mask, ctx))


def _reading(read: Read, target: bool, ctx: Context) -> Edit:
    """A subscript with other parts; `target`: a subscript stays, of whatever is stored into."""

    def edit(made: cst.Subscript) -> cst.BaseExpression:
        parts = functional.flat(made.slice)
        for k, how in read.parts.items():
            parts[k] = cst.SubscriptElement(_part(how, ctx))
        while len(parts) > 1 and masks.all_slices(parts[-1:]):
            parts = parts[:-1]
        if masks.all_slices(parts) and not target:
            return functional.operand(made.value)
        return made.with_changes(slice=functional.clean(parts))

    return edit


def _part(how: cst.BaseSlice | tuple[int, str, Bounds] | None, ctx: Context) -> cst.BaseSlice:
    if how is None:
        return cst.Slice(None, None)
    if not isinstance(how, tuple):
        return how
    sign, offset, bounds = how
    name = ctx.positions(bounds)
    if sign < 0:
        return cst.Index(cst.parse_expression(f"{offset} - {name}" if offset != "0" else f"-{name}"))
    alone = offset.lstrip("-").isalnum()
    if offset.startswith("-") and alone:
        return cst.Index(cst.parse_expression(f"{name} - {offset[1:]}"))
    return cst.Index(cst.parse_expression(f"{name} + {offset}" if alone else f"{name} + ({offset})"))
