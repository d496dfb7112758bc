"""A call of a function that returns the arguments that it updates.

The call rebinds its arguments. A call inside an expression moves to a statement of its own, before the expression. In a
function that stays NumPy, the array is filled (`x[...] = f(x)`), so that every alias sees the update.

```python
import numpy as np


def damp(state, rate):
    state[:] = state * rate


def run(state: np.ndarray):
    damp(state, 0.5)
    return state
```

becomes

```python
import jax
import jax.numpy as jnp


@jax.jit
def damp(state, rate):
    state = jnp.full_like(state, state * rate)
    return state


@jax.jit
def run(state: jax.Array):
    state = damp(state, 0.5)
    return state
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ..codegen.array_updates import Writer, line, names_read, rebinding, refreshed, several
from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule
from ..facts.function_plan import FunctionPlan
from ..facts.updates import Update
from ..facts.values import Value
from ..host import host_arrays
from ..syntax import builders

rule = Rule(__name__, "NJ213", for_numpy_code=True)

NO_ARRAY = (Kind.SCALAR, Kind.OBJECT, Kind.STRING, Kind.NONE)


class Slot(NamedTuple):
    """One returned value of a call, its argument, and the update that rebinds it; both None where the value is not needed."""

    parameter: str
    position: int
    argument: cst.BaseExpression | None
    update: Update | None


def slots(call: cst.Call, ctx: Context, plan: FunctionPlan) -> list[Slot] | str:
    """The results of a call that must be rebound, or the reason why they cannot be."""
    found = []
    for parameter, position in plan.positions.items():
        argument = ctx.calls.argument(call, parameter)
        if argument is None and any(a.star for a in call.args):
            return f"`{parameter}`, which it changes, is passed with * or **"
        update = next((u for u in ctx.effects.updates(call) if u.argument is argument), None) if argument is not None else None
        if argument is not None and update is None and ctx.kind(argument) is Kind.UNKNOWN:
            return f"np2jax cannot tell what is passed for `{parameter}`"
        if update is not None and ctx.plan.refused:
            if not isinstance(argument, (cst.Name, cst.Attribute, cst.Subscript)):
                return f"the argument for `{parameter}` has no name"
            if parameter not in plan.inputs.filled and _may_be_number(ctx.value(argument)):
                return f"the argument for `{parameter}` may be a number, which cannot be filled"
        elif update is not None and update.target is None:
            update = None  # a temporary, or a problem for which the unit is refused anyway
        found.append(Slot(parameter, position, argument if update is not None else None, update))
    return found


def _may_be_number(value: Value) -> bool:
    """Whether what is passed may be a number, which no callee changes. Something unknown that the unit gets from its caller is an array."""
    given = value.view is None and len(value.memory) == 1 and next(iter(value.memory)).startswith("param:")
    return value.number or (value.kind is not Kind.ARRAY and not given)


@rule.on(cst.Call)
def check(node: cst.Call, ctx: Context) -> Iterator[Finding]:
    plan = ctx.calls.callee(node)
    if plan is None or plan.refused or not plan.returns:
        return
    if ctx.plan.refused and plan.inputs.shell.changed:
        return  # its shell fills the arrays
    short = plan.name.rpartition(".")[2]
    message = f"`{short}` changes its arguments, and returns them"
    found = slots(node, ctx, plan)
    if isinstance(found, str):
        yield Finding(node, f"`{short}` changes its arguments, and {found}", blocks=True, refuses=plan.name)
        return
    replaced = [s for s in found if s.update is not None and ctx.plan.refused and _is_rebound(s, node, ctx)]
    found = [s._replace(argument=None, update=None) if s in replaced else s for s in found]
    if ctx.plan.refused and any(s.update is not None and s.position < plan.results for s in found):
        yield Finding(
            node, f"`{short}` returns an argument that it changes, to a function that stays NumPy", blocks=True, refuses=plan.name
        )
        return
    if ctx.plan.refused and _rebinds(node, found, ctx):
        yield Finding(
            node,
            f"`{short}` changes an argument whose name is rebound, in a function that stays NumPy",
            blocks=True,
            refuses=plan.name,
        )
        return
    if not ctx.plan.refused and any(u.problem for u in ctx.effects.updates(node)):
        return  # the unit is refused for that
    parent = ctx.parent(node)
    required = [s for s in found if s.update is not None]
    if not required and not replaced and not [r for r in plan.returns if r not in dict(plan.already)]:
        return
    if isinstance(parent, cst.Assign) and (why := _bound_anew(parent, required, ctx)):
        yield Finding(node, f"`{short}` changes its arguments, and {why}", blocks=True, refuses=plan.name)
        return
    taken = _results(node, plan, ctx)
    match parent:
        case cst.Expr():
            yield Finding(node, message, {parent: lambda made: _alone(made.value, plan, found, ctx)}, _imports(ctx))
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) if _simple_target(target, plan, required):

            def assigned(made: cst.Assign) -> object:
                return _assigned(made.targets[0].target, taken.build(made.value), plan, found, ctx)

            yield Finding(node, message, {parent: assigned}, _imports(ctx) | taken.imports, definitions=taken.definitions)
        case _:
            changed = {s.update.access_path for s in required if s.update is not None}
            views = {name for s in required if s.update is not None for name, _view in s.update.refresh}
            if why := ctx.flow.not_first(node, changed | views):
                yield Finding(node, f"`{short}` changes its arguments, and {why}", blocks=True, refuses=plan.name)
                return
            yield from _hoisted(node, plan, found, ctx, message)


def _results(node: cst.Call, plan: FunctionPlan, ctx: Context) -> host_arrays.Mapped:
    """How to convert the results of a call for code that stays NumPy and needs NumPy arrays."""
    number = ctx.kind(node) is Kind.SCALAR and ctx.program.fast  # jit returns an array
    if not ctx.plan.refused or not plan.results or (ctx.kind(node) in NO_ARRAY and not number):
        return host_arrays.Mapped(lambda made: made)
    if not (ctx.program.fast or ctx.host.requires_host(plan.name) or host_arrays.may_be_weak(node, ctx)):
        return host_arrays.Mapped(lambda made: made)
    return host_arrays.mapped(node, ctx)


def _rebinds(node: cst.Call, found: list[Slot], ctx: Context) -> bool:
    """`a = f(a)`: once the result is bound, no name refers to the array that must be filled."""
    parent = ctx.parent(node)
    if not isinstance(parent, cst.Assign):
        return False
    bound = {t.target.value for t in parent.targets if isinstance(t.target, cst.Name)}
    for target in parent.targets:
        if isinstance(target.target, cst.Tuple):
            bound |= {e.value.value for e in target.target.elements if isinstance(e.value, cst.Name)}
    return any(isinstance(s.argument, cst.Name) and s.argument.value in bound for s in found)


def _is_rebound(slot: Slot, node: cst.Call, ctx: Context) -> bool:
    """Whether the statement of a call binds the changed argument to the only name that it had: `a, b = f(a)`, where `f` returns it first."""
    parent = ctx.parent(node)
    target = parent.targets[0].target if isinstance(parent, cst.Assign) and len(parent.targets) == 1 else None
    targets = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    bound = targets[slot.position] if slot.position < len(targets) else None
    same = isinstance(bound, cst.Name) and isinstance(slot.argument, cst.Name) and bound.value == slot.argument.value
    return same and ctx.effects.rebinds_all(node)


def _imports(ctx: Context) -> frozenset[str]:
    return ctx.names.name_of("jax.numpy.asarray")[1] if not ctx.plan.refused else frozenset()


def _bound_anew(node: cst.Assign, required: list[Slot], ctx: Context) -> str:
    """Why updated arguments cannot be rebound where the call's own results are bound to their names; "" if they can."""
    bound: set[str] = set()
    for target in node.targets:
        elements = (
            [e.value for e in target.target.elements] if isinstance(target.target, (cst.Tuple, cst.List)) else [target.target]
        )
        bound |= {e.value for e in elements if isinstance(e, cst.Name)}
    for slot in required:
        update, at = slot.update, slot.argument
        while isinstance(at, (cst.Attribute, cst.Subscript)):
            at = at.value
        target_name = update.target.value if update is not None and isinstance(update.target, cst.Name) else ""
        name = target_name or (at.value if isinstance(at, cst.Name) else "")
        if update is None or name not in bound:
            continue
        if ctx.plan.refused or update.steps or update.refresh:
            return f"`{name}`, its argument, is bound to its result, while the array has other owners"
    return ""


