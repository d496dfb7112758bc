"""A function that updates its first argument in place.

JAX lacks these functions, or its version returns the new array. The variable is rebound to it. `np.add.at` and the like
accumulate repeated indices, and so does `.at[...].add`.

```python
import numpy as np


def histogram(counts: np.ndarray, bins: np.ndarray, limit):
    np.add.at(counts, bins, 1)
    np.copyto(counts, limit, where=counts > limit)
    np.fill_diagonal(counts[1:, 1:], 0)
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def histogram(counts: jax.Array, bins: jax.Array, limit):
    counts = counts.at[bins].add(1)
    counts = jnp.full_like(counts, jnp.where(counts > limit, limit, counts))
    counts = counts.at[1:, 1:].set(jnp.fill_diagonal(counts[1:, 1:], 0, inplace=False))
    return counts
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from ..codegen.call_adaptation import adaptation, adapted
from ..codegen.in_place_calls import Callee, Part, arguments, callee, taken, whole
from ..codegen.templates import filled
from ..context import Context
from ..core import dtypes
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..dtypes.jax_dtypes import cast, numpy_dtype, promotions
from ..facts.values import Value
from ..numpy_table.entry import Verdict
from ..syntax import builders
from ..syntax.out_arguments import outputs, without
from ..syntax.sequences import is_sequence, wrapped
from ..syntax.source_text import verbatim

rule = Rule(__name__, "NJ222")
COPY_OR_NOT = ("numpy.nan_to_num",)
Build = Callable[[Part], cst.BaseExpression]


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    called = callee(node, ctx)
    if called is None or called.receiver is not None or outputs(node, called.entry):
        return
    if not called.entry.writes and called.name not in COPY_OR_NOT:
        return
    updates = [u for u in ctx.effects.updates(node) if not u.problem]
    if len(updates) != 1 or called.entry.verdict in (Verdict.REFUSED, Verdict.HOST):
        return
    update = updates[0]
    assert update.argument is not None
    short = called.name.removeprefix("numpy.")
    build = _BUILD.get(short, _at if short.endswith(".at") else _by_function)(node, update.argument, called, ctx)
    if isinstance(build, str):
        yield Finding(node, f"`{short}` {build}", blocks=True)
        return
    imports = ctx.names.name_of("jax.numpy.asarray")[1]
    message = f"`{short}` changes `{verbatim(update.argument)}` in place"
    yield from whole(node, message, ctx, update, build, imports, used=short == "nan_to_num")


def _is_like(node: cst.BaseExpression, target: cst.BaseExpression, ctx: Context) -> bool:
    """Whether an argument certainly has the shape of the updated array."""
    mine, other = ctx.value(node), ctx.value(target)
    return (bool(mine.shape) and mine.shape == other.shape) or (
        mine.rank == other.rank == 1 and mine.kind is other.kind is Kind.ARRAY
    )


def _keeps_dtype(target: cst.BaseExpression, value: cst.BaseExpression, ctx: Context) -> bool:
    """Whether `jnp.where(mask, value, target)` has the dtype of `target`."""
    return dtypes.absorbs(ctx.value(target).dtype, ctx.value(value).dtype)


def _by_function(node: cst.Call, target: cst.BaseExpression, called: Callee, ctx: Context) -> Build | str:
    """The JAX function of the same name, which returns the updated array; a message if it cannot express the call."""
    plain = without(node, called.entry, ("copy",))
    plan = adaptation(plain, called.name, called.entry, ctx)
    if plan.problem:
        return f"cannot be written for JAX: {plan.problem}"
    wrap = (arguments(node, called.entry.params) or {}).get("wrap")
    if wrap is not None and verbatim(wrap) != "False":
        return "with `wrap` has no equivalent in JAX"

    def build(part: Part) -> cst.BaseExpression:
        args = [a.with_changes(value=part.old if a.value is target else ctx.rewritten(a.value)) for a in plain.args]
        function = builders.dotted(ctx.names.name_of(called.entry.target)[0])
        return adapted(plain.with_changes(func=function, args=args, lpar=(), rpar=()), plan)

    return build


def _copyto(node: cst.Call, target: cst.BaseExpression, called: Callee, ctx: Context) -> Build | str:
    args = arguments(node, called.entry.params)
    if args is None or "src" not in args:
        return "is called with * or **"
    src, where = args["src"], args.get("where")
    number = ctx.kind(src) is Kind.SCALAR

    def build(part: Part) -> cst.BaseExpression:
        value = taken(src, ctx)
        if where is None or verbatim(where) == "True":
            if number and part.exact:
                return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.full_like")[0]), part.old, value)
            return part.accumulated(value)
        selected = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.where")[0]), taken(where, ctx), value, part.old)
        if number or _is_like(src, target, ctx):
            return part.cast(selected, _keeps_dtype(target, src, ctx))
        return part.accumulated(selected)

    return build


def _putmask(node: cst.Call, target: cst.BaseExpression, called: Callee, ctx: Context) -> Build | str:
    """`values` are repeated and selected by position in the array, not by the count of elements that the mask selects."""
    args = arguments(node, called.entry.params)
    if args is None or not {"mask", "values"} <= args.keys():
        return "is called with * or **"
    mask, values = args["mask"], args["values"]

    def build(part: Part) -> cst.BaseExpression:
        shape = cst.Attribute(builders.operand(part.old), cst.Name("shape"))
        test, value = taken(mask, ctx), taken(values, ctx)
        if not _is_like(mask, target, ctx):
            test = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.reshape")[0]), test, shape)
        if ctx.kind(values) is not Kind.SCALAR and not _is_like(values, target, ctx):
            value = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.resize")[0]), value, shape.deep_clone())
        selected = builders.call(builders.dotted(ctx.names.name_of("jax.numpy.where")[0]), test, value, part.old)
        return part.cast(selected, _keeps_dtype(target, values, ctx))

    return build


def _at(node: cst.Call, target: cst.BaseExpression, called: Callee, ctx: Context) -> Build | str:
    """`np.add.at(a, i, b)` as `a.at[i].add(b)`."""
    args = arguments(node, called.entry.params)
    if args is None or "indices" not in args:
        return "is called with * or **"
    indices = args["indices"]
    parts = [indices] if not isinstance(indices, cst.Tuple) else [e.value for e in indices.elements]
    if not isinstance(indices, cst.Tuple) and ctx.kind(indices) is Kind.UNKNOWN and is_sequence(indices, ctx):
        return "is called with indices of which np2jax cannot tell whether they are a list"
    if called.name.startswith("numpy.logical_") and ctx.value(target).dtype != "bool_":
        return "of an array that may not be boolean: JAX would make it boolean"

    def build(part: Part) -> cst.BaseExpression:
        index = [_index(p, ctx) for p in parts]
        old = part.writer.device(part.old)
        accumulates = called.entry.target.startswith("{a}.at[")
        if accumulates and "b" in args:
            operation = called.entry.target.rpartition("].")[2].partition("(")[0]
            subscript = [cst.SubscriptElement(cst.Index(i)) for i in index]
            return builders.at(old, subscript, operation, _same_kind(args["b"], target, part, ctx))
        key = index[0] if not isinstance(indices, cst.Tuple) else cst.Tuple([cst.Element(i) for i in index])
        values = {"a": old, "indices": key}
        if "b" in args and not accumulates:
            values["b"] = taken(args["b"], ctx)
        if called.entry.verdict is Verdict.EXPRESSION:
            made = filled(called.entry.target, values, ctx)
            same = _keeps_dtype(target, args["b"], ctx) if "b" in args else not called.entry.note or _inexact(target, ctx)
            return made if accumulates else part.cast(made, same)
        made = builders.call(builders.dotted(ctx.names.name_of(called.entry.target)[0]), *values.values())
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        return made.with_changes(args=[*made.args, cst.Arg(cst.Name("False"), cst.Name("inplace"), equal)])

    return build


def _inexact(node: cst.BaseExpression, ctx: Context) -> bool:
    return dtypes.category(ctx.value(node).dtype) >= 2


def _index(node: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    made = ctx.rewritten(node)
    if isinstance(node, cst.List) and not node.elements:
        return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.array")[0]), made, builders.dotted("int"))
    return wrapped(node, made, ctx) if isinstance(node, cst.List) or ctx.kind(node) is Kind.LIST else made


def _same_kind(node: cst.BaseExpression, target: cst.BaseExpression, part: Part, ctx: Context) -> cst.BaseExpression:
    """The second operand, cast where JAX would warn that the array's dtype cannot represent it."""
    mine, other = ctx.value(target), ctx.value(node)
    if _needs_cast(mine, other):
        return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), ctx.rewritten(node), part.dtype)
    ours, theirs = promotions([mine, other])
    if ours and ours == numpy_dtype(mine) and ours != theirs:  # a float64 from Python numbers alone yields to the array's dtype
        return cast(builders.operand(taken(node, ctx)), other, ours, ctx)
    return taken(node, ctx)


def _needs_cast(mine: Value, other: Value) -> bool:
    return bool(mine.dtype and other.dtype) and not dtypes.absorbs(mine.dtype, other.dtype)


_BUILD: dict[str, Callable[[cst.Call, cst.BaseExpression, Callee, Context], Build | str]] = {
    "copyto": _copyto,
    "putmask": _putmask,
}
