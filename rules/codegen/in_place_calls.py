"""Calls that change arrays in place: their arguments, and where the statements go that rebind the arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core.findings import Finding, Kind
from ..facts.updates import Update
from ..facts.values import Value
from ..numpy_table.entry import Entry
from ..syntax import builders
from ..syntax.sequences import is_sequence, wrapped
from ..syntax.source_text import verbatim
from .array_updates import Writer, as_method, is_everything, line, needed, rebinding, refreshed, seen_through, several

Small = Sequence[cst.BaseSmallStatement]


class Part(NamedTuple):
    """The part of an array that changes.

    `old`: its previous value. `exact`: the new value must have its shape and dtype; if not, it is passed to `.at[...].set`, which
    broadcasts and casts.
    """

    old: cst.BaseExpression
    exact: bool
    writer: Writer

    def accumulated(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """`value`, an array or a scalar, broadcast and cast to the part."""
        return builders.call(self.writer.name("jax.numpy.full_like"), self.old, value) if self.exact else value

    def cast(self, value: cst.BaseExpression, same: bool) -> cst.BaseExpression:
        """`value`, which has the shape of the part, cast to its dtype. `same`: it has that dtype already."""
        return builders.method(value, "astype", self.dtype) if self.exact and not same else value

    @property
    def dtype(self) -> cst.BaseExpression:
        return cst.Attribute(builders.operand(self.old), cst.Name("dtype"))


New = Callable[[Part], cst.BaseExpression]


class Callee(NamedTuple):
    """The function or method of the table that is called. `receiver`: the array of a method."""

    name: str
    entry: Entry
    receiver: cst.BaseExpression | None = None


def callee(node: cst.Call, ctx: Context) -> Callee | None:
    """The NumPy function or method that a call calls, if any."""
    name = ctx.qualname(node.func) or ""
    if name.startswith("numpy."):
        entry = numpy_table.function(name) or numpy_table.ufunc_method(name)
        return None if entry is None else Callee(numpy_table.canonical(name), entry)
    if isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) in (Kind.ARRAY, Kind.UNKNOWN):
        entry = numpy_table.method(node.func.attr.value)
        return None if entry is None else Callee(f"ndarray.{node.func.attr.value}", entry, node.func.value)
    return None


def arguments(node: cst.Call, params: Sequence[str]) -> dict[str, cst.BaseExpression] | None:
    """The argument of each parameter; None where there is * or **, or more arguments than parameters."""
    found: dict[str, cst.BaseExpression] = {}
    for position, argument in enumerate(node.args):
        if argument.star or (argument.keyword is None and position >= len(params)):
            return None
        found[params[position] if argument.keyword is None else argument.keyword.value] = argument.value
    return found


def taken(node: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    """A rewritten argument as JAX accepts it, not as a list."""
    made = ctx.rewritten(node)
    return wrapped(node, made, ctx) if is_sequence(node, ctx) else made


def changed(update: Update, new: New, ctx: Context) -> cst.BaseExpression:
    """The new value of the access path, of which `new` builds the part that changes; of the argument where there is no access
    path."""
    writer = Writer(ctx, update, None, cst.Name("_"), Value())
    if update.target is None:
        assert update.argument is not None
        return new(Part(ctx.rewritten(update.argument), True, writer))
    base = ctx.rewritten(update.target)

    def store(old: cst.BaseExpression, parts: builders.Parts) -> cst.BaseExpression:
        if is_everything(parts):
            return new(Part(old, True, writer))
        part = cst.Subscript(builders.operand(old), builders.clean(parts))
        return builders.at(writer.device(old), parts, "set", new(Part(part, False, writer)))

    return writer.put(base, writer.steps(), lambda old: new(Part(old, True, writer)), store)


def bound(update: Update, value: cst.BaseExpression, ctx: Context) -> Small:
    """The statements that bind the access path of an update to its new value, and the views of it that are still live."""
    return [rebinding(update, value, ctx), *refreshed(update, ctx)]


def now(update: Update, ctx: Context) -> cst.BaseExpression:
    """The part that a call has changed, read from the access path after the change."""
    if update.target is None:
        assert update.argument is not None
        return builders.operand(ctx.rewritten(update.argument))
    made = builders.operand(ctx.rewritten(update.target))
    for step in update.steps:
        made = seen_through(made, as_method(step, ctx))
    return made


def whole(
    node: cst.Call, message: str, ctx: Context, update: Update, new: New, imports: Collection[str], used: bool
) -> Iterator[Finding]:
    """The findings for a call that changes one array. `used`: the call returns that array, so that its result may be used."""
    if update.target is None:  # a temporary array: the change is not visible
        yield Finding(node, message, {node: lambda made: changed(update, new, ctx)}, frozenset(imports))
        return
    yield from replacing(
        node,
        message,
        ctx,
        lambda: bound(update, changed(update, new, ctx), ctx),
        (lambda: now(update, ctx)) if used else None,
        (update,),
        imports,
    )


def replacing(
    node: cst.Call,
    message: str,
    ctx: Context,
    statements: Callable[[], Small],
    result: Callable[[], cst.BaseExpression] | None,
    updates: Collection[Update],
    imports: Collection[str],
) -> Iterator[Finding]:
    """The findings that replace a call by `statements`.

    They replace a call that is a statement. Otherwise they go before its statement, and the call becomes `result` (None: it has
    no result that could be used).
    """
    parent = ctx.parent(node)
    paths = {u.access_path for u in updates}
    lines = frozenset(imports).union(*(needed(u, ctx) for u in updates))
    views = {name for u in updates for name, _view in u.refresh}
    if isinstance(parent, cst.Expr):
        yield Finding(node, message, {parent: lambda made: several(statements())}, lines)
        return
    if result is None:
        yield Finding(node, f"{message}, and its result is used", blocks=True)
        return
    if (
        isinstance(parent, cst.Assign)
        and len(parent.targets) == 1
        and {verbatim(parent.targets[0].target)} == paths
        and not any(u.steps for u in updates)
    ):
        yield Finding(node, message, {parent: lambda made: several(statements())}, lines)
        return
    if why := ctx.flow.not_first(node, paths | views):
        yield Finding(node, f"{message}, and it {why}", blocks=True)
        return
    yield Finding(
        node,
        message,
        {node: lambda made: result()},
        lines,
        before=lambda: [line(s) for s in statements()],
    )
