"""If-conversion: what the arms of a branch store, or add up, in all iterations of a loop becomes `jnp.where`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import libcst as cst

from ..codegen import safe_operands, select
from ..context import Context
from ..core import dtypes
from ..dtypes import path_dtypes
from ..facts.parallel_loops import Predication, Put, Reduction, Store
from ..facts.values import UNKNOWN, Value, replace
from ..syntax import builders

Made = Callable[[], cst.BaseExpression]
SMALL = 128  # every dtype can represent the integers below
STARTS = {"zeros": "0", "zeros_like": "0", "empty": "0", "empty_like": "0", "ones": "1", "ones_like": "1"}


class _Prior(NamedTuple):
    """`base`: the previous value, or the neutral element. `dtype`: that of the array that is stored to, None for operands of a
    reduction. `start`: the dtype with which that starts."""

    predication: Predication
    base: Made
    dtype: Made | None
    start: str = ""


def asked(group: Sequence[Store | Reduction], ctx: Context) -> list[cst.Assign]:
    """The assignment of the test of a branch to a variable, where the test is long and needed several times."""
    predication = group[0].predication
    assert predication is not None
    required = len(group) + sum(own.trapping for own in group[0].first)
    if (
        ctx.is_static(predication.test)
        or required < 2
        or (required == 2 and select.is_short(predication.test))
        or _counted(group[0])
    ):
        return []
    return [
        cst.Assign([cst.AssignTarget(cst.Name(ctx.names.local("condition")))], builders.bare(ctx.rewritten(predication.test)))
    ]


def stored(
    store: Store, base: Made, dtype: Made, ctx: Context, test: cst.BaseExpression | None = None
) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What is stored, and the assignments that it needs. `base`: the previous value; `dtype`: of the array; `test`: the
    variable of the test."""
    base = functools.partial(cst.Integer, "0") if store.summed else base
    return _predicated(store, base, None if store.summed else dtype, ctx, test)


def _predicated(
    output: Store | Reduction, base: Made, dtype: Made | None, ctx: Context, test: cst.BaseExpression | None
) -> tuple[list[cst.Assign], cst.BaseExpression]:
    assert output.predication is not None
    test = builders.bare(ctx.rewritten(output.predication.test)) if test is None else test
    lines = _private_lines(output, test, ctx)
    prior = _Prior(output.predication, base, dtype, output.start if isinstance(output, Reduction) else "")
    return lines, builders.bare(_predication(output.predication, prior, lines, ctx, test))


def _private_lines(output: Store | Reduction, test: cst.BaseExpression, ctx: Context) -> list[cst.Assign]:
    """What the arms bind for themselves, with safe operands for operations that may trap in the other arm."""
    lines = [cst.Assign(own.line.targets, builders.bare(ctx.rewritten(own.line.value))) for own in output.first]
    required = sum(own.trapping for own in output.first)
    if not required:
        return lines
    yes, no = ([made for made, own in zip(lines, output.first, strict=True) if own.taken is arm] for arm in (True, False))
    safe = safe_operands.with_safe_operands(ctx, test, yes, no, required)
    return lines if safe is None else [*safe[0], *safe[1]]


def signed(reduction: Reduction, ctx: Context) -> list[Reduction]:
    """What is added and what is subtracted, separately: an unsigned number cannot be negated. Numbers of Python come last: they
    take the dtype that the others give the sum."""
    if reduction.predication is None or reduction.minus:
        return [reduction]
    found: list[Reduction] = []
    for minus in (False, True):
        predication = _only(reduction.predication, minus)
        if predication is not None:
            put = predication.puts[0]
            found.append(replace(reduction, node=put.node, value=put.value, predication=predication, minus=minus, first=()))
    made = [of_terms(each, ctx).dtype for each in found]
    if len(found) > 1 and dtypes.is_weak(made[0]) is not dtypes.is_weak(made[1]):
        strong, weak = (0, 1) if dtypes.is_weak(made[1]) else (1, 0)
        found = [found[strong], replace(found[weak], start=dtypes.promote(reduction.start, made[strong]))]
    found[0] = replace(found[0], first=reduction.first)
    return found


def _only(predication: Predication, minus: bool) -> Predication | None:
    """What the arms add, or what they subtract."""
    arms = [_only(s, minus) if isinstance(s, Predication) else s for s in (predication.yes, predication.no)]
    yes, no = (None if isinstance(s, Put) and (s.operator is not None) is not minus else s for s in arms)
    return replace(predication, yes=yes, no=no) if yes is not None or no is not None else None


def added(
    reduction: Reduction, ctx: Context, test: cst.BaseExpression | None = None
) -> tuple[list[cst.Assign], cst.BaseExpression]:
    """What the iterations add to a variable, or multiply it by, and the assignments that it needs. `test`: the variable of the
    test."""
    if (counted := _counted(reduction)) is not None:
        return [], builders.bare(ctx.rewritten(counted) if test is None else test)
    return _predicated(reduction, functools.partial(_neutral, reduction, ctx), None, ctx, test)


def _neutral(reduction: Reduction, ctx: Context) -> cst.BaseExpression:
    """What leaves a sum or a product as it is: bools, which remain bools beside the others, where all are."""
    prod = reduction.how == "prod"
    if dtypes.category(of_terms(reduction, ctx).dtype) == dtypes.category(reduction.start) == 0:
        return cst.Name(str(prod))
    return cst.Integer(str(int(prod)))


