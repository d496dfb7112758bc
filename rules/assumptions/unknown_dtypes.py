"""An array whose dtype is not known has none for which JAX gives another one than NumPy.

NumPy gives float64 where integers meet float32, and for quotients and means of integers of any width; JAX gives float32 for
narrow ones. Where the dtype is known, np2jax casts instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product

import libcst as cst

from .. import numpy_table
from ..context import Context
from ..core import dtypes
from ..core.assumptions import Assumption, ConditionKind
from ..core.findings import Kind
from ..dtypes.call_dtypes import promoted_arguments
from ..dtypes.possible_dtypes import changes_in_place
from ..dtypes.sum_dtypes import summed_up
from ..facts.loop_plan import Vectorized
from ..numpy_table import math_names
from ..numpy_table.entry import Entry, Verdict
from ..numpy_table.result_dtypes import PROMOTING
from ..syntax.argument_binding import bind
from .jax_operands import (
    candidates,
    carried_dtypes,
    jax_candidate,
    joined,
    known_dtype,
    may_be_bool,
    may_be_item,
    open_operands,
    quoted,
    runs_in_jax,
    subject,
)

kind = ConditionKind("dtype", "annotate the dtype (`x: NDArray[np.float64]`), or cast (`x.astype(float)`)")
BITWISE = (cst.BitAnd, cst.BitOr, cst.BitXor, cst.LeftShift, cst.RightShift)
SHIFTS = ("numpy.left_shift", "numpy.right_shift", "numpy.bitwise_left_shift", "numpy.bitwise_right_shift")
COMPARED = (cst.Equal, cst.NotEqual, cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
SMALL = frozenset(d for d in dtypes.BITS if dtypes.is_small_integer(d))
MOST_OPERANDS = 3  # dtypes are combined for at most so many operands: the rest of a longer list has those of the first ones

Pair = tuple[str, ...]  # a dtype for each operand
Differs = Callable[[tuple[Pair, ...], tuple[Pair, ...]], Sequence[Pair]]


@kind.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, (cst.Power, cst.LeftShift, cst.RightShift)):
        yield from _of_bools(node, node.left, node.right, ctx)
    if not isinstance(node.operator, BITWISE):
        division = isinstance(node.operator, cst.Divide)
        yield from _met(node, node.left, node.right, lambda ours, theirs: _of_operator(ours, theirs, division), ctx)


@kind.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
    """An array retains its dtype; a number gets that of the result."""
    if changes_in_place(node, ctx):
        ours, made = ctx.value(node.target).dtype, dtypes.promote(ctx.value(node.target).dtype, known_dtype(node.value, ctx))
        item = may_be_item(node.target, ctx)
        if item and made not in ("", ours) and dtypes.category(made) == dtypes.category(ours):
            yield Assumption(node, f"{quoted(node.target)} is an array, not a number, which would become one of {made}")
        if ours or not item:
            return
    division = isinstance(node.operator, cst.DivideAssign)
    yield from _met(node, node.target, node.value, lambda ours, theirs: _of_operator(ours, theirs, division), ctx)


@kind.on(cst.Comparison)
def comparison(node: cst.Comparison, ctx: Context) -> Iterator[Assumption]:
    left = node.left
    for part in node.comparisons:
        if isinstance(part.operator, COMPARED):
            yield from _met(node, left, part.comparator, lambda ours, theirs: _of_operator(ours, theirs, False), ctx)
        left = part.comparator


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    name, receiver = ctx.qualname(node.func) or "", None
    if name.startswith("numpy."):
        entry = numpy_table.function(name)
    elif math_names.jax_name(name, len(node.args)):
        yield from _of_math(node, ctx)
        return
    elif isinstance(node.func, cst.Attribute) and ctx.kind(node.func.value) in (Kind.ARRAY, Kind.UNKNOWN):
        entry, receiver = numpy_table.method(node.func.attr.value), node.func.value
    else:
        return
    if name in SHIFTS and len(node.args) > 1 and not ctx.host.on_host(node):
        yield from _of_bools(node, node.args[0].value, node.args[1].value, ctx)
    if entry is None or entry.verdict in (Verdict.HOST, Verdict.REFUSED) or entry.kind == "dtype":
        return
    bound = {parameter: position for position, parameter in bind(node, entry) if parameter}
    if ctx.host.on_host(node) or "dtype" in bound or summed_up(node, ctx) is not None:
        return
    arguments = [*_promoted(node, entry, ctx, bound)]
    operands = [argument for argument, _strong in arguments]
    strong = [is_strong for _argument, is_strong in arguments]
    if receiver is not None:
        operands, strong = [receiver, *operands], [False, *strong]
    if operands and any(runs_in_jax(ctx, operand) for operand in operands):
        yield from _different(node, operands, lambda ours, theirs: _of_function(ours, theirs, strong, entry), ctx)


def _of_math(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """Python's `math` computes in 64 bits whatever it gets. Where the program has narrow dtypes, `rules.api.math_function` casts."""
    if ctx.host.on_host(node) or ctx.program.narrow_dtypes or ctx.program.precision != "float64":
        return
    for argument in (each.value for each in node.args):
        narrow = {d for d in candidates(argument, ctx) if dtypes.BITS.get(d, 64) < 64 and dtypes.category(d) < 3}
        if narrow and not known_dtype(argument, ctx) and runs_in_jax(ctx, argument):
            yield Assumption(node, f"{subject(argument, ctx=ctx)} not of {_spelled(narrow)}")


