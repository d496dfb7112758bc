"""Casts of the arguments of a call, so that its result has the dtype of NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.findings import Kind
from ..dtypes.call_dtypes import dtype_fix, promoted_arguments
from ..dtypes.inexact import is_inexact
from ..dtypes.jax_dtypes import (
    cast,
    drawn_with_operand,
    dtype_name,
    gives_way,
    keeps_width,
    may_be_narrow,
    numpy_dtype,
)
from ..dtypes.sum_dtypes import may_be_integers, summed_up, widening
from ..facts.values import DRAWN, Value, replace
from ..numpy_table.entry import Entry
from ..numpy_table.result_dtypes import PROMOTING
from ..syntax import builders
from ..syntax.source_text import code
from .templates import filled, repeatable

Build = Callable[[cst.BaseExpression], cst.BaseExpression]
LISTS = (Kind.LIST, Kind.TUPLE)


@dataclass(slots=True)
class Adaptation:
    """What becomes of the arguments of one call, by position."""

    ctx: Context
    problem: str = ""
    dropped: set[int] = field(default_factory=set)
    keywords: dict[int, str] = field(default_factory=dict)  # positions that become keywords, or whose keyword changes
    builds: dict[int, list[Build]] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)  # keyword -> source
    cast: str = ""  # the dtype of the result as a template, where that of JAX differs
    receiver: str = ""  # the dtype to which the array of a method is cast first
    imports: set[str] = field(default_factory=set)
    bound: dict[str, int] = field(default_factory=dict)  # NumPy's parameter -> position

    @property
    def changes(self) -> bool:
        return bool(self.dropped or self.keywords or self.builds or self.added or self.cast or self.receiver)

    def argument(self, made: cst.Call, position: int) -> cst.BaseExpression:
        """One argument of the rewritten call, in the form that JAX expects."""
        value = builders.bare(made.args[position].value)
        for build in self.builds.get(position, ()):
            value = build(value)
        return value


def _dtypes(call: cst.Call, name: str, entry: Entry, ctx: Context, made: Adaptation, receiver: Value | None) -> None:
    asked = made.bound.get("dtype")
    if asked is not None and asked not in made.dropped:
        if entry.ufunc:
            _computed_in(call, name, entry, asked, ctx, made)
        return
    if entry.cast and keeps_width(entry.cast, ctx) and not _cast_already(call, ctx):
        made.cast = dtype_name(entry.cast, ctx)
    dtype, how = dtype_fix(call, entry, ctx, made.bound, receiver)
    found = list(promoted_arguments(call, entry, ctx, made.bound))
    if not dtype:
        _widened(call, entry, ctx, made, receiver is not None)
        _integers(call, entry, found, ctx, made)
    if not dtype and entry.dtype == "promote":
        _drawn(call, [p for _parameter, p, element, _v in found if element < 0], ctx, made)
    if not dtype and entry.dtype in PROMOTING:
        _weak(call, found, receiver is not None, ctx, made)
    if not dtype or not keeps_width(dtype, ctx):
        return
    nested = how == "argument" and any(v.kind in LISTS and p not in entry.arrays + entry.sequences for p, _i, _e, v in found)
    if nested and "dtype" in entry.params:  # np.array itself converts a list
        how = "dtype"
    if how == "result" or (nested and how == "argument"):
        made.cast = dtype_name(dtype, ctx)
    elif how in ("argument", "each"):
        if receiver is not None and receiver.dtype != dtype:
            made.receiver = dtype
        for _parameter, position, element, value in found:
            own = numpy_dtype(value)
            strong = (
                value.kind in (Kind.ARRAY, *LISTS)
                or value.name == "range"
                or (value.kind is Kind.SCALAR and (not dtypes.is_weak(own) or value.name == DRAWN))
            )
            if strong and own != dtype and (how == "argument" or own in entry.cast_for):
                made.builds.setdefault(position, []).append(_casting(element, value, dtype, ctx))
    else:
        made.added[how] = dtype_name(dtype, ctx)
    made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _widened(call: cst.Call, entry: Entry, ctx: Context, made: Adaptation, method: bool) -> None:
    """Sums of what may be small integers get NumPy's dtype, where running_sum.py has no function that does the same."""
    if not widening(entry) or ctx.host.on_host(call) or ctx.plan.jax or summed_up(call, ctx):
        return
    parameter = "self" if method else next((p for p in entry.arrays if p in made.bound), "")
    if method and isinstance(call.func, cst.Attribute):
        array = call.func.value
    elif parameter:
        array = call.args[made.bound[parameter]].value
    else:
        return
    if not may_be_integers(array, ctx) or _repeats((array,), ctx, made):
        return
    made.imports |= ctx.names.name_of("jax.numpy.sum")[1]
    if entry.cast_how == "argument":
        made.builds.setdefault(made.bound[parameter], []).append(partial(_as_summed, ctx=ctx))
    else:
        made.added["dtype"] = f"jnp.sum({{{parameter}}}).dtype"


