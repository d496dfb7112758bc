"""Which dtypes JAX has, and the dtype with which an expression takes part in the promotion of NumPy and of JAX."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..facts.values import DRAWN, OBJECTS, STRINGS, Value
from ..numpy_table.entry import Verdict
from ..numpy_table.result_dtypes import result_dtype
from ..syntax import builders

Cast = Callable[[cst.BaseExpression], cst.BaseExpression]
_PYTHON = {"builtins.object": "Python objects", "builtins.str": "text", "builtins.bytes": "bytes"}


def unknown_dtype(node: cst.BaseExpression, ctx: Context) -> str:
    """The dtype of a dtype argument where JAX does not have it, "" where it may have it."""
    if isinstance(node, cst.SimpleString):
        text = str(node.evaluated_value)
        return "" if dtypes.named(text) else f"the dtype {text!r}"
    if isinstance(node, (cst.List, cst.Dict)):
        return "records"
    if isinstance(node, cst.Call) and ctx.qualname(node.func) == "numpy.dtype" and node.args:
        return unknown_dtype(node.args[0].value, ctx)
    name = "" if ctx.parent(node) is None else ctx.qualname(node) or ""  # rules may ask about calls that they created
    if name in _PYTHON:
        return f"arrays of {_PYTHON[name]}"
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is not None and entry.kind == "dtype" and entry.verdict is Verdict.HOST:
        return f"the dtype `{name.rpartition('.')[2]}`"
    return ""


def named_dtype(node: cst.BaseExpression, ctx: Context) -> str:
    """The dtype of a dtype argument, "" where it is not known."""
    if isinstance(node, cst.SimpleString):
        return dtypes.named(str(node.evaluated_value))
    name = ctx.qualname(node) or ""
    if name.startswith("builtins."):
        return dtypes.PYTHON.get(name.removeprefix("builtins."), "")
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is not None and entry.kind == "dtype":
        return entry.dtype or entry.target.rpartition(".")[2]
    return dtypes.named(ctx.value(node).dtype) if ctx.kind(node) is Kind.DTYPE else ""


def unknown_values(value: Value) -> str:
    """The contents of an array where JAX cannot hold them, "" where it may."""
    if value.kind is Kind.STRING or value.name == STRINGS:
        return "arrays of text"
    if value.kind in (Kind.NONE, Kind.DICT) or value.name == OBJECTS:
        return "arrays of Python objects"
    return next((found for e in value.elements or () if (found := unknown_values(e))), "")


def numpy_dtype(value: Value, strong: bool = False) -> str:
    """The dtype with which NumPy promotes: "int", "float", "complex" for Python scalars; "" where it is not known."""
    if value.kind in (Kind.LIST, Kind.TUPLE):
        if value.elements is None:
            return dtypes.strong(value.dtype)
        return dtypes.promote(*(numpy_dtype(e, True) for e in value.elements)) if value.elements else "float64"
    if value.name == "range":
        return "int64"
    if value.kind not in (Kind.ARRAY, Kind.SCALAR):
        return ""
    dtype = dtypes.weak(value.dtype) if value.name == DRAWN else value.dtype
    return dtypes.strong(dtype) if strong or dtype == "bool" else dtype  # Python bools promote as NumPy bools do


def jax_dtype(value: Value) -> str:
    """The same for JAX: what is computed from Python scalars alone may be weakly typed, and yield to narrower dtypes."""
    dtype = numpy_dtype(value)
    if value.name == DRAWN:
        return value.dtype
    if value.kind in (Kind.LIST, Kind.TUPLE) and value.elements:
        return dtypes.promote_jax(*(jax_dtype(e) for e in value.elements))
    if value.kind in (Kind.LIST, Kind.TUPLE) or value.static:
        return dtype
    return dtypes.weak(dtype)


def promotions(
    values: list[Value], strong: frozenset[int] = frozenset(), floating: frozenset[int] = frozenset()
) -> tuple[str, str]:
    """The dtypes to which NumPy and JAX promote these, "" where one is not known.

    `strong`: whose Python scalars have a dtype; `floating`: whose integers NumPy first converts to float64.
    """
    ours = [numpy_dtype(v, i in strong) for i, v in enumerate(values)]
    ours = [result_dtype("mean", dtype) if i in floating else dtype for i, dtype in enumerate(ours)]
    if not ours or not all(ours):
        return "", ""
    return dtypes.strong(dtypes.promote(*ours)), dtypes.strong(dtypes.promote_jax(*(jax_dtype(v) for v in values)))


def with_narrow_operand(operand: cst.BaseExpression, ctx: Context) -> Cast | None:
    """The cast of a drawn scalar, a Python one in NumPy, where the other operand is or may be narrow."""
    enclosing = ctx.parent(operand)
    if ctx.value(operand).name != DRAWN or ctx.program.precision != "float64":
        return None
    drawn = ctx.value(operand).dtype
    if isinstance(enclosing, cst.AugAssign) and operand is enclosing.value:  # the array retains its dtype, but rounds differently
        known = bool(ctx.value(enclosing.target).dtype) or not isinstance(enclosing.target, cst.Subscript)
        return drawn_with_operand(enclosing.target, drawn, ctx) if known else None
    if not isinstance(enclosing, cst.BinaryOperation):
        return None
    other_operand = enclosing.right if operand is enclosing.left else enclosing.left
    if (
        isinstance(enclosing.operator, cst.Divide)
        and dtypes.category(drawn) < 2
        and dtypes.category(ctx.value(other_operand).dtype) < 2
    ):
        return None  # the quotient of integers is float64 in both
    return drawn_with_operand(other_operand, drawn, ctx)


def may_be_narrow(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an array has an unknown dtype that may have fewer than 64 bits, because the program names such dtypes."""
    value = ctx.value(node)
    if value.dtype:
        return False
    given = {value.holds, *(d.removesuffix("[]") for d in value.deps)}
    made = value.kind is Kind.ARRAY or (value.kind is Kind.UNKNOWN and bool(value.origin))  # from project functions
    return (made and bool(ctx.program.narrow_dtypes)) or any(p in given for p, _dtypes in ctx.plan.inputs.dtypes)


