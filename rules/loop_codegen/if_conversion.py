"""What the sides of a branch store, or add up, in all turns of a loop: `jnp.where` chooses."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

import libcst as cst

from ..codegen import safe_operands, select
from ..context import Context
from ..core import dtypes
from ..facts.parallel_loops import Choice, Put, Reduction, Store
from ..facts.values import UNKNOWN, Value, replace
from ..syntax import builders

Made = Callable[[], cst.BaseExpression]
SMALL = 128  # integers below it are in every dtype
HALF = 65504.0  # the largest number of 16 bits
STARTS = {"zeros": "0", "zeros_like": "0", "empty": "0", "empty_like": "0", "ones": "1", "ones_like": "1"}


class _Place(NamedTuple):
    """`base`: what was there before, or what adds nothing; `dtype`: of the array that is stored to, None where terms are added."""

    choice: Choice
    base: Made
    dtype: Made | None


def asked(group: Sequence[Store | Reduction], ctx: Context) -> list[cst.Assign]:
    """What binds the test of a branch to a variable, where it is written several times, and long."""
    choice = group[0].choice
    assert choice is not None
    wanted = len(group) + sum(own.partial for own in group[0].first)
    if ctx.is_static(choice.test) or wanted < 2 or (wanted == 2 and select.is_short(choice.test)) or _counted(group[0]):
        return []
    return [cst.Assign([cst.AssignTarget(cst.Name(ctx.names.local("condition")))], builders.bare(ctx.rewritten(choice.test)))]


def stored(
    store: Store, base: Made, dtype: Made, ctx: Context, test: cst.BaseExpression | None = None
) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What is stored, and what binds what it needs before. `base`: what there was; `dtype`: of the array; `test`: holds the test."""
    base = functools.partial(cst.Integer, "0") if store.summed else base
    return _chosen(store, base, None if store.summed else dtype, ctx, test)


def _chosen(
    kept: Store | Reduction, base: Made, dtype: Made | None, ctx: Context, test: cst.BaseExpression | None
) -> tuple[list[cst.Assign], cst.BaseExpression]:
    assert kept.choice is not None
    test = builders.bare(ctx.rewritten(kept.choice.test)) if test is None else test
    lines = _own_lines(kept, test, ctx)
    return lines, builders.bare(_choice(kept.choice, _Place(kept.choice, base, dtype), lines, ctx, test))


def _own_lines(kept: Store | Reduction, test: cst.BaseExpression, ctx: Context) -> list[cst.Assign]:
    """What the sides bind for themselves, with what is undefined on one side made harmless on the other."""
    lines = [cst.Assign(own.line.targets, builders.bare(ctx.rewritten(own.line.value))) for own in kept.first]
    wanted = sum(own.partial for own in kept.first)
    if not wanted:
        return lines
    yes, no = ([made for made, own in zip(lines, kept.first, strict=True) if own.taken is side] for side in (True, False))
    safe = safe_operands.guarded(ctx, test, yes, no, wanted)
    return lines if safe is None else [*safe[0], *safe[1]]


def signed(reduction: Reduction) -> list[Reduction]:
    """What is added and what is taken away, apart: an unsigned number has no other sign."""
    if reduction.choice is None or reduction.minus:
        return [reduction]
    found: list[Reduction] = []
    for minus in (False, True):
        choice = _only(reduction.choice, minus)
        if choice is not None:
            put, first = choice.puts[0], () if found else reduction.first
            found.append(replace(reduction, node=put.node, value=put.value, choice=choice, minus=minus, first=first))
    return found


def _only(choice: Choice, minus: bool) -> Choice | None:
    """What one side or another adds, or takes away."""
    sides = [_only(s, minus) if isinstance(s, Choice) else s for s in (choice.yes, choice.no)]
    yes, no = (None if isinstance(s, Put) and (s.operator is not None) is not minus else s for s in sides)
    return replace(choice, yes=yes, no=no) if yes is not None or no is not None else None


