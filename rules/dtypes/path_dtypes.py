"""Values to which NumPy gives another dtype on one path than on another, where JAX has one dtype for both."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..facts.values import Value
from .jax_dtypes import numpy_dtype

SMALL = 128  # every dtype can represent the integers below
HALF = 65504.0  # the largest number of float16
EXTREMES = ("builtins.max", "builtins.min")
INEXACT = tuple(dtype for dtype in dtypes.BITS if dtypes.category(dtype) >= 2)


class Alternative(NamedTuple):
    """What a value may be on one path. `dtypes`: those that NumPy may give it. `weak`: JAX takes it for a Python scalar. `exact`:
    every dtype can represent it."""

    dtypes: tuple[str, ...]
    weak: bool = False
    exact: bool = False


def alternative(value: Value, inexact: bool, exact: bool = False) -> Alternative:
    """What is known of a value. `inexact`: it certainly is floating-point or complex."""
    known = numpy_dtype(value)
    return Alternative((known,) if known else INEXACT if inexact else tuple(dtypes.BITS), value.weak, exact)


def strong(path: Alternative) -> Alternative:
    """The same for an item of a list that becomes an array."""
    return Alternative(tuple(dict.fromkeys(map(dtypes.strong, path.dtypes))))


def differ(*paths: Alternative) -> bool:
    """Whether NumPy may give the value of one path a dtype, or digits, that it does not have in JAX."""
    return any(_differ(*pair) for pair in combinations(paths, 2))


@lru_cache(maxsize=1024)
def _differ(one: Alternative, other: Alternative) -> bool:
    for pair in product(one.dtypes, other.dtypes):
        made = dtypes.promote_jax(*(dtypes.weak(d) if path.weak else d for d, path in zip(pair, (one, other), strict=True)))
        if any(_changes(dtype, path.exact, made) for dtype, path in zip(pair, (one, other), strict=True)):
            return True
    return False


def _changes(dtype: str, exact: bool, made: str) -> bool:
    if not dtypes.is_weak(dtype):
        return dtype != dtypes.strong(made)
    return not exact and dtypes.is_narrow(made)  # a number of Python is rounded, or wraps around


def selected(item: cst.BaseExpression, ctx: Context) -> list[cst.BaseExpression]:
    """The expressions of which an item of a list is one."""
    match item:
        case cst.IfExp(body=body, orelse=orelse):
            return [*selected(body, ctx), *selected(orelse, ctx)]
        case cst.Call(func=func, args=args) if ctx.qualname(func) in EXTREMES and len(args) > 1:
            return [argument.value for argument in args]
    return [item]


def of_items(item: cst.BaseExpression, ctx: Context) -> str:
    """The Python scalar type with whose dtype NumPy makes an array of items, some of which are literals: `v if v > 0 else 0.0` of
    float32; "" where they have one dtype, or that is not known."""
    values = selected(item, ctx)
    known = [numpy_dtype(ctx.value(each)) for each in values]
    literal = [dtypes.is_weak(dtype) for dtype in known]
    if (
        not all(known)
        or all(literal)
        or not all(is_exact(v, ctx.qualname) for v, one in zip(values, literal, strict=True) if one)
    ):
        return ""
    made = dtypes.promote(*map(dtypes.strong, known))
    changes = any(literal) and made in dtypes.DEFAULTS and made != dtypes.promote(*known)
    return dtypes.weak(made) if changes and ctx.program.precision == "float64" else ""


def is_exact(node: cst.BaseExpression, qualname: Callable[[cst.BaseExpression], str | None]) -> bool:
    """Whether it is a literal whose value every integer or every floating-point dtype can represent."""
    match node:
        case cst.Integer(value=text):
            return int(text, 0) < SMALL
        case cst.Float(value=text) | cst.UnaryOperation(operator=cst.Minus(), expression=cst.Float(value=text)):
            number = float(text)
            return number < HALF and struct.unpack("e", struct.pack("e", number))[0] == number
        case cst.Name() | cst.Attribute():
            return (qualname(node) or "") in ("numpy.nan", "numpy.inf", "builtins.True", "builtins.False")
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return isinstance(inner, cst.Attribute) and is_exact(inner, qualname)
    return False


def all_exact(nodes: Iterable[cst.BaseExpression], qualname: Callable[[cst.BaseExpression], str | None]) -> bool:
    found = list(nodes)
    return bool(found) and all(is_exact(node, qualname) for node in found)
