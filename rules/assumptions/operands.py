"""An integer of Python that is combined with an array of integers is a value of its dtype.

NumPy raises OverflowError for `x + 300` and int8, and compares exactly. JAX wraps the number around first. Where jit traces
integers of Python, products of them have 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core import dtypes
from ..core.assumptions import Assumption, ConditionKind
from ..core.findings import Kind
from ..dtypes.value_ranges import value_range
from ..facts.iteration_space import integer
from .jax_operands import ARRAYS, candidates, known_dtype, quoted, runs_in_jax, subject

kind = ConditionKind("operand", "annotate the dtype (`x: NDArray[np.float64]`), or test the number")
PRODUCTS = (cst.Multiply, cst.LeftShift)
EXCEPT = (cst.Divide, cst.Power, cst.MatrixMultiply)
COMPARED = (cst.Equal, cst.NotEqual, cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
CLIPS = ("numpy.clip",)
INTEGERS = [dtype for dtype in dtypes.BITS if dtypes.kind(dtype) in ("i", "u")]


@kind.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Assumption]:
    if not isinstance(node.operator, EXCEPT):
        yield from _met(node, [node.left, node.right], ctx)
    if isinstance(node.operator, PRODUCTS) and not isinstance(ctx.parent(node), cst.Index):
        yield from _product(node, node.left, node.right, ctx)


@kind.on(cst.AugAssign)
def updated(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, (cst.MultiplyAssign, cst.LeftShiftAssign)):
        yield from _product(node, node.target, node.value, ctx)


@kind.on(cst.For, cst.While)
def loop(node: cst.For | cst.While, ctx: Context) -> Iterator[Assumption]:
    for name in sorted(ctx.loops.growing_integers(node)):
        yield Assumption(node, f"`{name}` has 64 bits at most")


def _product(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    """The condition for the product of two integers of Python that are traced."""
    if all(_is_python(side, ctx) and not ctx.is_static(side) for side in (left, right)):
        yield Assumption(node, f"{quoted(node if isinstance(node, cst.BinaryOperation) else left)} has 64 bits at most")


@kind.on(cst.Comparison)
def comparison(node: cst.Comparison, ctx: Context) -> Iterator[Assumption]:
    left = node.left
    for part in node.comparisons:
        if isinstance(part.operator, COMPARED):
            yield from _met(node, [left, part.comparator], ctx)
        left = part.comparator


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    name = ctx.qualname(node.func) or ""
    arguments = [a.value for a in node.args if not a.star]
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is not None and (entry.ufunc == 2 or name in CLIPS) and not ctx.host.on_host(node):
        yield from _met(node, arguments, ctx)
    elif isinstance(node.func, cst.Attribute) and node.func.attr.value == "clip" and not name:
        yield from _met(node, [node.func.value, *arguments], ctx)


def _met(node: cst.CSTNode, operands: Sequence[cst.BaseExpression], ctx: Context) -> Iterator[Assumption]:
    """The conditions for the arrays of integers among the operands, and the integers of Python."""
    numbers = [operand for operand in operands if _is_python(operand, ctx)]
    for array in operands:
        if array in numbers or ctx.kind(array) not in (*ARRAYS, Kind.SCALAR) or not runs_in_jax(ctx, array):
            continue
        known = known_dtype(array, ctx)
        if known and not (dtypes.kind(known) in ("i", "u") and known != "int"):
            continue
        possible = [dtype for dtype in candidates(array, ctx) if dtype in INTEGERS]
        for number in numbers:
            yield from _combined(node, array, number, possible, bool(known), ctx)


def _combined(
    node: cst.CSTNode, array: cst.BaseExpression, number: cst.BaseExpression, possible: list[str], known: bool, ctx: Context
) -> Iterator[Assumption]:
    found = integer(number)
    if found is not None:
        wrong = [dtype for dtype in possible if not dtypes.holds(dtype, found)]
        if wrong and known:
            yield Assumption(node, f"{found} is a value of {wrong[0]}")
        elif wrong:
            yield Assumption(node, f"{subject(array, ctx=ctx)} not of {'an unsigned dtype' if found < 0 else ' or '.join(wrong)}")
        return
    limits = value_range(number, ctx)
    narrow = [dtype for dtype in possible if dtype != "int64"]
    if narrow and (limits is None or not all(dtypes.holds(dtype, int(end)) for dtype in narrow for end in limits)):
        yield Assumption(node, f"{quoted(number)} is a value of {narrow[0] if known else f'the dtype of {quoted(array)}'}")


def _is_python(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether it is an integer of Python: a literal, a variable, or computed from variables."""
    value = ctx.value(node)
    return value.kind is Kind.SCALAR and value.dtype == "int" and not value.device