def drawn_with_operand(other_operand: cst.BaseExpression, drawn: str, ctx: Context) -> Cast | None:
    """The cast of a drawn scalar with another operand: to `jnp.float32`, or to `jnp.result_type(x, float)` where x may be narrow.

    If the operand is an expression, it becomes a weakly typed scalar instead, as `jnp.full_like(0.0, ...)` creates it.
    """
    other = ctx.value(other_operand)
    if other.name == DRAWN or other.kind not in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN):
        return None
    if other.dtype and other.kind is not Kind.UNKNOWN:
        narrow = _beside_drawn(other.dtype, drawn)
        return _to(builders.dotted(dtype_name(narrow, ctx))) if narrow else None
    if not may_be_narrow(other_operand, ctx):
        return None
    python = "float" if dtypes.category(drawn) > 1 else "int"
    if _plain(other_operand) and (other.kind is Kind.ARRAY or not other.origin):
        result_type = builders.dotted(ctx.names.name_of("jax.numpy.result_type")[0])
        return _to(builders.call(result_type, other_operand.deep_clone(), cst.Name(python)))
    full_like, zero = (
        builders.dotted(ctx.names.name_of("jax.numpy.full_like")[0]),
        cst.parse_expression("0.0" if python == "float" else "0"),
    )
    return lambda made: builders.call(full_like, zero, made)


def _beside_drawn(dtype: str, drawn: str) -> str:
    """The promotion of this dtype with a drawn scalar in NumPy, where it has 64 bits in JAX; "" where both are the same."""
    made = dtypes.promote(dtype, dtypes.weak(drawn))
    floating = dtypes.category(drawn) == 2
    narrow = dtypes.is_narrow(made) and dtypes.category(made) >= 2 if floating else dtypes.is_small_integer(made)
    return made if narrow else ""


def gives_way(value: Value, other_operand: cst.BaseExpression, ctx: Context) -> bool:
    """Whether JAX types a value weakly, as NumPy does not, and the other operand may be narrow."""
    return (
        value.weak and value.dtype in dtypes.DEFAULTS and ctx.program.precision == "float64" and may_be_narrow(other_operand, ctx)
    )


def _to(dtype: cst.BaseExpression) -> Cast:
    return lambda made: builders.method(builders.operand(made), "astype", dtype.deep_clone())


def _plain(node: cst.BaseExpression) -> bool:
    """Whether it is a name, an attribute or an element with constant indices: it may be repeated, and no rule rewrites it."""
    match node:
        case cst.Attribute(value=base):
            return _plain(base)
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer()))]):
            return _plain(base)
    return isinstance(node, cst.Name)


def keeps_width(dtype: str, ctx: Context) -> bool:
    """Whether the precision allows this dtype: with float32, nothing is widened."""
    return ctx.program.precision == "float64" or dtype not in dtypes.NARROWED


def cast(made: cst.BaseExpression, original: Value, dtype: str, ctx: Context) -> cst.BaseExpression:
    """`x.astype(jnp.float64)`, or `jnp.asarray(x, jnp.float64)` for what may be a Python scalar."""
    target = builders.dotted(dtype_name(dtype, ctx))
    if (original.kind in (Kind.ARRAY, Kind.LIST, Kind.TUPLE) and not original.number) or ctx.host.is_device_value(original):
        return builders.method(made, "astype", target)
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), made, target)


def dtype_name(dtype: str, ctx: Context) -> str:
    """How the file spells a dtype of JAX."""
    return ctx.names.name_of(f"jax.numpy.{dtype}")[0]
