"""Which operations JAX computes, and which of their operands have an unknown dtype."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..dtypes.inexact import is_inexact
from ..dtypes.jax_dtypes import numpy_dtype
from ..facts.values import Value
from ..syntax.source_text import code
from ..syntax.tree import children

NUMBERS = (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN)
ARRAYS = (Kind.ARRAY, Kind.UNKNOWN)
LONGEST = 40


def runs_in_jax(ctx: Context, *operands: cst.BaseExpression) -> bool:
    """Whether JAX computes an operation on these numbers, and not Python: some operand may be an array of JAX or is traced."""
    values = [ctx.value(operand) for operand in operands]
    if any(value.kind not in NUMBERS for value in values):
        return False
    return any(
        value.device
        or value.kind is Kind.ARRAY
        or not ctx.is_static(operand)
        or (value.kind is Kind.UNKNOWN and bool(value.deps))
        for operand, value in zip(operands, values, strict=True)
    )


def known_dtype(node: cst.BaseExpression, ctx: Context) -> str:
    """The dtype of a number, "" where it is not known."""
    value = ctx.value(node)
    if value.kind is Kind.UNKNOWN:
        return dtypes.strong(value.dtype) if value.dtype == "bool" else ""
    return numpy_dtype(value)


def may_be_integer(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number may be an integer or a bool."""
    dtype = known_dtype(node, ctx)
    return dtypes.category(dtype) < 2 if dtype else not is_inexact(node, ctx.value, ctx.qualname)


def candidates(node: cst.BaseExpression, ctx: Context) -> tuple[str, ...]:
    """The dtypes that a number may have."""
    if dtype := known_dtype(node, ctx):
        return (dtype,)
    inexact = not may_be_integer(node, ctx)
    return tuple(dtype for dtype in dtypes.BITS if not inexact or dtypes.category(dtype) >= 2)


def jax_candidate(value: Value, dtype: str) -> str:
    """The dtype with which a number takes part in the promotion of JAX, where it has this one in NumPy."""
    return dtypes.weak(dtype) if value.weak else dtype


def open_operands(node: cst.CSTNode, ctx: Context) -> Iterator[str]:
    """The variables and attributes of unknown dtype from which an expression is computed."""
    match node:
        case cst.Name() | cst.Attribute() if ctx.value(node).kind in ARRAYS and not ctx.value(node).dtype:
            if not isinstance(node, cst.Attribute) or ctx.value(node.value).kind is Kind.OBJECT:
                yield code(node)
                return
    match node:
        case cst.Subscript(value=base):  # an index has no influence on the dtype
            yield from open_operands(base, ctx)
        case cst.Call(func=func, args=args):
            if isinstance(func, cst.Attribute):
                yield from open_operands(func.value, ctx)
            for argument in args:
                yield from open_operands(argument.value, ctx)
        case cst.BaseExpression():
            for child in children(node):
                yield from open_operands(child, ctx)


def named(*nodes: cst.BaseExpression, ctx: Context) -> str:
    """How a condition names what it is about: "`a` and `b`"."""
    found = list(dict.fromkeys(name for node in nodes for name in open_operands(node, ctx)))
    return joined([f"`{name}`" for name in found], "and") if found else quoted(nodes[0])


def quoted(node: cst.CSTNode) -> str:
    """The code of a node for a message."""
    text = " ".join(code(node).split())
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[:LONGEST]}...`"


def joined(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