@kind.on(cst.For, cst.While)
def carried(node: cst.For | cst.While, ctx: Context) -> Iterator[Assumption]:
    """A loop-carried value keeps the dtype of the argument with which it starts."""
    for parameter, dtype in carried_dtypes(node, ctx).items():
        yield Assumption(node, f"`{parameter}` is of {dtype.rstrip('_')}")


@kind.on(cst.For, cst.While)
def summed(node: cst.For | cst.While, ctx: Context) -> Iterator[Assumption]:
    """A sum of bools that starts with a bool: where a branch adds nothing, JAX adds the integer 0."""
    plan = ctx.loops.loop_plan(node)
    for reduction in plan.iterations.reductions if isinstance(plan, Vectorized) else ():
        if reduction.how not in ("sum", "prod") or reduction.predication is None or dtypes.category(reduction.start) > 0:
            continue
        values = [put.value for put in reduction.predication.puts]
        perhaps = [value for value in values if dtypes.category(known_dtype(value, ctx)) == 0 or may_be_bool(value, ctx)]
        if perhaps and (not reduction.start or may_be_bool(perhaps[0], ctx)):
            named = any(True for value in perhaps for _name in open_operands(value, ctx))
            yield Assumption(node, f"{subject(*perhaps, ctx=ctx)} not of bool" if named else f"`{reduction.name}` is not of bool")


def _of_bools(node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, ctx: Context) -> Iterator[Assumption]:
    """Powers and shifts of bools are int8 or int64 in NumPy, and int32 in JAX."""
    if runs_in_jax(ctx, left, right) and any(dtypes.category(dtype) == 0 for dtype in candidates(left, ctx)):
        if any(dtypes.category(dtype) == 0 or dtype == "int" for dtype in candidates(right, ctx)):
            yield Assumption(node, f"{subject(left, ctx=ctx)} not of bool")


def _promoted(node: cst.Call, entry: Entry, ctx: Context, bound: dict[str, int]) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The arguments from which the result is promoted, and whether NumPy gives a Python scalar there a dtype."""
    for parameter, position, number, value in promoted_arguments(node, entry, ctx, bound):
        argument = node.args[position].value
        if number >= 0 and isinstance(argument, (cst.Tuple, cst.List)):
            argument = argument.elements[number].value
        if value.kind in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN):
            yield argument, parameter in entry.strong
        else:  # in a list, a number of Python has a dtype
            shown = [argument, *(ctx.flow.bound_to(argument) if isinstance(argument, cst.Name) else ())]
            yield from (
                (item, True)
                for each in shown
                for item in _items(each)
                if ctx.kind(item) in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN)
            )


def _items(display: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The items of a display, and of displays in it."""
    if isinstance(display, (cst.Tuple, cst.List)):
        for element in display.elements:
            yield from _items(element.value)
    else:
        yield display


def _of_function(ours: tuple[Pair, ...], theirs: tuple[Pair, ...], strong: Sequence[bool], entry: Entry) -> Sequence[Pair]:
    """The same for a function. `strong`: the operands whose Python scalars have a dtype in NumPy."""
    found = []
    for pair, in_jax in _combinations(ours, theirs):
        made = tuple(dtypes.strong(dtype) if one else dtype for dtype, one in zip(pair, strong, strict=False))
        if _of_entry(made, in_jax, entry):
            found.append(pair)
    return found