def _counted(output: Store | Reduction) -> cst.Comparison | None:
    """The test, where the reduction only counts the iterations in which it holds."""
    predication = output.predication
    if predication is None or getattr(output, "how", "") != "sum" or predication.no is not None or output.first:
        return None
    value = getattr(predication.yes, "value", None)
    one = isinstance(value, cst.Integer) and value.value == "1"
    return (
        predication.test
        if one and isinstance(predication.test, cst.Comparison) and len(predication.test.comparisons) == 1
        else None
    )


def of_terms(reduction: Reduction, ctx: Context) -> Value:
    """What is known of all operands of the sum. Where Python chooses between the arms, they do not promote each other."""
    if reduction.predication is None:
        return ctx.value(reduction.value)
    values = [ctx.value(put.value) for put in reduction.predication.puts]
    kinds, made = {v.kind for v in values}, {v.dtype for v in values}
    chosen = len(made) > 1 and any(map(ctx.is_static, reduction.predication.tests))
    dtype = "" if chosen else functools.reduce(dtypes.promote, (v.dtype for v in values))
    return replace(UNKNOWN, kind=values[0].kind if len(kinds) == 1 else UNKNOWN.kind, dtype=dtype)


def given(store: Store, ctx: Context) -> Value:
    """What is known of the values of all arms."""
    if store.predication is None:
        return ctx.value(store.value)
    values = [ctx.value(put.value) for put in store.predication.puts]
    categories = [dtypes.category(v.dtype) for v in values]
    if store.predication.keeps or min(categories) != max(categories):
        return UNKNOWN  # each arm is cast separately
    return replace(UNKNOWN, dtype=functools.reduce(dtypes.promote, (v.dtype for v in values)))


def start(maker: cst.SimpleStatementLine, ctx: Context) -> cst.BaseExpression:
    """The value of all elements of the array that a statement creates."""
    (small,) = maker.body
    assert isinstance(small, cst.Assign) and isinstance(small.value, cst.Call)
    return cst.Integer(STARTS[(ctx.qualname(small.value.func) or "").removeprefix("numpy.")])


def _predication(
    found: Predication, prior: _Prior, lines: list[cst.Assign], ctx: Context, test: cst.BaseExpression | None = None
) -> cst.BaseExpression:
    test = builders.bare(ctx.rewritten(found.test)) if test is None else test
    yes, no = (_arm(arm, prior, lines, ctx) for arm in (found.yes, found.no))
    if ctx.is_static(found.test):
        return builders.operand(cst.IfExp(test, builders.operand(yes), builders.operand(no)))
    if found.trapping:
        if not isinstance(test, cst.Name) and not select.is_short(test):
            name = ctx.names.local("condition")
            lines.append(cst.Assign([cst.AssignTarget(cst.Name(name))], test))
            test = cst.Name(name)
        safe = safe_operands.with_safe_operands(ctx, test, [yes], [no], found.trapping)
        yes, no = (safe[0][0], safe[1][0]) if safe is not None else (yes, no)
    where = builders.dotted(ctx.names.name_of("jax.numpy.where")[0])
    return builders.call(where, test, builders.bare(yes), builders.bare(no))


def _arm(arm: Predication | Put | None, prior: _Prior, lines: list[cst.Assign], ctx: Context) -> cst.BaseExpression:
    return _predication(arm, prior, lines, ctx) if isinstance(arm, Predication) else _put(arm, prior, ctx)


def _put(put: Put | None, prior: _Prior, ctx: Context) -> cst.BaseExpression:
    if put is None:
        return prior.base()
    value = ctx.rewritten(put.value)
    if prior.dtype is None:
        exact = dtypes.category(prior.start) != 1 and _is_integer(put, ctx)  # a sum of integers wraps around in NumPy, too
        return _cast(value, cst.Name("int"), ctx) if exact and _may_wrap(put, prior, ctx) else value
    if put.operator is not None:
        value = builders.binary(builders.operand(prior.base()), put.operator, value)
    return _fitting(value, put, prior.dtype, prior, ctx)


def _fitting(value: cst.BaseExpression, put: Put, dtype: Made, prior: _Prior, ctx: Context) -> cst.BaseExpression:
    """A value cast to the dtype of the array, where NumPy would cast it alone, and `jnp.where` the value of the other arm,
    too."""
    predication = prior.predication
    assert put.target is not None
    into, own = (dtypes.category(ctx.value(node).dtype) for node in (put.target.value, put.value))
    others = [dtypes.category(ctx.value(p.value).dtype) for p in predication.puts]
    alone = into < 2 <= own and (predication.keeps or min(others) < max(others))
    if alone and isinstance(value, cst.Float) and (number := float(value.value)).is_integer() and number < SMALL:
        return cst.Integer(str(int(number)))
    return _cast(value, dtype(), ctx) if alone or (put.operator is None and _may_wrap(put, prior, ctx)) else value


def _cast(value: cst.BaseExpression, dtype: cst.BaseExpression, ctx: Context) -> cst.BaseExpression:
    return builders.call(builders.dotted(ctx.names.name_of("jax.numpy.asarray")[0]), value, dtype)


def _is_integer(put: Put, ctx: Context) -> bool:
    return dtypes.category(ctx.value(put.value).dtype) == 1


def _may_wrap(put: Put, prior: _Prior, ctx: Context) -> bool:
    """Whether a Python scalar would be rounded, or wrap around, in the dtype of the value of another arm."""
    predication = prior.predication
    if not dtypes.is_weak(ctx.value(put.value).dtype) or path_dtypes.is_exact(put.value, ctx.qualname):
        return False
    beside = [p.value for p in predication.puts]
    beside += [p.target.value for p in predication.puts if p.target is not None and predication.keeps]
    return not all(dtypes.is_weak(dtype) or dtype in dtypes.DEFAULTS for dtype in (ctx.value(node).dtype for node in beside))