def added(
    reduction: Reduction, ctx: Context, test: cst.BaseExpression | None = None
) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What the turns add to a variable, or multiply it with, and what binds what that needs before; `test`: holds the test."""
    if (counted := _counted(reduction)) is not None:
        return [], builders.bare(ctx.rewritten(counted) if test is None else test)
    return _chosen(reduction, functools.partial(cst.Integer, "1" if reduction.how == "prod" else "0"), None, ctx, test)


def _counted(kept: Store | Reduction) -> cst.Comparison | None:
    """The test of which the turns are counted in which it holds."""
    choice = kept.choice
    if choice is None or getattr(kept, "how", "") != "sum" or choice.no is not None or kept.first:
        return None
    value = getattr(choice.yes, "value", None)
    one = isinstance(value, cst.Integer) and value.value == "1"
    return choice.test if one and isinstance(choice.test, cst.Comparison) and len(choice.test.comparisons) == 1 else None


def of_terms(reduction: Reduction, ctx: Context) -> Value:
    """What is known of all that is added."""
    if reduction.choice is None:
        return ctx.value(reduction.value)
    values = [ctx.value(put.value) for put in reduction.choice.puts]
    kinds = {v.kind for v in values}
    dtype = functools.reduce(dtypes.promote, (v.dtype for v in values))
    return replace(UNKNOWN, kind=values[0].kind if len(kinds) == 1 else UNKNOWN.kind, dtype=dtype)


def given(store: Store, ctx: Context) -> Value:
    """What is known of the values of all sides."""
    if store.choice is None:
        return ctx.value(store.value)
    values = [ctx.value(put.value) for put in store.choice.puts]
    categories = [dtypes.category(v.dtype) for v in values]
    if store.choice.keeps or min(categories) != max(categories):
        return UNKNOWN  # each side is made to fit
    return replace(UNKNOWN, dtype=functools.reduce(dtypes.promote, (v.dtype for v in values)))


def start(maker: cst.SimpleStatementLine, ctx: Context) -> cst.BaseExpression:
    """What all items are of an array that a statement makes."""
    (small,) = maker.body
    assert isinstance(small, cst.Assign) and isinstance(small.value, cst.Call)
    return cst.Integer(STARTS[(ctx.qualname(small.value.func) or "").removeprefix("numpy.")])


def _choice(
    found: Choice, place: _Place, lines: list[cst.Assign], ctx: Context, test: cst.BaseExpression | None = None
) -> cst.BaseExpression:
    test = builders.bare(ctx.rewritten(found.test)) if test is None else test
    yes, no = (_side(side, place, lines, ctx) for side in (found.yes, found.no))
    if ctx.is_static(found.test):
        return builders.operand(cst.IfExp(test, builders.operand(yes), builders.operand(no)))
    if found.partial:
        if not isinstance(test, cst.Name) and not select.is_short(test):
            name = ctx.names.local("condition")
            lines.append(cst.Assign([cst.AssignTarget(cst.Name(name))], test))
            test = cst.Name(name)
        safe = safe_operands.guarded(ctx, test, [yes], [no], found.partial)
        yes, no = (safe[0][0], safe[1][0]) if safe is not None else (yes, no)
    where = builders.dotted(ctx.names.name_of("jax.numpy.where")[0])
    return builders.call(where, test, builders.bare(yes), builders.bare(no))


def _side(side: Choice | Put | None, place: _Place, lines: list[cst.Assign], ctx: Context) -> cst.BaseExpression:
    return _choice(side, place, lines, ctx) if isinstance(side, Choice) else _put(side, place, ctx)


def _put(put: Put | None, place: _Place, ctx: Context) -> cst.BaseExpression:
    if put is None:
        return place.base()
    value = ctx.rewritten(put.value)
    if place.dtype is None:
        return _cast(value, cst.Name("int"), ctx) if _may_wrap(put, place, ctx) and _is_integer(put, ctx) else value
    if put.operator is not None:
        value = builders.binary(builders.operand(place.base()), put.operator, value)
    return _fitting(value, put, place.dtype, place, ctx)


def _fitting(value: cst.BaseExpression, put: Put, dtype: Made, place: _Place, ctx: Context) -> cst.BaseExpression:
    """A value in the dtype of the array, where NumPy would cast it alone, and `jnp.where` what stands beside it, too."""
    choice = place.choice
    assert put.target is not None
    into, own = (dtypes.category(ctx.value(node).dtype) for node in (put.target.value, put.value))
    others = [dtypes.category(ctx.value(p.value).dtype) for p in choice.puts]
    alone = into < 2 <= own and (choice.keeps or min(others) < max(others))
    if alone and isinstance(value, cst.Float) and (number := float(value.value)).is_integer() and number < SMALL:
        return cst.Integer(str(int(number)))
    return _cast(value, dtype(), ctx) if alone or (put.operator is None and _may_wrap(put, place, ctx)) else value


def _cast(value: cst.BaseExpression, dtype: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), value, dtype)


def _is_integer(put: Put, ctx: Context) -> bool:
    return dtypes.category(ctx.value(put.value).dtype) == 1


def _may_wrap(put: Put, place: _Place, ctx: Context) -> bool:
    """Whether a number of Python's would be rounded, or wrap, in the dtype of what stands beside it on another side."""
    choice = place.choice
    if not dtypes.is_weak(ctx.value(put.value).dtype) or _is_everywhere(put.value, ctx):
        return False
    beside = [p.value for p in choice.puts]
    beside += [p.target.value for p in choice.puts if p.target is not None and choice.keeps]
    return not all(dtypes.is_weak(dtype) or dtype in dtypes.DEFAULTS for dtype in (ctx.value(node).dtype for node in beside))


def _is_everywhere(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether a number is written that every dtype has, of integers or of floating-point numbers."""
    match node:
        case cst.Integer(value=text):
            return int(text, 0) < SMALL
        case cst.Float(value=text) | cst.UnaryOperation(operator=cst.Minus(), expression=cst.Float(value=text)):
            number = float(text)
            return number < HALF and struct.unpack("e", struct.pack("e", number))[0] == number
        case cst.Name() | cst.Attribute():
            return (ctx.qualname(node) or "") in ("numpy.nan", "numpy.inf", "builtins.True", "builtins.False")
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return isinstance(inner, cst.Attribute) and _is_everywhere(inner, ctx)
    return False
