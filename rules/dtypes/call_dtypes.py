"""The dtypes of the arguments of a call, and how its result gets the dtype that it has in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from ..context import Context
from ..core.dtypes import inexact, is_narrow, is_small_integer, promote
from ..core.findings import Kind
from ..facts.values import Value, replace
from ..numpy_table.entry import Entry
from ..numpy_table.result_dtypes import PROMOTING
from ..syntax.argument_binding import bind
from .jax_dtypes import numpy_dtype, promotions

ARRAYS = (Kind.ARRAY, Kind.LIST, Kind.TUPLE)


def dtype_fix(call: cst.Call, entry: Entry, ctx: Context, bound: Mapping[str, int], receiver: Value | None) -> tuple[str, str]:
    """The dtype to cast to and how, ("", "") where JAX has the same dtype as NumPy or the dtypes are not known."""
    found = list(promoted_arguments(call, entry, ctx, bound))
    values = ([receiver] if receiver is not None else []) + [value for _p, _i, _e, value in found]
    if entry.cast_how == "each":
        return next((entry.cast_for[d] for v in values if (d := numpy_dtype(v)) in entry.cast_for), ""), "each"
    strong = frozenset(i for i, (parameter, *_rest) in enumerate(found, receiver is not None) if parameter in entry.strong)
    floating = frozenset(i for i, (parameter, *_rest) in enumerate(found, receiver is not None) if parameter in entry.floating)
    values = [replace(v, kind=Kind.ARRAY, dtype="bool_") if v.kind is Kind.UNKNOWN and v.dtype == "bool" else v for v in values]
    ours, theirs = promotions(values, strong, floating)
    if entry.dtype == "float" and entry.ufunc == 2 and len({*map(numpy_dtype, values)}) == 2 and is_small_integer(ours):
        ours = promote(*(inexact(numpy_dtype(v)) for v in values))  # int8 and uint8 each fit into float16
    if not ours or not any(
        v.kind in ARRAYS or is_narrow(d) or d == "bool_" for v, d in zip(values, map(numpy_dtype, values), strict=True)
    ):
        return "", ""
    if entry.dtype in PROMOTING and ours != theirs:
        return (entry.cast_for[ours], entry.cast_how) if ours in entry.cast_for else (ours, "argument")
    return entry.cast_for.get(ours, ""), entry.cast_how


def promoted_arguments(
    call: cst.Call, entry: Entry, ctx: Context, bound: Mapping[str, int]
) -> Iterator[tuple[str, int, int, Value]]:
    """The arguments from which the result is promoted: parameter, position, position in a display (-1 for none), value."""
    for parameter, position in bound.items():
        if parameter not in (entry.promotes or entry.arrays + entry.sequences):
            continue
        every = [position]
        if parameter.startswith("*"):
            every = [i for i, p in bind(call, entry) if p == parameter]
        for at in every:
            node = call.args[at].value
            if parameter in entry.sequences and isinstance(node, (cst.Tuple, cst.List)):
                for number, element in enumerate(node.elements):
                    yield parameter, at, number, ctx.value(element.value)
            elif (value := ctx.value(node)).kind is not Kind.NONE:
                yield parameter, at, -1, value


def argument_dtype(call: cst.Call, entry: Entry, ctx: Context, bound: Mapping[str, int], receiver: Value | None) -> str:
    """The dtype to which NumPy promotes the arguments that the result is computed from, "" where one of them is not known."""
    found = [value for _p, _i, _e, value in promoted_arguments(call, entry, ctx, bound)]
    return promotions([receiver, *found] if receiver is not None else found)[0]
