"""Sums and running sums of what may be integers or floats: `cumsum` of an array of unknown dtype."""

from __future__ import annotations

import libcst as cst

from ..context import Context
from ..core.findings import Kind
from ..numpy_table.entry import Entry
from .inexact import is_inexact


def summed_up(node: cst.Call, ctx: Context) -> tuple[cst.BaseExpression, cst.BaseExpression | None] | None:
    """The operand of a call of `cumsum`, and the axis; None where its dtype is known, or an argument of the call."""
    name, given = ctx.qualname(node.func) or "", [*node.args]
    if name == "numpy.cumsum" and given:
        array = given.pop(0).value
    elif isinstance(node.func, cst.Attribute) and node.func.attr.value == "cumsum" and not name.startswith("numpy."):
        array = node.func.value
    else:
        return None
    if len(given) > 1 or any(a.star or (a.keyword is not None and a.keyword.value != "axis") for a in given):
        return None
    if ctx.plan.jax or ctx.effects.updates(node) or ctx.host.on_host(node) or not may_be_integers(array, ctx):
        return None
    axis = given[0].value if given else None
    return array, None if isinstance(axis, cst.Name) and axis.value == "None" else axis


def widening(entry: Entry) -> bool:
    """Whether sums or products of small integers have 64 bits in NumPy, and only their own width in JAX."""
    if entry.target == "jax.numpy.cumulative_sum":
        return False
    return entry.dtype == "sum" and "int8" in entry.cast_for


def may_be_integers(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether the dtype of an array is unknown, and may be an integer one."""
    value = ctx.value(node)
    return value.kind is Kind.ARRAY and not value.dtype and not is_inexact(node, ctx.value, ctx.qualname)
