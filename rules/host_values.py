"""NumPy's arrays of what converted code gives, for code that stays NumPy."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from . import functional
from .context import Context
from .model import Kind


def mapped(node: cst.Call, ctx: Context) -> tuple[Callable[[cst.BaseExpression], cst.Call], frozenset[str]]:
    """What makes NumPy's arrays of those among the results of a call, and the names that it needs."""
    tree, imports = ctx.name_of("jax.tree.map")
    array, more = ctx.name_of("numpy.array")
    elements = (ctx.value(node),) if ctx.kind(node) is Kind.ARRAY else ctx.value(node).elements or ()
    each: cst.BaseExpression = functional.dotted(array)
    if not elements or any(e.kind is not Kind.ARRAY for e in elements):  # text and objects stay as they are
        name, further = ctx.name_of("jax.Array")
        each, more = cst.parse_expression(f"lambda leaf: {array}(leaf) if isinstance(leaf, {name}) else leaf"), more | further
    return lambda made: functional.call(functional.dotted(tree), each.deep_clone(), made), imports | more
