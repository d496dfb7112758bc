"""Segmented sums: sums between one bound and the next, `x[p[i] : p[i + 1]]`, as over the rows of a CSR matrix."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.facts.dynamic_slices import Bounds, Mask, Product, Ragged
from ....rules.facts.parallel_loops import Access, Segment
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.builders import summed
from ...syntax.source import walk
from ..symbolic.inequalities import nonnegative
from .loop_nest import Nest, binds_only


def segments(nest: Nest) -> dict[cst.CSTNode, Segment]:
    """The sums in a loop's iterations that can be computed for all iterations in parallel, by expression."""
    found: dict[cst.CSTNode, Segment] = {}
    if len(nest.names) != 1 or nest.rows or nest.order[0].step != 1:
        return found
    segment_aliases = _segment_aliases(nest)
    binders = dict[cst.CSTNode, None]()
    for root, plan in nest.plans.items():
        if plan.selection or any((plan.stores, plan.windows, plan.reversals, plan.fits, plan.moved)):
            continue
        made = [
            _segment(nest, root, plan, segment_aliases, binders, node, mask, product) for node, mask, product in _sums(nest, plan)
        ]
        if made and None not in made and len(made) == len(plan.products) + len(plan.reductions) + len(plan.masks):
            found |= {each.node: each for each in made if each is not None}
    inside = {n for each in found.values() for place in each.sliced for n, _parent in walk(place)}
    for binder in binders:
        if not binds_only(nest, binder, inside | {n for h in segment_aliases.values() for n, _parent in walk(h)}):
            return {}
    return found


def slice_aliases(nest: Nest) -> set[cst.CSTNode]:
    """The assignments `part = x[p[i] : p[i + 1]]`, where `part` becomes all of x for a segmented sum, and those of the bounds."""
    if not nest.segments:
        return set()
    return {*_segment_aliases(nest).values(), *(binder for each in nest.segments.values() for binder in each.binders)}


def _segment_aliases(nest: Nest) -> dict[str, cst.CSTNode]:
    found: dict[str, cst.CSTNode] = {}
    for node, plan in nest.plans.items():
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Subscript() as value):
                if [*plan.reads] == [value] and len(plan.sliced) == 1:
                    found[name] = node
    return found


def _sums(nest: Nest, plan: Ragged) -> Iterator[tuple[cst.BaseExpression, Mask, Product | None]]:
    for node, product in plan.products.items():
        yield node, product.mask, product
    for call, mask in plan.reductions.items():
        if _is_sum(nest, call):
            yield call, mask, None
    for operand, mask in plan.masks.items():
        enclosing = nest.run.source.parents[operand]
        maker = None if enclosing is None else nest.run.source.parents[enclosing]
        if mask.fill == "0" and isinstance(maker, cst.Call) and _is_sum(nest, maker) and summed(maker) is operand:
            yield maker, mask, None


def _is_sum(nest: Nest, call: cst.Call) -> bool:
    """Whether a call is `np.sum(x)` or `x.sum()`, without an axis, a dtype or a mask."""
    name = nest.run.scopes.qualname(call.func) or ""
    if name:
        return name == "numpy.sum" and len(call.args) == 1 and call.args[0].keyword is None
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "sum" and not call.args


def _segment(
    nest: Nest,
    root: cst.CSTNode,
    plan: Ragged,
    segment_aliases: dict[str, cst.CSTNode],
    binders: dict[cst.CSTNode, None],
    node: cst.BaseExpression,
    mask: Mask,
    product: Product | None,
) -> Segment | None:
    if len(mask.axes) != 1 or mask.selection is not None or mask.behind:
        return None
    ((back, bounds),) = mask.axes
    last, bound = _next(nest, bounds) if back == 0 and bounds.step is None else (None, ())
    factors = [product.left, product.right] if product is not None else [summed(node)]
    if last is None or any(category(nest.run.values.get(f, UNKNOWN).dtype) == 0 for f in factors):
        return None
    cut = tuple(n for f in factors for n, _parent in walk(f) if isinstance(n, cst.Subscript) and n in plan.reads)
    if any(
        len(n.slice) != 1 or plan.reads[n].roll is not None or any(p is not None for p in plan.reads[n].parts.values())
        for n in cut
    ):
        return None
    inside = {n for each in cut for n, _parent in walk(each)}
    moving = {*nest.names, *nest.loop.carry, *(nest.private - segment_aliases.keys())}
    if any(isinstance(n, cst.Name) and n not in inside and n.value in moving for f in factors for n, _parent in walk(f)):
        return None
    binders.update(dict.fromkeys(bound))
    return Segment(node, root, product, cut, last, bound)


def _next(nest: Nest, bounds: Bounds) -> tuple[Access | None, tuple[cst.CSTNode, ...]]:
    """The read of the second bound, where the first one is the element before it, in a loop-invariant array; and the assignments
    that bind variables to the bounds.
    """
    nothing: tuple[None, tuple[cst.CSTNode, ...]] = None, ()
    if bounds.lower is None or bounds.upper is None:
        return nothing
    (lower, one_binder), (upper, other_binder) = nest.evolution.meaning(bounds.lower), nest.evolution.meaning(bounds.upper)
    match lower, upper:
        case (
            cst.Subscript(value=cst.Name(value=array), slice=[cst.SubscriptElement(slice=cst.Index(value=first))]),
            cst.Subscript(value=cst.Name(value=same), slice=[cst.SubscriptElement(slice=cst.Index(value=second))]),
        ) if array == same and array not in nest.loop.carry:
            pass
        case _:
            return nothing
    assert isinstance(upper, cst.Subscript)
    one, other = nest.evolution.form(first), nest.evolution.form(second)
    access = nest.access(upper)
    low = nest.bounds[0][0]
    if one is None or other is None or low is None or (other - one).number != 1 or access is None or access.axes != (0,):
        return nothing
    if nest.run.values.get(upper.value, UNKNOWN).rank not in (-1, 1):
        return nothing
    if not nonnegative(low + (access.offsets[0] - 1), nest.evolution.facts(nest.nest[0])):
        return nothing
    return access, tuple(dict.fromkeys(b for b in (one_binder, other_binder) if b is not None))
