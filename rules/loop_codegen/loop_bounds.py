"""Range bounds that are elements of an array: Python counts with its own integers, JAX with the dtype of the array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core.dtypes import kind
from ..core.findings import Kind
from ..dtypes.jax_dtypes import numpy_dtype
from ..syntax import builders
from ..syntax.loop_ranges import range_in
from ..syntax.tree import walk

WIDE = ("int", "int64")


def narrow(node: cst.For, index_after: bool, ctx: Context) -> tuple[int, ...]:
    """The positions of bounds that may be narrower than the values computed with the index, or than the other bound.

    An index used only as an index, between elements of one array, is correct in any dtype.
    """
    through = ctx.loops.iteration_space(node).range
    assert through is not None
    bounds = through.bounds[:2]
    found = tuple(position for position, bound in enumerate(bounds) if _may_be_narrow(bound, ctx))
    if not found or not isinstance(node.target, cst.Name):
        return ()
    arrays = {_array(bounds[position]) for position in found}
    known = [numpy_dtype(ctx.value(bound)) for bound in bounds]
    same = len(arrays) == 1 and (len(found) == 1 or None not in arrays) and "int64" not in known
    if same and not any(kind(dtype) == "u" for dtype in known) and not index_after and _only_indexes(node, node.target.value):
        return ()
    return found


def widened(iterable: cst.BaseExpression, positions: Sequence[int]) -> cst.BaseExpression:
    """A (rewritten) range with some of its bounds cast to 64-bit integers."""
    made = range_in(iterable).iterable
    assert isinstance(made, cst.Call)
    args = [a.with_changes(value=_wide(a.value)) if position in positions else a for position, a in enumerate(made.args)]
    wide = made.with_changes(args=args)
    if made is iterable:
        return wide
    assert isinstance(iterable, cst.Call)
    return iterable.with_changes(args=[iterable.args[0].with_changes(value=wide)])


def _may_be_narrow(bound: cst.BaseExpression, ctx: Context) -> bool:
    """Whether JAX certainly computes a bound, which may have fewer than 64 bits."""
    value = ctx.value(bound)
    numbers = (Kind.ARRAY, Kind.SCALAR) if ctx.program.precision == "float64" else ()
    return value.kind in numbers and ctx.host.is_device(bound) and numpy_dtype(value) not in WIDE


def _wide(bound: cst.BaseExpression) -> cst.BaseExpression:
    return builders.method(bound, "astype", cst.Name("int"))


def _array(bound: cst.BaseExpression) -> str | None:
    """The variable of which a bound is an element, possibly plus or minus a constant."""
    match bound:
        case cst.Subscript(value=cst.Name(value=name)):
            return name
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract(), right=cst.Integer()):
            return _array(left)
    return None


def _only_indexes(node: cst.For, name: str) -> bool:
    """Whether every iteration uses the loop variable as an index, unchanged."""
    return all(used for used in _uses(node.body, name))


def _uses(body: cst.CSTNode, name: str) -> Iterator[bool]:
    """For each read of a variable, whether it is an index."""
    for at, parent in walk(body):
        if isinstance(at, cst.Name) and at.value == name:
            attribute = isinstance(parent, cst.Attribute) and parent.attr is at
            keyword = isinstance(parent, cst.Arg) and parent.keyword is at
            if not attribute and not keyword:
                yield isinstance(parent, cst.Index)
