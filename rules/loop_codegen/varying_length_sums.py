"""Sums over slices whose length varies from one iteration to the next, for all iterations in parallel: calls of functions that
are copied into the module."""

from __future__ import annotations

import libcst as cst

from ..core.findings import Edit
from ..facts.parallel_loops import MaskedProduct, Segment
from ..slices import masks
from ..syntax import builders, loop_ranges
from .iteration_slices import colon, none, span
from .whole_array_writer import WholeArrays

MASKED = "_masked_matmul"
SEGMENTS = "_segment_sums"


def edits(writer: WholeArrays) -> dict[cst.CSTNode, Edit]:
    """The edits of the products and sums of a loop, and of the subscripts in them."""
    found = writer.found
    made: dict[cst.CSTNode, Edit] = {product.node: _multiplied(writer, product) for product in found.products}
    made.update({segment.node: _summed(writer, segment) for segment in found.segments})
    made.update({node: _all_of(writer, node) for segment in found.segments for node in segment.sliced})
    return made


def inside(writer: WholeArrays) -> set[cst.CSTNode]:
    """The subscripts that these edits rewrite."""
    sides = {access.node for product in writer.found.products for access in (product.left, product.right)}
    return sides.union(*(segment.sliced for segment in writer.found.segments))


def _all_of(writer: WholeArrays, node: cst.Subscript) -> Edit:
    return lambda _made: builders.operand(writer.ctx.rewritten(node.value))


def _multiplied(writer: WholeArrays, product: MaskedProduct) -> Edit:
    """The products of all iterations, as a matrix product."""
    writer.definitions.add(MASKED)

    def edit(_made: cst.BaseExpression) -> cst.BaseExpression:
        left, right = (writer.sliced(access, aligned=False) for access in (product.left, product.right))
        if (product.left.axes or ()).index(-2) < (product.left.axes or ()).index(product.row):
            left = cst.Attribute(left, cst.Name("T"))
        columns = [a for a in product.right.axes or () if a >= 0 or a == -2]
        if columns[-1] == -2 and len(columns) == 2:
            right = cst.Attribute(right, cst.Name("T"))
        column = cst.Subscript(writer.arange(product.row), builders.clean([colon(), none()]))
        selected = builders.replaced(masks.condition(product.mask, writer.ctx), {writer.found.indices[product.row]: column})
        made = builders.call(cst.Name(writer.ctx.names.defined(MASKED)), selected, left, right)
        return cst.Attribute(made, cst.Name("T")) if product.row == 1 else made

    return edit


def _summed(writer: WholeArrays, segment: Segment) -> Edit:
    """`_segment_sums(x, p)`: the sums of all iterations."""
    writer.definitions.add(SEGMENTS)

    def edit(made: cst.BaseExpression) -> cst.BaseExpression:
        function = cst.Name(writer.ctx.names.defined(SEGMENTS))
        if segment.product is None:
            return builders.call(function, builders.bare(builders.summed(made)), _bounds(writer, segment))
        left, right = (writer.ctx.rewritten(side) for side in (segment.product.left, segment.product.right))
        product = builders.binary(builders.operand(left), cst.MultiplyAssign(), builders.operand(right))
        made = builders.call(function, product, _bounds(writer, segment))
        if not segment.product.typed:
            return made
        result_type = writer.name("jax.numpy.result_type")
        return builders.with_keyword(made, "dtype", builders.call(result_type, *map(cst.Name, segment.product.typed)))

    return edit


def _bounds(writer: WholeArrays, segment: Segment) -> cst.BaseExpression:
    """The bounds of all iterations: one more than the trip count."""
    low, high, _step = writer.bounds(0)
    offset, end = segment.last.offsets[0], segment.last.ends[0]
    lower, upper = loop_ranges.plus(low, offset - 1), loop_ranges.plus(high, offset)
    whole = cst.Module([]).code_for_node(upper) == f"{segment.last.array}.size"  # a vector
    last = None if end == 0 or whole else upper if end is None else builders.integer(-end)
    part = span(None if loop_ranges.is_zero(lower) else lower, last, None)
    array = cst.Name(segment.last.array)
    return array if builders.whole([part]) else cst.Subscript(array, [part])
