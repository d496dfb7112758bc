"""NumPy gives a value the same dtype on every path.

In JAX, both arms of a branch and all iterations of a loop have one dtype. NumPy gives a value that of the path taken: an integer of the
array or a float, a float32 or a number of Python with 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from ..context import Context
from ..core import dtypes
from ..core.assumptions import Assumption, ConditionKind
from ..core.findings import Kind
from ..dtypes.dtype_flow import by_path
from ..dtypes.path_dtypes import EXTREMES, Alternative, all_exact, alternative, differ, of_items, selected, strong
from ..facts.loop_plan import PythonLoop, Unrolled, listed_items
from ..syntax.tree import assigned_values, walk
from .jax_operands import carried_dtypes, may_be_integer, open_operands, quoted, runs_in_jax
from .loop_starts import NUMBERS, start_of

kind = ConditionKind(
    "path", "annotate the dtype (`x: NDArray[np.float64]`), or give all paths one (`np.float64(k)`, `x.astype(float)`)"
)
MAKES_ARRAY = ("numpy.array", "numpy.asarray")


@kind.on(cst.If, cst.IfExp)
def branch(node: cst.If | cst.IfExp, ctx: Context) -> Iterator[Assumption]:
    found = ctx.branches.branch(node)
    for name in sorted(found.by_path) if found is not None else ():
        yield from _of_branch(node, name)


def _of_branch(node: cst.If | cst.IfExp, name: str) -> Iterator[Assumption]:
    shown = f"`{name}`" if name else quoted(node) if isinstance(node, cst.IfExp) else "the result"
    yield Assumption(node, f"{shown} has the same dtype in NumPy whether or not {quoted(node.test)} holds")


@kind.on(cst.FunctionDef)
def flow(node: cst.FunctionDef, ctx: Context) -> Iterator[Assumption]:
    if node is ctx.unit.definition:
        for place, name in by_path(node, ctx):
            if isinstance(place, (cst.If, cst.IfExp)):
                yield from _of_branch(place, name)
            elif isinstance(place, cst.BaseExpression):
                yield Assumption(place, f"{quoted(place)} has the same dtype in NumPy on all paths")
            elif name not in carried_dtypes(place, ctx):
                yield from _of_loop(place, name)


@kind.on(cst.Call)
def extreme(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """Python's `max` returns one of its arguments as it is."""
    given = [argument.value for argument in node.args]
    if ctx.qualname(node.func) in EXTREMES and len(given) > 1 and runs_in_jax(ctx, *given) and not _in_loop(node, ctx):
        if differ(*(_alternative(one, ctx) for one in given)):
            yield Assumption(node, f"the arguments of {quoted(node)} have one dtype in NumPy")


def _in_loop(node: cst.Call, ctx: Context) -> bool:
    """Whether it updates a variable in a loop: see below."""
    above = ctx.parent(node)
    while above is not None and not isinstance(above, (cst.For, cst.While)):
        above = ctx.parent(above)
    return above is not None and _updated(node, ctx) is not None


@kind.on(cst.For, cst.While)
def loop(node: cst.For | cst.While, ctx: Context) -> Iterator[Assumption]:
    """A variable that only some iterations bind."""
    if isinstance(ctx.loops.loop_plan(node), (PythonLoop, Unrolled)):
        return
    live = ctx.flow.live_after(node)
    found = dict[str, list[_Bound]]()
    for bound in _bound_under_tests(node.body, False, ctx):
        if bound.name in live:
            found.setdefault(bound.name, []).append(bound)
    for name, every in found.items():
        start = start_of(name, node, ctx)
        if start is not None and _varies(start, every, node, ctx):
            yield from _of_loop(node, name)


def _of_loop(node: cst.CSTNode, name: str) -> Iterator[Assumption]:
    yield Assumption(node, f"`{name}` has the same dtype in NumPy whichever iterations bind it, or none")


@kind.on(cst.For, cst.While)
def listed(node: cst.For | cst.While, ctx: Context) -> Iterator[Assumption]:
    """NumPy promotes the dtypes of the items that occur in a list, where a number of Python has 64 bits."""
    plan = ctx.loops.loop_plan(node)
    for item in _appended(node, ctx) if isinstance(plan, (PythonLoop, Unrolled)) else listed_items(plan):
        values = list(_selected(item, node, ctx))
        made = [strong(_alternative(each, ctx)) for each in values]
        alike = len({frozenset(_arrays(each, node, ctx)) for each in values}) == 1 and len(set(made)) == 1
        if len(made) > 1 and not alike and differ(*made):
            words = "items of both dtypes occur in" if of_items(item, ctx) else "all items have one dtype in NumPy:"
            yield Assumption(node, f"{words} {quoted(item)}")


