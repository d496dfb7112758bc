"""Which dtypes JAX has, and the dtype that an expression brings into NumPy's and into JAX's promotion."""

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
    """What a dtype argument asks for that JAX does not have, "" when it may have it."""
    if isinstance(node, cst.SimpleString):
        text = str(node.evaluated_value)
        return "" if dtypes.named(text) else f"the dtype {text!r}"
    if isinstance(node, (cst.List, cst.Dict)):
        return "records"
    if isinstance(node, cst.Call) and ctx.qualname(node.func) == "numpy.dtype" and node.args:
        return unknown_dtype(node.args[0].value, ctx)
    name = "" if ctx.parent(node) is None else ctx.qualname(node) or ""  # rules may ask about calls that they made
    if name in _PYTHON:
        return f"arrays of {_PYTHON[name]}"
    entry = numpy_table.function(name) if name.startswith("numpy.") else None
    if entry is not None and entry.kind == "dtype" and entry.verdict is Verdict.HOST:
        return f"the dtype `{name.rpartition('.')[2]}`"
    return ""


def named_dtype(node: cst.BaseExpression, ctx: Context) -> str:
    """The dtype that a dtype argument names, "" where it is not known."""
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
    """What an array is made of that JAX cannot hold, "" when it may."""
    if value.kind is Kind.STRING or value.name == STRINGS:
        return "arrays of text"
    if value.kind in (Kind.NONE, Kind.DICT) or value.name == OBJECTS:
        return "arrays of Python objects"
    return next((found for e in value.elements or () if (found := unknown_values(e))), "")


def numpy_dtype(value: Value, strong: bool = False) -> str:
    """The dtype that NumPy promotes with: "int", "float", "complex" for Python's numbers; "" where it is not known."""
    if value.kind in (Kind.LIST, Kind.TUPLE):
        if value.elements is None:
            return dtypes.strong(value.dtype)
        return dtypes.promote(*(numpy_dtype(e, True) for e in value.elements)) if value.elements else "float64"
    if value.kind not in (Kind.ARRAY, Kind.SCALAR):
        return ""
    dtype = dtypes.weak(value.dtype) if value.name == DRAWN else value.dtype
    return dtypes.strong(dtype) if strong or dtype == "bool" else dtype  # bools of Python's promote as those of NumPy's


def jax_dtype(value: Value) -> str:
    """The same for JAX: what is made of Python's numbers alone may be weakly typed, and give way to narrower dtypes."""
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
    """What NumPy and what JAX promote these to, "" where one is not known.

    `strong`: whose Python numbers have a dtype; `floating`: whose integers NumPy makes float64 first.
    """
    ours = [numpy_dtype(v, i in strong) for i, v in enumerate(values)]
    ours = [result_dtype("mean", dtype) if i in floating else dtype for i, dtype in enumerate(ours)]
    if not ours or not all(ours):
        return "", ""
    return dtypes.strong(dtypes.promote(*ours)), dtypes.strong(dtypes.promote_jax(*(jax_dtype(v) for v in values)))


def with_narrow_operand(operand: cst.BaseExpression, ctx: Context) -> Cast | None:
    """The cast of a drawn number, one of Python's in NumPy, where it meets a narrow dtype, or what may be one."""
    enclosing = ctx.parent(operand)
    if ctx.value(operand).name != DRAWN or ctx.program.precision != "float64":
        return None
    drawn = ctx.value(operand).dtype
    if isinstance(enclosing, cst.AugAssign) and operand is enclosing.value:  # the array keeps its dtype, and rounds otherwise
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
        return None  # of integers, which both make float64
    return drawn_with_operand(other_operand, drawn, ctx)


def may_be_narrow(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an array is of a dtype that nobody knows, and may have less than 64 bits: the program names such dtypes."""
    value = ctx.value(node)
    if value.dtype:
        return False
    given = {value.holds, *(d.removesuffix("[]") for d in value.deps)}
    made = value.kind is Kind.ARRAY or (value.kind is Kind.UNKNOWN and bool(value.origin))  # by functions of the project
    return (made and bool(ctx.program.narrow_dtypes)) or any(p in given for p, _dtypes in ctx.plan.inputs.dtypes)


def drawn_with_operand(other_operand: cst.BaseExpression, drawn: str, ctx: Context) -> Cast | None:
    """The cast of a drawn number beside a value: to `jnp.float32`, or to `jnp.result_type(x, float)` where x may be narrow.

    Beside an expression it becomes a number that gives way to narrow dtypes, as `jnp.full_like(0.0, ...)` makes them.
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
    """What NumPy makes of this dtype and a drawn number, where JAX makes 64 bits; "" where both make the same."""
    made = dtypes.promote(dtype, dtypes.weak(drawn))
    floating = dtypes.category(drawn) == 2
    narrow = dtypes.is_narrow(made) and dtypes.category(made) >= 2 if floating else dtypes.is_small_integer(made)
    return made if narrow else ""


def gives_way(value: Value, other_operand: cst.BaseExpression, ctx: Context) -> bool:
    """Whether JAX types a value weakly, as NumPy does not, and it meets what may be narrow."""
    return (
        value.weak and value.dtype in dtypes.DEFAULTS and ctx.program.precision == "float64" and may_be_narrow(other_operand, ctx)
    )


def _to(dtype: cst.BaseExpression) -> Cast:
    return lambda made: builders.method(builders.operand(made), "astype", dtype.deep_clone())


def _plain(node: cst.BaseExpression) -> bool:
    """A name, an attribute or an item by numbers: what may be written twice, and that nothing rewrites."""
    match node:
        case cst.Attribute(value=base):
            return _plain(base)
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer()))]):
            return _plain(base)
    return isinstance(node, cst.Name)


def keeps_width(dtype: str, ctx: Context) -> bool:
    """With float32 as the precision, nothing is made wider."""
    return ctx.program.precision == "float64" or dtype not in dtypes.NARROWED


def cast(made: cst.BaseExpression, original: Value, dtype: str, ctx: Context) -> cst.BaseExpression:
    """`x.astype(jnp.float64)`, and `jnp.asarray(x, jnp.float64)` of what may be a Python number."""
    target = builders.dotted(dtype_name(dtype, ctx))
    if (original.kind in (Kind.ARRAY, Kind.LIST, Kind.TUPLE) and not original.number) or ctx.host.is_device_value(original):
        return builders.method(made, "astype", target)
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), made, target)


def dtype_name(dtype: str, ctx: Context) -> str:
    """How the file writes a dtype of JAX."""
    return ctx.names.name_of(f"jax.numpy.{dtype}")[0]
