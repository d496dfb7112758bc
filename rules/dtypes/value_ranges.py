"""The range in which an expression certainly lies: that of its integer dtype, of a literal, of `np.clip`, of a remainder.

NaN is in no range, but passes through all of them.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..core.dtypes import bounds, kind, strong
from .jax_dtypes import named_dtype, numpy_dtype

LIMITS = {"a_min": 0, "min": 0, "a_max": 1, "max": 1}  # parameters of np.clip
REMAINDERS = ("numpy.mod", "numpy.remainder")


class Range(NamedTuple):
    """Both ends are included. An end that is written as a number is a float, as it is compared with floats."""

    low: float
    high: float


def fits(node: cst.BaseExpression, dtype: str, ctx: Context) -> bool:
    """Whether the values of an expression, cut off to integers, certainly are values of an integer dtype."""
    found, (low, high) = value_range(node, ctx), bounds(dtype)
    if found is None:
        return False
    narrow = high >= 2**24 and numpy_dtype(ctx.value(node)) != "float64"
    first, last = map(_narrowed, found) if narrow else found
    return low - 1 < first and last < high + 1


def _narrowed(end: float) -> float:
    """An end as a float32, to which 2**31 - 1 is rounded up."""
    return float(struct.unpack("f", struct.pack("f", end))[0]) if isinstance(end, float) and abs(end) < 1e38 else end


def value_range(node: cst.BaseExpression, ctx: Context) -> Range | None:
    """The range of an expression, None where it is not known."""
    match node:
        case cst.Integer() | cst.Float():
            return Range(float(node.evaluated_value), float(node.evaluated_value))
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            found = value_range(inner, ctx)
            return None if found is None else Range(-found.high, -found.low)
        case cst.Attribute(value=cst.Call(func=func, args=[cst.Arg(value=asked)]), attr=cst.Name(value="min" | "max" as end)):
            dtype = named_dtype(asked, ctx) if ctx.qualname(func) == "numpy.iinfo" else ""
            if kind(dtype) in ("i", "u"):
                limit = float(bounds(dtype)[end == "max"])
                return Range(limit, limit)
        case cst.BinaryOperation(left=left, operator=cst.Modulo(), right=right):
            return _remainder(left, right, ctx)
        case cst.Call():
            return _of_call(node, ctx)
    dtype = strong(numpy_dtype(ctx.value(node)))
    return Range(*bounds(dtype)) if kind(dtype) in ("i", "u") else None


def _of_call(node: cst.Call, ctx: Context) -> Range | None:
    name = ctx.qualname(node.func) or ""
    positional = [a.value for a in node.args if a.keyword is None and not a.star]
    if name in REMAINDERS and len(positional) > 1:
        return _remainder(positional[0], positional[1], ctx)
    method = isinstance(node.func, cst.Attribute) and node.func.attr.value == "clip" and not name.startswith("numpy.")
    if name != "numpy.clip" and not method:
        return None
    limits: list[cst.BaseExpression | None] = [*(positional if method else positional[1:]), None, None][:2]
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value in LIMITS:
            limits[LIMITS[argument.keyword.value]] = argument.value
    low, high = (None if limit is None else value_range(limit, ctx) for limit in limits)
    if low is None or high is None:
        return None
    return Range(min(low.low, high.low), high.high)  # where the limits are in the wrong order, the upper one wins


def _remainder(value: cst.BaseExpression, divisor: cst.BaseExpression, ctx: Context) -> Range | None:
    """A remainder has the sign of the divisor, and is smaller, but for a rounding error (-1e-20 % 256 is 256.0)."""
    found = value_range(divisor, ctx)
    if found is None or kind(strong(numpy_dtype(ctx.value(value)))) not in ("b", "i", "u", "f", ""):
        return None
    return Range(min(math.nextafter(found.low, math.inf), 0.0), max(math.nextafter(found.high, -math.inf), 0.0))
