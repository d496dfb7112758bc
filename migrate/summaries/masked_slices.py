"""Slices of varying length that NumPy reads faster than the masks that replace them in compiled code.

A mask reads whole axes. Where the slices have a constant fraction of an axis on average (`x[:i]` for all `i`), that costs two to three times
the work, which compiling gains many times over where it is a pass over a vector. It loses where the fraction vanishes (`x[i::i]`,
`x[i : i + 3]`), as far as is known, or where the work itself is large: matrices of which both axes are cut, or that are multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...rules.facts.dynamic_slices import Bounds, Ragged
from ...rules.facts.values import UNKNOWN
from ...rules.syntax.source_text import code
from ...rules.syntax.tree import walk
from ..analysis.parallel.parallel_loops import classify
from ..analysis.slices.sliced_axes import slices, varies
from ..analysis.state.index_expressions import flat
from ..analysis.state.interpreter_state import Run
from ..analysis.symbolic.affine import Affine, substitute
from ..analysis.symbolic.inequalities import nonnegative
from ..analysis.symbolic.scalar_evolution import ScalarEvolution, evolution_in
from .products import is_product

FRACTION = 8  # an eighth of an axis, at least, or some elements
FEW = 4


def slower_with_masks(run: Run) -> Iterator[str]:
    """Why masks would make a unit slower."""
    if not run.slices.ragged or run.unit.owner is None:
        return
    evolution = evolution_in(run)
    for root, ragged in run.slices.ragged.items():
        if ragged.selection:
            continue
        for bounds in ragged.bounds:
            if may_be_short(bounds) and not has_fraction(evolution, root, bounds):
                lower, upper = ("" if part is None else code(part) for part in (bounds.lower, bounds.upper))
                written = f"{bounds.array}[{lower}:{upper}{'' if bounds.step is None else f':{code(bounds.step)}'}]"
                yield f"a mask of the whole axis would replace `{written}`, which may be much shorter"
        large, searched = next(large_parts(run, root, ragged), None), next(searches(run, ragged), None)
        if (large is not None or searched is not None) and one_by_one(run, evolution, root):
            yield (
                f"a mask of the whole matrix would replace `{code(large)}`, in every iteration"
                if large is not None
                else f"`{searched}` of a mask of the whole axis takes longer than of the slice, in every iteration"
            )


def may_be_short(bounds: Bounds) -> bool:
    """Whether a slice may have few items of a long axis. Rows of a sparse matrix, from `starts[i]` to `starts[i + 1]`, are summed
    by segments instead."""
    match bounds.lower, bounds.upper:
        case cst.Subscript(value=cst.Name(value=lower)), cst.Subscript(value=cst.Name(value=upper)) if lower == upper:
            return False
    return bounds.step is not None or (bounds.lower is not None and bounds.upper is not None)


def has_fraction(evolution: ScalarEvolution, root: cst.CSTNode, bounds: Bounds) -> bool:
    """Whether the slices have a constant fraction of an axis on average over the iterations. The average of an affine length is that of
    its first and its last value."""
    if bounds.step is not None or bounds.lower is None or bounds.upper is None:
        return False
    low, high = (evolution.form(part, root) for part in (bounds.lower, bounds.upper))
    if low is None or high is None:
        return False
    whole = evolution.extent(bounds.array, bounds.axis, root)
    total, count = high - low, 1  # `count` times the average over the indices so far
    facts: list[Affine] = []
    ranges = evolution.ranges(root)
    for each in reversed(ranges):  # an inner loop may depend on outer ones
        if each.index not in total.names:
            continue
        if each.start is None or each.stop is None or abs(each.step) != 1:
            return False
        end = each.stop - each.step
        facts.append((end - each.start) * each.step)
        total = substitute(total, {each.index: each.start}) + substitute(total, {each.index: end})
        count *= 2
    if total.names & {each.index for each in ranges}:
        return False
    return nonnegative(total * FRACTION - whole * count + FEW * FRACTION * count, facts)


def large_parts(run: Run, root: cst.CSTNode, ragged: Ragged) -> Iterator[cst.Subscript]:
    """The slices of matrices of which both axes are cut, or that are operands of products."""
    for subscript in ragged.sliced:
        if subscript in ragged.windows:
            continue
        parts = [part for part in flat(subscript) if isinstance(part, cst.Slice)]
        cut = sum(any(varies(run, bound) for bound in slices(part)) for part in parts)
        matrix = len(parts) > 1 or run.values.get(subscript, UNKNOWN).rank > 1
        if cut > 1 or (cut and matrix and multiplied(run, root, subscript, ragged)):
            yield subscript


def searches(run: Run, ragged: Ragged) -> Iterator[str]:
    """The functions that search masked slices for their extremes: XLA compares one element at a time, NumPy several."""
    for node in ragged.masks:
        above = run.source.parents[node]
        call = run.source.parents[above] if above is not None else None
        match call:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="argmax" | "argmin" as name))):
                yield name


def multiplied(run: Run, root: cst.CSTNode, subscript: cst.Subscript, ragged: Ragged) -> bool:
    """Whether a slice is part of a masked operand of a product in the same statement. Along other axes, the result is masked."""
    masked = [node for node in ragged.masks if run.source.inside(subscript, node)]
    products = [node for node, _above in walk(root) if is_product(node, run)]
    return any(node is not product and run.source.inside(node, product) for node in masked for product in products)


def one_by_one(run: Run, evolution: ScalarEvolution, root: cst.CSTNode) -> bool:
    """Whether iterations of a loop around a statement run one after the other."""
    for node in run.source.above(root):
        if node is run.unit.owner:
            return False
        if isinstance(node, cst.While):
            return True
        if isinstance(node, cst.For) and (loop := run.loops.compiled.get(node)) is not None and not loop.why:
            found = classify(run, evolution, node, loop, lambda _node: True)
            if found is None or found.expensive:
                return True
    return False
