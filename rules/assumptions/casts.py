"""A float that is cast to an integer is a value of the integer dtype, and no NaN.

NumPy gives what the processor gives, or wraps around. JAX gives the nearest integer of the dtype, and 0 for NaN.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category
from ..core.dtypes import kind as dtype_kind
from ..core.findings import Kind
from ..dtypes.jax_dtypes import named_dtype
from ..dtypes.value_ranges import fits
from ..syntax import builders
from .jax_operands import ARRAYS, candidates, known_dtype, quoted, runs_in_jax

kind = ConditionKind("cast", "test the values before (`np.isfinite(x).all()`), and bring them into the range (`np.clip`)")
CONVERSIONS = ("numpy.array", "numpy.asarray", "numpy.asanyarray", "numpy.ascontiguousarray", "numpy.full", "numpy.full_like")
INTEGERS = "int8 int16 int32 int64 intp int_ uint8 uint16 uint32 uint64".split()
FUNCTIONS = ("builtins.int", *(f"numpy.{name}" for name in INTEGERS))


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    name = ctx.qualname(node.func) or ""
    plain = [a.value for a in node.args if a.keyword is None and not a.star]
    asked = next((a.value for a in node.args if a.keyword is not None and a.keyword.value == "dtype"), None)
    if isinstance(node.func, cst.Attribute) and not name.startswith("numpy."):
        array, method = node.func.value, node.func.attr.value
        if method == "astype" and (asked is not None or plain):
            yield from _cast(node, array, named_dtype(asked or plain[0], ctx), ctx)
        elif method == "fill" and plain:
            yield from _stored(node, array, plain[0], ctx)
    elif name in FUNCTIONS and plain:
        yield from _cast(node, plain[0], named_dtype(node.func, ctx) or "int64", ctx)
    elif (name == "numpy.copyto" and len(plain) > 1) or (name == "numpy.full_like" and len(plain) > 1 and asked is None):
        yield from _stored(node, plain[0], plain[1], ctx)
    elif name in CONVERSIONS and plain:
        value = plain[1] if "full" in name and len(plain) > 1 else plain[0]
        rest = plain[plain.index(value) + 1 :]
        if asked is not None or rest:
            yield from _cast(node, value, named_dtype(asked or rest[0], ctx), ctx)


@kind.on(cst.Assign)
def assigned(node: cst.Assign, ctx: Context) -> Iterator[Assumption]:
    for target in node.targets:
        if isinstance(target.target, cst.Subscript):
            yield from _stored(target.target, target.target.value, node.value, ctx)


@kind.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
    """An element: NumPy refuses floats that are added to an array of integers, or to a part of one."""
    if not isinstance(node.target, cst.Subscript) or ctx.value(node.target).rank > 0:
        return
    array, division = node.target.value, isinstance(node.operator, cst.DivideAssign)
    if any(isinstance(part.slice, cst.Slice) for part in node.target.slice):
        return
    if ctx.kind(array) not in ARRAYS or not runs_in_jax(ctx, array):
        return
    if not division and (not _is_float(node.value, ctx) or _of_same(node.value, array)):
        return
    dtype, made = known_dtype(array, ctx), quoted(builders.binary(node.target, node.operator, node.value))
    if dtype_kind(dtype) in ("i", "u"):
        yield Assumption(node, f"{made} is in the range of {dtype}, and has no NaN")
    elif not dtype and any(category(one) < 2 for one in candidates(array, ctx)):
        yield Assumption(node, f"{quoted(array)} is not of integers, or {made} fits into them and is no NaN")


def _stored(node: cst.CSTNode, array: cst.BaseExpression, value: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    """What is stored into an integer array becomes an integer."""
    if ctx.kind(array) not in ARRAYS or not runs_in_jax(ctx, array):
        return
    if known := known_dtype(array, ctx):
        yield from _cast(node, value, known, ctx)
    elif any(category(dtype) < 2 for dtype in candidates(array, ctx)) and _is_float(value, ctx) and not _of_same(value, array):
        yield Assumption(node, f"{quoted(array)} is not of integers, or {quoted(value)} fits into them and is no NaN")


def _cast(node: cst.CSTNode, value: cst.BaseExpression, dtype: str, ctx: Context) -> Iterator[Assumption]:
    if dtype_kind(dtype) not in ("i", "u") or ctx.kind(value) not in (*ARRAYS, Kind.SCALAR) or not runs_in_jax(ctx, value):
        return
    if not any(category(one) >= 2 for one in candidates(value, ctx)):
        return
    if dtype == "int":
        dtype = "int64"
    if fits(value, dtype, ctx):
        yield Assumption(node, f"{quoted(value)} has no NaN")
    else:
        yield Assumption(node, f"{quoted(value)} is in the range of {dtype}, and has no NaN")


def _of_same(value: cst.BaseExpression, array: cst.BaseExpression) -> bool:
    """Whether a value consists of elements of the array itself."""
    while isinstance(value, cst.Subscript):
        value = value.value
    return value.deep_equals(array)


def _is_float(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a value certainly is, or may be, computed as a float: not an element of the array itself."""
    dtype = known_dtype(node, ctx)
    return category(dtype) >= 2 if dtype else any(category(one) >= 2 for one in candidates(node, ctx))
