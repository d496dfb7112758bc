"""Which operations JAX computes, and which of their operands have an unknown dtype."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..dtypes.inexact import is_inexact
from ..dtypes.jax_dtypes import numpy_dtype
from ..facts.values import PYTHON, UNKNOWN
from ..syntax.source_text import code

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


def jax_candidate(node: cst.BaseExpression, dtype: str, ctx: Context) -> str:
    """The dtype with which a number takes part in the promotion of JAX, where it has this one in NumPy."""
    value = ctx.value(node)
    if value.weak:
        return dtypes.weak(dtype)
    return dtypes.strong(dtype) if value.name == PYTHON or (dtype == "int" and _varies(node, ctx)) else dtype


def _varies(node: cst.CSTNode, ctx: Context) -> bool:
    """Whether an integer of Python is traced in a loop, where it may be an element of an array of indices."""
    at, static = ctx.parent(node), ctx.is_static(node)
    while not static and at is not None and not isinstance(at, (cst.FunctionDef, cst.Lambda)):
        if isinstance(at, (cst.For, cst.GeneratorExp, cst.ListComp)):
            return True
        at = ctx.parent(at)
    return False


def open_operands(node: cst.BaseExpression, ctx: Context) -> Iterator[str]:
    """The variables and attributes of unknown dtype from which an expression is computed."""
    match node:
        case cst.Name():
            if ctx.kind(node) in ARRAYS and not ctx.value(node).dtype and ctx.value(node) != UNKNOWN:
                yield code(node)
        case cst.Attribute(value=base) if ctx.kind(base) is Kind.OBJECT or (ctx.qualname(node) or "").startswith("numpy."):
            if ctx.kind(node) in ARRAYS and not ctx.value(node).dtype:
                yield code(node)
        case cst.Attribute(value=base) | cst.Subscript(value=base):  # an index has no influence on the dtype
            yield from open_operands(base, ctx)
        case cst.Call(func=func, args=args):
            if isinstance(func, cst.Attribute) and not ctx.qualname(func):
                yield from open_operands(func.value, ctx)
            for argument in args:
                yield from open_operands(argument.value, ctx)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from open_operands(element.value, ctx)
        case cst.BinaryOperation(left=left, right=right) | cst.BooleanOperation(left=left, right=right):
            yield from open_operands(left, ctx)
            yield from open_operands(right, ctx)
        case cst.UnaryOperation(expression=inner):
            yield from open_operands(inner, ctx)
        case cst.IfExp(body=body, orelse=orelse):
            yield from open_operands(body, ctx)
            yield from open_operands(orelse, ctx)


def subject(*nodes: cst.BaseExpression, ctx: Context, verbs: tuple[str, str] = ("is", "are")) -> str:
    """What a condition is about, with its verb: "`a` and `b` are"."""
    found = list(dict.fromkeys(name for node in nodes for name in open_operands(node, ctx)))
    if not found:
        return f"{quoted(nodes[0])} {verbs[0]}"
    return f"{joined([f'`{name}`' for name in found], 'and')} {verbs[len(found) > 1]}"


def quoted(node: cst.CSTNode) -> str:
    """The code of a node for a message."""
    text = " ".join(code(node).split())
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[:LONGEST]}...`"


def joined(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