def _met(
    node: cst.CSTNode, left: cst.BaseExpression, right: cst.BaseExpression, differs: Differs, ctx: Context
) -> Iterator[Assumption]:
    if runs_in_jax(ctx, left, right):
        yield from _different(node, [left, right], differs, ctx)


def _different(node: cst.CSTNode, operands: Sequence[cst.BaseExpression], differs: Differs, ctx: Context) -> Iterator[Assumption]:
    """The condition that operands of unknown dtype have none for which the results differ."""
    unknown = [operand for operand in operands if not known_dtype(operand, ctx)]
    if not unknown:
        return  # rules.dtypes casts
    taken = operands[:MOST_OPERANDS]
    possible = [candidates(operand, ctx) for operand in taken]
    in_jax = [tuple(jax_candidate(o, dtype, ctx) for dtype in each) for o, each in zip(taken, possible, strict=True)]
    wrong = differs(tuple(possible), tuple(in_jax))
    if not wrong:
        return
    open_at = [i for i, operand in enumerate(taken) if not known_dtype(operand, ctx)]
    of_one = [{pair[i] for pair in wrong} for i in open_at]
    of_all = {pair[open_at[0]] for pair in wrong if len({pair[i] for i in open_at}) == 1} if open_at else set()
    if len(of_one) == 1 or _same_operand(unknown, ctx):
        bad = of_one[0] if len(of_one) == 1 else of_all
        if bad:
            yield Assumption(node, f"{subject(*unknown, ctx=ctx)} not of {_spelled(bad)}")
    elif of_all:
        yield Assumption(node, f"{subject(*unknown, ctx=ctx)} not of {_spelled(of_all)}, and have one dtype")
    elif any(True for operand in unknown for _name in open_operands(operand, ctx)):
        words = subject(*unknown, ctx=ctx, verbs=("does", "do"))
        yield Assumption(node, f"{words} not combine integers with floats of fewer than 64 bits")
    else:
        yield Assumption(node, f"the operands of {quoted(node)} do not combine integers with floats of fewer than 64 bits")


def _same_operand(unknown: Sequence[cst.BaseExpression], ctx: Context) -> bool:
    """Whether all operands are computed from one array alone, so that they have one dtype."""
    return len({name for operand in unknown for name in open_operands(operand, ctx)}) == 1 and len(unknown) > 1


@lru_cache(maxsize=1024)
def _of_operator(ours: tuple[Pair, ...], theirs: tuple[Pair, ...], division: bool) -> Sequence[Pair]:
    """The dtypes of the operands for which NumPy and JAX give the result of an operator different ones. `ours`, `theirs`: the dtypes
    with which each operand may take part in the promotion."""
    return [pair for pair, in_jax in _combinations(ours, theirs) if _has_other_dtype(pair, in_jax, division)]


def _combinations(ours: tuple[Pair, ...], theirs: tuple[Pair, ...]) -> Iterator[tuple[Pair, Pair]]:
    return zip(product(*ours), product(*theirs), strict=True)


def _has_other_dtype(pair: Pair, in_jax: Pair, division: bool) -> bool:
    ours, made = dtypes.promote(*pair), dtypes.promote_jax(*in_jax)
    if division and dtypes.category(ours) < 2:
        return dtypes.strong(ours) not in ("int64", "uint64")
    return dtypes.strong(ours) != dtypes.strong(made)


def _of_entry(pair: Pair, theirs: Pair, entry: Entry) -> bool:
    """Whether NumPy and JAX give the result of a function different dtypes."""
    if entry.cast_how == "each":
        return any(dtype in entry.cast_for for dtype in pair)
    ours, made = dtypes.promote(*pair), dtypes.promote_jax(*theirs)
    if dtypes.strong(ours) in entry.cast_for:
        return True
    return entry.dtype in PROMOTING and dtypes.strong(ours) != dtypes.strong(made)


def _spelled(found: set[str]) -> str:
    """Dtypes in words: "an integer dtype of fewer than 64 bits, or bool"."""
    words = []
    if found >= SMALL:
        words.append("an integer dtype of fewer than 64 bits")
        found = found - SMALL
    words += [dtype.removesuffix("_") for dtype in dtypes.BITS if dtype in found]
    return joined(words, "or")
