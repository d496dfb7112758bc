"""The results of converted code as NumPy arrays, for code that is left as NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..core.dtypes import NARROWED, PYTHON, is_weak
from ..core.findings import Kind
from ..definitions.host import TO_NUMPY, WITH_NUMBERS
from ..syntax import builders

CONSUMING = (cst.BinaryOperation, cst.UnaryOperation, cst.ComparisonTarget, cst.Comparison)  # they make new arrays
TAKES_NUMPYS = ("scipy.fftpack.",)  # its functions accept NumPy arrays, and raise for JAX arrays


class Mapped(NamedTuple):
    """A conversion to NumPy arrays, and the imports and the functions that it needs."""

    build: Callable[[cst.BaseExpression], cst.BaseExpression]
    imports: frozenset[str] = frozenset()
    definitions: frozenset[str] = frozenset()


def mapped(node: cst.Call, ctx: Context, *, same: bool = False) -> Mapped:
    """The conversion of all arrays among the results of a call to NumPy. `same`: some are NumPy arrays that others have, too.

    Strings and objects stay as they are. What may be a NumPy scalar must not become an array of rank 0: `n += 1` would write into
    that, and others may have it.
    """
    tree, imports = ctx.names.name_of("jax.tree.map")
    parts = ctx.value(node).elements or (ctx.value(node),)
    if not same and all(e.kind is Kind.ARRAY and not e.number and not e.item and (e.rank > 0 or bool(e.holds)) for e in parts):
        array, more = ctx.names.name_of(maker(node, ctx))
        return Mapped(lambda made: builders.call(builders.dotted(tree), builders.dotted(array), made), imports | more)
    imports |= ctx.names.name_of("jax.Array")[1] | ctx.names.name_of("numpy.array")[1]
    to_numpy, positions = ctx.names.defined(TO_NUMPY), _python_numbers(node, ctx)
    if not positions:
        return Mapped(lambda made: builders.call(cst.Name(to_numpy), made), imports, frozenset({TO_NUMPY}))
    with_numbers, imports = ctx.names.defined(WITH_NUMBERS), imports | ctx.names.name_of("numpy.generic")[1]

    def build(made: cst.BaseExpression) -> cst.BaseExpression:
        return builders.call(cst.Name(with_numbers), builders.call(cst.Name(to_numpy), made), *map(builders.integer, positions))

    return Mapped(build, imports, frozenset({TO_NUMPY, WITH_NUMBERS}))


def _python_numbers(node: cst.Call, ctx: Context) -> list[int]:
    """The positions of the results that are Python numbers before the conversion: compiled code makes arrays of them."""
    plan, value = ctx.calls.callee(node), ctx.value(node)
    if plan is None or not plan.jit or value.kind is not Kind.TUPLE:
        return []
    return [k for k, e in enumerate(value.elements or ()) if e.kind is Kind.SCALAR and is_weak(e.dtype)]


def maker(node: cst.Call, ctx: Context) -> str:
    """The function that converts a result to NumPy: a writable copy where some code writes into it, else the array itself if
    it already is a NumPy array, which others may alias."""
    plan = ctx.calls.callee(node)
    if ctx.program.fast and not isinstance(ctx.parent(node), CONSUMING):
        return "numpy.array"  # who gets the array may change it, here or outside of the project
    return "numpy.array" if plan is None or ctx.host.requires_host(plan.name) else "numpy.asarray"


def may_be_weak(node: cst.Call, ctx: Context) -> bool:
    """Whether a call may return a weakly typed float64, which yields to narrow dtypes of the program as NumPy arrays do not."""
    value = ctx.value(node)
    made = value.elements or (value,) if value.kind in (Kind.ARRAY, Kind.TUPLE) else ()
    return (
        bool(ctx.program.narrow_dtypes)
        and not ctx.plan.jax
        and any(v.kind is Kind.ARRAY and v.dtype in ("", *NARROWED, *PYTHON) for v in made)
    )