def _simple_target(target: cst.BaseExpression, plan: FunctionPlan, required: list[Slot]) -> bool:
    """Whether the results can be unpacked into the target directly: into names that the statements after it do not read."""
    if isinstance(target, cst.Tuple):
        if not plan.results == len(target.elements) > 1:
            return False
        if not all(isinstance(e, cst.Element) and isinstance(e.value, cst.Name) for e in target.elements):
            return False
        names = {e.value.value for e in target.elements if isinstance(e.value, cst.Name)}
    elif isinstance(target, cst.Name):
        names = {target.value}
    else:
        return False
    return not any(names & names_read(s.update) for s in required if s.update is not None)


def _bind(slot: Slot, ctx: Context, value: cst.BaseExpression) -> list[cst.BaseSmallStatement]:
    """Rebind the access path of an argument to its new value; in code left as NumPy, fill the array."""
    update = slot.update
    assert update is not None and slot.argument is not None
    if ctx.plan.refused:
        target = ctx.rewritten(slot.argument)
        everything = cst.Subscript(builders.operand(target), [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
        return [cst.Assign([cst.AssignTarget(everything)], value)]
    if not update.steps:
        return [rebinding(update, value, ctx), *refreshed(update, ctx)]
    writer = Writer(ctx, update, None, value, ctx.value(slot.argument))
    return [rebinding(update, writer.expression(), ctx), *refreshed(update, ctx)]


def _direct(slot: Slot, ctx: Context) -> cst.BaseExpression | None:
    """The variable that can itself be a target of the unpacking; None for any other access path."""
    update = slot.update
    if update is None or update.steps or ctx.plan.refused or not isinstance(update.target, cst.Name):
        return None
    return update.target.deep_clone()


def _take(
    call: cst.BaseExpression, plan: FunctionPlan, found: list[Slot], ctx: Context, own: list[cst.BaseExpression]
) -> list[cst.BaseSmallStatement]:
    """The statements that bind all results. `own`: the targets of the function's original results."""
    targets: list[cst.BaseExpression] = [*own]
    after: list[cst.BaseSmallStatement] = []
    by_position = {s.position: s for s in found}
    for position in range(len(own), plan.returned):
        slot = by_position[position]
        direct = _direct(slot, ctx)
        if slot.update is None or (
            isinstance(direct, cst.Name) and direct.value in {t.value for t in own if isinstance(t, cst.Name)}
        ):
            targets.append(cst.Name("_"))  # no name refers to it any more
        elif direct is not None:
            targets.append(direct)
            after += refreshed(slot.update, ctx)
        elif plan.returned == 1:
            return _bind(slot, ctx, call)
        else:
            new = cst.Name(ctx.names.fresh(f"new_{slot.parameter}"))
            targets.append(new)
            after += _bind(slot, ctx, new.deep_clone())
    for slot in found:
        if slot.position < len(own) and slot.update is not None:
            source = own[slot.position]
            if not isinstance(source, cst.Name) or source.value == "_":
                name = ctx.names.fresh(slot.parameter)
                targets[slot.position] = cst.Name(name)
                source = cst.Name(name)
            direct = _direct(slot, ctx)
            if isinstance(direct, cst.Name) and direct.value == source.value:
                after += refreshed(slot.update, ctx)
            elif not (isinstance(direct, cst.Name) and direct.value in {t.value for t in own if isinstance(t, cst.Name)}):
                after += _bind(slot, ctx, source.deep_clone())
    target = targets[0] if len(targets) == 1 else cst.Tuple([cst.Element(t) for t in targets], lpar=[], rpar=[])
    assert isinstance(target, (cst.Name, cst.Tuple))
    return [cst.Assign([cst.AssignTarget(target)], call), *after]


def _alone(call: cst.BaseExpression, plan: FunctionPlan, found: list[Slot], ctx: Context) -> object:
    own: list[cst.BaseExpression] = [cst.Name("_") for _ in range(plan.results)]
    already = {position: slot for slot in found for position in [slot.position] if position < plan.results}
    for position, slot in already.items():
        if (direct := _direct(slot, ctx)) is not None:
            own[position] = direct
    if (
        all(isinstance(t, cst.Name) and t.value == "_" for t in own)
        and plan.returned == plan.results
        and not any(s.update for s in found)
    ):
        return cst.Expr(call)
    return several(_take(call, plan, found, ctx, own))


def _assigned(
    target: cst.BaseExpression, call: cst.BaseExpression, plan: FunctionPlan, found: list[Slot], ctx: Context
) -> object:
    if isinstance(target, cst.Tuple):
        return several(_take(call, plan, found, ctx, [e.value for e in target.elements]))
    assert isinstance(target, cst.Name)
    if plan.results == 1:
        return several(_take(call, plan, found, ctx, [target]))
    if plan.results == 0:
        nothing = cst.Assign([cst.AssignTarget(target)], cst.Name("None"))
        return several([*_take(call, plan, found, ctx, []), nothing])
    names: list[cst.BaseExpression] = [cst.Name(ctx.names.fresh(f"{target.value}_{i}")) for i in range(plan.results)]
    together = cst.Assign([cst.AssignTarget(target)], cst.Tuple([cst.Element(n.deep_clone()) for n in names]))
    return several([*_take(call, plan, found, ctx, names), together])


def _hoisted(node: cst.Call, plan: FunctionPlan, found: list[Slot], ctx: Context, message: str) -> Iterator[Finding]:
    """Move the call into a statement of its own, before the one that contains it."""
    stem = plan.name.rpartition(".")[2].lstrip("_")
    names: list[cst.BaseExpression] = [
        cst.Name(ctx.names.fresh(f"{stem}_result" if plan.results == 1 else f"{stem}_{i}")) for i in range(plan.results)
    ]
    result: cst.BaseExpression = cst.Name("None")
    if len(names) == 1:
        result = names[0]
    elif names:
        result = cst.Tuple([cst.Element(n) for n in names])
    taken = _results(node, plan, ctx)

    def lines() -> list[cst.SimpleStatementLine]:
        return [line(s) for s in _take(taken.build(ctx.rewritten_inside(node)), plan, found, ctx, list(names))]

    yield Finding(
        node,
        message,
        {node: lambda made: result.deep_clone()},
        _imports(ctx) | taken.imports,
        before=lines,
        definitions=taken.definitions,
    )
