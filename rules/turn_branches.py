"""What the sides of a branch store, or add up, in all turns of a loop: `jnp.where` chooses."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import libcst as cst

from . import choices, dtypes, functional, guards
from .context import Choice, Context, Put, Reduction, Store
from .facts import UNKNOWN, Value, replace

Made = Callable[[], cst.BaseExpression]
SMALL = 128  # numbers below it are in every dtype
STARTS = {"zeros": "0", "zeros_like": "0", "empty": "0", "empty_like": "0", "ones": "1", "ones_like": "1"}


class Place(NamedTuple):
    """`base`: what was there before, or what adds nothing; `dtype`: the dtype of the array."""

    kept: Store | Reduction
    base: Made
    dtype: Made


def chosen(place: Place, ctx: Context) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What is stored or added, as an expression, and what binds the tests that it needs several times."""
    choice = place.kept.choice
    assert choice is not None
    lines = [cst.Assign(line.targets, functional.bare(ctx.rewritten(line.value))) for line in place.kept.first]
    return lines, functional.bare(_choice(choice, place, lines, ctx))


def added(reduction: Reduction, ctx: Context) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What the turns add to a variable, or multiply it with."""
    neutral = cst.Integer("1" if reduction.how == "prod" else "0")
    if (test := _counted(reduction)) is not None:
        return [], functional.bare(ctx.rewritten(test))
    return chosen(Place(reduction, lambda: neutral, lambda: neutral), ctx)


def _counted(reduction: Reduction) -> cst.Comparison | None:
    """The test of which the turns are counted in which it holds."""
    choice = reduction.choice
    if choice is None or reduction.how != "sum" or choice.no is not None or reduction.first:
        return None
    value = getattr(choice.yes, "value", None)
    one = isinstance(value, cst.Integer) and value.value == "1"
    return choice.test if one and isinstance(choice.test, cst.Comparison) and len(choice.test.comparisons) == 1 else None


def of_terms(reduction: Reduction, ctx: Context) -> Value:
    """What is known of all that is added."""
    if reduction.choice is None:
        return ctx.value(reduction.value)
    values = [ctx.value(put.value) for put in reduction.choice.puts if put is not None]
    kinds = {v.kind for v in values}
    dtype = functools.reduce(dtypes.promote, (v.dtype for v in values))
    return replace(UNKNOWN, kind=values[0].kind if len(kinds) == 1 else UNKNOWN.kind, dtype=dtype)


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
        return place.base()
    value = ctx.rewritten(put.value)
    if put.target is None:
        negative = put.operator is not None and not place.kept.minus  # type: ignore[union-attr]
        return cst.UnaryOperation(cst.Minus(), functional.operand(value)) if negative else value
    if place.kept.summed:  # type: ignore[union-attr]
        return value
    if put.operator is not None:
        value = functional.binary(functional.operand(place.base()), put.operator, value)
    return _fitting(value, put, place, ctx)


def _fitting(value: cst.BaseExpression, put: Put, place: Place, ctx: Context) -> cst.BaseExpression:
    """A value in the dtype of the array, where NumPy would cast it alone, and `jnp.where` what stands beside it, too."""
    choice = place.kept.choice
    assert choice is not None and put.target is not None
    into, own = (dtypes.category(ctx.value(node).dtype) for node in (put.target.value, put.value))
    others = [dtypes.category(ctx.value(p.value).dtype) for p in choice.puts if p is not None]
    if into > 1 or own < 2 or (not choice.keeps and min(others) == max(others)):
        return value
    if isinstance(value, cst.Float) and (number := float(value.value)).is_integer() and number < SMALL:
        return cst.Integer(str(int(number)))
    return functional.call(functional.dotted(ctx.name_of("jax.numpy.asarray")[0]), value, place.dtype())
