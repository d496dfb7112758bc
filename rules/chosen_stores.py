"""What the sides of a branch store, in all turns of a loop: `jnp.where` chooses."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import libcst as cst

from . import choices, dtypes, functional, guards
from .context import Choice, Context, Put, Store
from .facts import UNKNOWN, Value, replace

Made = Callable[[], cst.BaseExpression]
SMALL = 128  # numbers below it are in every dtype
STARTS = {"zeros": "0", "zeros_like": "0", "empty": "0", "empty_like": "0", "ones": "1", "ones_like": "1"}


class Place(NamedTuple):
    """`base`: what was there before; `dtype`: the dtype of the array."""

    store: Store
    base: Made
    dtype: Made


def chosen(place: Place, ctx: Context) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What is stored, as an expression, and what binds the tests that it needs several times."""
    choice = place.store.choice
    assert choice is not None
    lines = [cst.Assign(line.targets, functional.bare(ctx.rewritten(line.value))) for line in place.store.first]
    return lines, functional.bare(_choice(choice, place, lines, ctx))


def given(store: Store, ctx: Context) -> Value:
    """What is known of the values of all sides."""
    if store.choice is None:
        return ctx.value(store.value)
    values = [ctx.value(put.value) for put in store.choice.puts if put is not None]
    categories = [dtypes.category(v.dtype) for v in values]
    if store.choice.keeps or min(categories) != max(categories):
        return UNKNOWN  # each side is made to fit
    return replace(UNKNOWN, dtype=functools.reduce(dtypes.promote, (v.dtype for v in values)))


def start(maker: cst.SimpleStatementLine, ctx: Context) -> cst.BaseExpression:
    """What all items are of an array that a statement makes."""
    (small,) = maker.body
    assert isinstance(small, cst.Assign) and isinstance(small.value, cst.Call)
    return cst.Integer(STARTS[(ctx.qualname(small.value.func) or "").removeprefix("numpy.")])


def _choice(found: Choice, place: Place, lines: list[cst.Assign], ctx: Context) -> cst.BaseExpression:
    test = functional.bare(ctx.rewritten(found.test))
    yes, no = (_side(side, place, lines, ctx) for side in (found.yes, found.no))
    if ctx.is_static(found.test):
        return functional.operand(cst.IfExp(test, functional.operand(yes), functional.operand(no)))
    if found.partial:
        if not isinstance(test, cst.Name) and not choices.is_short(test):
            name = ctx.local("condition")
            lines.append(cst.Assign([cst.AssignTarget(cst.Name(name))], test))
            test = cst.Name(name)
        safe = guards.guarded(ctx, test, [yes], [no], found.partial)
        yes, no = (safe[0][0], safe[1][0]) if safe is not None else (yes, no)
    where = functional.dotted(ctx.name_of("jax.numpy.where")[0])
    return functional.call(where, test, functional.bare(yes), functional.bare(no))


def _side(side: Choice | Put | None, place: Place, lines: list[cst.Assign], ctx: Context) -> cst.BaseExpression:
    return _choice(side, place, lines, ctx) if isinstance(side, Choice) else _put(side, place, ctx)


def _put(put: Put | None, place: Place, ctx: Context) -> cst.BaseExpression:
    if put is None:
        return cst.Integer("0") if place.store.summed else place.base()
    value = ctx.rewritten(put.value)
    if place.store.summed:
        return value
    if put.operator is not None:
        value = functional.binary(functional.operand(place.base()), put.operator, value)
    return _fitting(value, put, place, ctx)


def _fitting(value: cst.BaseExpression, put: Put, place: Place, ctx: Context) -> cst.BaseExpression:
    """A value in the dtype of the array, where NumPy would cast it alone, and `jnp.where` what stands beside it, too."""
    store, choice = place.store, place.store.choice
    assert choice is not None
    into, own = (dtypes.category(ctx.value(node).dtype) for node in (store.target.node.value, put.value))
    others = [dtypes.category(ctx.value(p.value).dtype) for p in choice.puts if p is not None]
    if into > 1 or own < 2 or (not choice.keeps and min(others) == max(others)):
        return value
    if isinstance(value, cst.Float) and (number := float(value.value)).is_integer() and number < SMALL:
        return cst.Integer(str(int(number)))
    return functional.call(functional.dotted(ctx.name_of("jax.numpy.asarray")[0]), value, place.dtype())
