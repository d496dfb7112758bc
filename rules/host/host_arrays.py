"""NumPy's arrays of what converted code gives, for code that stays NumPy."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ..context import Context
from ..core.dtypes import NARROWED, PYTHON
from ..core.findings import Kind
from ..syntax import builders

TAKES_NUMPYS = ("scipy.fftpack.",)  # whose functions take NumPy's arrays, and raise for JAX's


def mapped(node: cst.Call, ctx: Context) -> tuple[Callable[[cst.BaseExpression], cst.Call], frozenset[str]]:
    """What makes NumPy's arrays of those among the results of a call, and the names that it needs."""
    tree, imports = ctx.names.name_of("jax.tree.map")
    array, more = ctx.names.name_of(maker(node, ctx))
    elements = (ctx.value(node),) if ctx.kind(node) is Kind.ARRAY else ctx.value(node).elements or ()
    each: cst.BaseExpression = builders.dotted(array)
    if not elements or any(e.kind is not Kind.ARRAY for e in elements):  # text and objects stay as they are
        name, further = ctx.names.name_of("jax.Array")
        each, more = cst.parse_expression(f"lambda leaf: {array}(leaf) if isinstance(leaf, {name}) else leaf"), more | further
    return lambda made: builders.call(builders.dotted(tree), each.deep_clone(), made), imports | more


def maker(node: cst.Call, ctx: Context) -> str:
    """What makes NumPy's array of a result: one that may be written into where somebody does that, else the same one if it is
    NumPy's already, which others may hold."""
    plan = ctx.calls.callee(node)
    return "numpy.array" if plan is None or ctx.host.requires_host(plan.name) else "numpy.asarray"


def may_be_weak(node: cst.Call, ctx: Context) -> bool:
    """Whether a call may give a float64 that gives way to the narrow dtypes of the program, as NumPy's arrays do not."""
    value = ctx.value(node)
    made = value.elements or (value,) if value.kind in (Kind.ARRAY, Kind.TUPLE) else ()
    return (
        bool(ctx.program.narrow_dtypes)
        and not ctx.plan.jax
        and any(v.kind is Kind.ARRAY and v.dtype in ("", *NARROWED, *PYTHON) for v in made)
    )