def _integers(call: cst.Call, entry: Entry, found: Sequence[tuple[str, int, int, Value]], ctx: Context, made: Adaptation) -> None:
    """Results of what may be integers keep their dtype, where JAX makes floats of integers of any width."""
    keeps = entry.cast_for.get("int64") == "int64" and entry.cast_how != "argument"
    if not keeps or entry.ufunc or ctx.host.on_host(call) or ctx.plan.jax:  # a mask rewrites the whole call of a ufunc
        return
    operands = [call.args[position].value for _parameter, position, _element, _value in found]
    if any(is_inexact(each, ctx.value, ctx.qualname) for each in operands) or not any(may_be_integers(o, ctx) for o in operands):
        return
    if _repeats(operands, ctx, made):
        return
    dtype = f"jnp.result_type({', '.join(f'{{{parameter}}}' for parameter, *_rest in found)})"
    made.imports |= ctx.names.name_of("jax.numpy.result_type")[1]
    if entry.cast_how == "result":
        made.cast = dtype
    else:
        made.added[entry.cast_how] = dtype


def _repeats(operands: Sequence[cst.BaseExpression], ctx: Context, made: Adaptation) -> bool:
    """Whether a cast would compute one of the operands again that may not be; this is then the problem."""
    twice = next((o for o in operands if not repeatable(o, ctx)), None)
    if twice is not None:
        made.problem = made.problem or f"`{code(twice)}` would be computed twice; bind it to a name first"
    return twice is not None


def _as_summed(array: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    return filled("{a}.astype(jnp.sum({a}).dtype)", {"a": array}, ctx)


def _drawn(call: cst.Call, positions: Sequence[int], ctx: Context, made: Adaptation) -> None:
    """Cast a drawn scalar, a Python one in NumPy, which is combined with operands that may be narrow."""
    numbers = [p for p in positions if ctx.value(call.args[p].value).name == DRAWN]
    others = [call.args[p].value for p in positions if p not in numbers and may_be_narrow(call.args[p].value, ctx)]
    for position in numbers if others and ctx.program.precision == "float64" else ():
        narrow = drawn_with_operand(others[0], ctx.value(call.args[position].value).dtype, ctx)
        if narrow is not None:
            made.builds.setdefault(position, []).append(narrow)
            made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _weak(call: cst.Call, found: Sequence[tuple[str, int, int, Value]], method: bool, ctx: Context, made: Adaptation) -> None:
    """Cast operands that are weakly typed in JAX and combined with ones that may be narrow: they are strong, as in NumPy."""
    own = [call.func.value] if method and isinstance(call.func, cst.Attribute) else []
    for _parameter, position, element, value in found:
        others = [_argument(call, p, e) for _n, p, e, _v in found if (p, e) != (position, element)]
        if any(gives_way(value, other, ctx) for other in own + others):
            made.builds.setdefault(position, []).append(_casting(element, value, value.dtype, ctx))
            made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _argument(call: cst.Call, position: int, element: int) -> cst.BaseExpression:
    """An argument of a call, or an element of a display that is one."""
    value = call.args[position].value
    return value.elements[element].value if element >= 0 and isinstance(value, (cst.Tuple, cst.List)) else value


def _computed_in(call: cst.Call, name: str, entry: Entry, asked: int, ctx: Context, made: Adaptation) -> None:
    """`dtype=` of a ufunc: NumPy casts the arguments to it first."""
    if entry.dtype not in ("promote", "float", "same"):
        made.problem = made.problem or f"`dtype=` of `{name}` has no equivalent in JAX"
    made.dropped.add(asked)
    for parameter in entry.arrays:
        if (position := made.bound.get(parameter)) is not None:
            made.builds.setdefault(position, []).append(_with_dtype(call.args[asked].value, ctx))
    made.imports |= ctx.names.name_of("jax.numpy.asarray")[1]


def _cast_already(call: cst.Call, ctx: Context) -> bool:
    """Whether `.astype(...)` follows the call."""
    parent = ctx.parent(call)
    return isinstance(parent, cst.Attribute) and parent.attr.value == "astype"


def _casting(element: int, value: Value, dtype: str, ctx: Context) -> Build:
    if value.name == "range":  # which is an array already, as of all sequences that are given to JAX
        value = replace(value, kind=Kind.ARRAY, dtype=numpy_dtype(value))
    if element < 0:
        return lambda made: cast(made, value, dtype, ctx)

    def build(made: cst.BaseExpression) -> cst.BaseExpression:
        assert isinstance(made, (cst.Tuple, cst.List))
        elements = list(made.elements)
        elements[element] = elements[element].with_changes(value=cast(elements[element].value, value, dtype, ctx))
        return made.with_changes(elements=elements)

    return build


def _with_dtype(dtype: cst.BaseExpression, ctx: Context) -> Build:
    return lambda made: builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), made, ctx.rewritten(dtype))