def _appended(node: cst.For | cst.While, ctx: Context) -> Iterator[cst.BaseExpression]:
    """What a loop of Python appends to a list of which the function makes an array."""
    definition = ctx.unit.definition
    if definition is None:
        return
    calls = [call for call, _above in walk(definition) if isinstance(call, cst.Call) and ctx.qualname(call.func) in MAKES_ARRAY]
    made = {call.args[0].value.value for call in calls if len(call.args) == 1 and isinstance(call.args[0].value, cst.Name)}
    for call, _above in walk(node.body):
        match call:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")), args=[item]):
                if name in made and any(runs_in_jax(ctx, each) for each in _selected(item.value, node, ctx)):
                    yield item.value


def _selected(item: cst.BaseExpression, node: cst.For | cst.While, ctx: Context) -> Iterator[cst.BaseExpression]:
    """The expressions of which an item is one: for a variable that only some iterations bind, what they bind it to."""
    python = isinstance(
        ctx.loops.loop_plan(node), (PythonLoop, Unrolled)
    )  # which chooses anew in each iteration, whatever the test
    if isinstance(item, cst.Name):
        if under := [bound for bound in _bound_under_tests(node.body, python, ctx) if bound.name == item.value]:
            start = start_of(item.value, node, ctx)
            yield from (*(() if start is None else (start,)), *(each.value for each in under))
            return
    yield from selected(item, ctx)


class _Bound(NamedTuple):
    """What a statement binds a variable to, or (`updates`) combines it with. `augmented`: arrays change in place."""

    name: str
    value: cst.BaseExpression
    updates: bool = False
    augmented: bool = False


def _bound_under_tests(body: cst.CSTNode, tested: bool, ctx: Context) -> Iterator[_Bound]:
    for part in body.children:
        match part:
            case cst.If():
                yield from _bound_under_tests(part, tested or not ctx.is_static(part.test), ctx)
                continue
            case cst.AugAssign(target=cst.Name(value=name), operator=operator, value=value) if tested:
                if not isinstance(operator, cst.DivideAssign):
                    yield _Bound(name, value, True, True)
            case cst.Assign(value=cst.Call() as call) if (updated := _updated(call, ctx)) is not None:
                yield from (_Bound(updated, argument.value) for argument in call.args if not _is(argument.value, updated))
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) if tested:
                yield from (_update(name, each) for name, each in assigned_values(target, value))
        if not isinstance(part, (cst.FunctionDef, cst.BaseExpression)):
            yield from _bound_under_tests(part, tested, ctx)


def _updated(call: cst.Call, ctx: Context) -> str | None:
    """The variable that `best = max(best, x)` binds to itself or to something else."""
    match ctx.parent(call):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if ctx.qualname(call.func) in EXTREMES:
            return name if any(_is(argument.value, name) for argument in call.args) else None
    return None


def _is(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _update(name: str, value: cst.BaseExpression) -> _Bound:
    match value:
        case cst.BinaryOperation(left=cst.Name(value=left), operator=cst.Add() | cst.Subtract() | cst.Multiply(), right=other):
            return _Bound(name, other, True) if left == name else _Bound(name, value)
        case cst.BinaryOperation(left=other, operator=cst.Add() | cst.Multiply(), right=cst.Name(value=right)) if right == name:
            return _Bound(name, other, True)
    return _Bound(name, value)


def _varies(start: cst.BaseExpression, every: Sequence[_Bound], node: cst.For | cst.While, ctx: Context) -> bool:
    """Whether the dtype of a variable depends on which iterations bind it."""
    first, array = _alternative(start, ctx), ctx.kind(start) is Kind.ARRAY
    among = [first]
    for bound in every:
        if bound.augmented and array:
            continue
        value = _alternative(bound.value, ctx)
        if len(first.dtypes) > 1 and _arrays(bound.value, node, ctx) == _arrays(start, node, ctx) != set():
            if first.dtypes == value.dtypes:  # elements of the same array
                continue
        if not bound.updates:
            among.append(value)
        elif len(first.dtypes) == 1:
            made = tuple(dict.fromkeys(dtypes.promote(first.dtypes[0], dtype) for dtype in value.dtypes))
            among.append(Alternative(made, first.weak and value.weak))
        elif any(dtypes.promote(one, dtype) != one for one in first.dtypes for dtype in value.dtypes):
            return True
    return differ(*among)


def _arrays(value: cst.BaseExpression, node: cst.For | cst.While, ctx: Context) -> set[str]:
    """The variables from which a value is computed; for the rows over which a loop iterates, the arrays."""
    found = set(open_operands(value, ctx))
    if isinstance(node, cst.For) and (rows := found & {n.value for n, _above in walk(node.target) if isinstance(n, cst.Name)}):
        found = (found - rows) | set(open_operands(node.iter, ctx))
    return found


def _alternative(node: cst.BaseExpression, ctx: Context) -> Alternative:
    if (number := ctx.qualname(node)) in NUMBERS:  # the annotation of an argument
        return Alternative((number.removeprefix("builtins."),))
    return alternative(ctx.value(node), not may_be_integer(node, ctx), all_exact([node], ctx.qualname))
