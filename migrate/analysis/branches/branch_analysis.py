"""Which branches on traced values can be compiled, and why the others cannot.

A branch that only binds variables becomes a select of their values; one that returns becomes a select of results
(`early_returns`). Python still decides a test that is known when JAX traces: the analysis only shows that it need not be known.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.branches import Branch, Cast
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ...syntax.names import bound_by
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC, Env, absorbing, join, join_env
from ..state.memory import read_implicitly
from ..state.node_facts import Need
from . import arm_types, path_dtypes, promotion, speculation
from .branch_arms import (
    bound_after,
    bound_before,
    bound_paths,
    ends_iteration,
    following,
    leaves,
    of_itself,
    otherwise,
    statements,
    unfit,
)
from .conditions import effects, learn, single, untraceable
from .type_agreement import several_stores, stored_only, unify


def conditional(run: Run, node: cst.IfExp, body: Value, orelse: Value) -> Value:
    """The value of `a if test else b`; decides whether it can be compiled."""
    test = run.values.get(node.test, UNKNOWN)
    run.branching.branches.pop(node, None)
    run.branching.untraceable_branches.pop(node, None)
    joined = join(body, orelse)
    if test.static:
        return joined
    why, sure = untraceable(run, node.test), True
    if not why:
        learn(run, node.test)
        why = effects(run, node)
    arms = (node.body, node.orelse)
    first, other = (arm_types.arm_of([arm]) for arm in arms)
    if not why:
        why, sure = unify(run, body, orelse, "its value", node.test)
        why = why or arm_types.mismatch(run, first, other, "its value")
    if why:
        refuse(run, node, why)
        return joined
    floats = arm_types.floats(run, first, other)
    run.branching.branches[node] = Branch(
        (),
        False,
        speculation.expensive(run, arms),
        speculation.trapping(run, arms),
        sure,
        floats=floats,
        by_path=frozenset({""} if not floats and path_dtypes.of_values(run, arms) else ()),
    )
    return depending(_either(joined, body, orelse), test.deps, test.traced)


def merged(run: Run, node: cst.If, after: Env | None, other: Env | None) -> Env | None:
    """The state after an `if` whose arms were run; decides whether the branch can be compiled."""
    joined = join_env(after, other)
    test = run.values.get(node.test, UNKNOWN)
    run.branching.branches.pop(node, None)
    run.branching.untraceable_branches.pop(node, None)
    run.branching.returning.pop(node, None)
    if ends_iteration(node):  # the enclosing loop decides
        if not untraceable(run, node.test):
            learn(run, node.test)
        if joined is not None:
            for name in bound_by(node) & joined.keys():
                joined[name] = depending(joined[name], test.deps, test.traced)
        return joined
    if test.static:
        return joined
    why = untraceable(run, node.test)
    if not why and leaves(node):
        learn(run, node.test)
        run.branching.returning[node] = None  # resolved when the whole function has been analysed
        return joined
    found: Branch | str = why
    if not why:
        learn(run, node.test)
        found = binding(run, node, after or {}, other or {})
    if isinstance(found, str):
        refuse(run, node, found)
        return joined
    run.branching.branches[node] = found
    assert joined is not None
    for name in found.names:
        selected = depending(joined[name], test.deps, test.traced)
        joined[name] = _either(selected, (after or {}).get(name, selected), (other or {}).get(name, selected))
    return joined


def _either(joined: Value, one: Value, other: Value) -> Value:
    """The value of one of two arms. A small integer dtype may be too narrow for a Python integer from the other arm."""
    if any(category(v.dtype) == 1 for v in (one, other)) and category(one.dtype) == category(other.dtype):
        return joined
    return absorbing(joined, one, other)


def refuse(run: Run, node: cst.If | cst.IfExp, why: str) -> None:
    """Leave the branch to Python, which must know the test when JAX traces."""
    test = run.values.get(node.test, UNKNOWN)
    run.branching.untraceable_branches[node] = why
    run.constraints.needs[node.test] = Need(node.test, test, why)
    run.constraints.python_results |= test.origin


def entered(run: Run, node: cst.If, *states: Env) -> None:
    """Before the arms of a branch are run: what they rebind is an operand of `lax.cond`, and is static only where Python decides
    the branch.
    """
    test = run.values.get(node.test, UNKNOWN)
    if test.static or run.flow.depth or not run.unit.in_function:
        return
    region: list[cst.CSTNode] = [*statements(node.body), *otherwise(node)]
    if leaves(node) and isinstance(rest := following(run, node), list):
        region += rest
    bound = NOTHING.union(*map(bound_by, region))
    for state in states:
        for name in bound:
            if (value := state.get(name)) is not None and value.kind in NUMERIC:
                state[name] = depending(value, test.deps, test.traced)


def binding(run: Run, node: cst.If, after: Env, other: Env) -> Branch | str:
    """A branch that binds variables, or why it cannot be compiled."""
    body, orelse = statements(node.body), otherwise(node)
    for statement in (*body, *orelse):
        if why := unfit(run, statement, drawing=True):
            return why
    bound = [*bound_paths(run, body), *bound_paths(run, orelse)]
    live = run.live.after.get(node, NOTHING)
    required = live | read_implicitly(run)
    names = tuple(dict.fromkeys(n for n in bound if n in required))
    unsure: list[str] = []
    by_path: list[str] = []
    floats = frozenset[Cast]()
    for name in names:
        if not name.isidentifier():
            return f"it changes `{name}`"
        if name not in run.unit.local and name not in run.params:
            return f"`{name}` is a variable from outside"
        before = bound_before(run, node, name)
        for arm in (body, orelse):
            if not before and not bound_after(run, node, arm, name):
                return f"`{name}` is bound in one arm only"
        if stored_only(run, name, (*body, *orelse)):
            continue
        either = bound_value(run, after, name), bound_value(run, other, name)
        if Kind.NONE in (either[0].kind, either[1].kind):
            run.branching.none_arms.add((node, name))
        if (node, name) in run.branching.none_arms:  # also in later iterations of a loop, in which it may be something else
            return f"`{name}` is neither a number nor an array in one arm"
        why, same = unify(run, *either, f"`{name}`", node.test)
        values = [arm_types.arm_for(run, node, b, name, env.get(name, UNKNOWN)) for b, env in ((body, after), (orelse, other))]
        if why := why or arm_types.mismatch(run, values[0], values[1], f"`{name}`"):
            return why
        casts = arm_types.floats(run, values[0], values[1], name)
        floats |= casts
        if not casts and path_dtypes.of_variable(run, node, name, either, values):
            by_path.append(name)
        if not same:
            unsure.append(name)
    if not names:
        return "nothing that it binds is used afterwards"
    carried = tuple(unsure) if all(of_itself(run, node, name) for name in unsure) else ()
    expensive, trapping = speculation.expensive(run, [*body, *orelse]), speculation.trapping(run, [*body, *orelse])
    several = not orelse and any(several_stores(run, name, body) for name in names)
    apart = bool(expensive) or several  # `lax.cond` may be written
    light = tuple(
        name
        for name in names
        if apart
        and not (several and stored_only(run, name, body))
        and not (after.get(name, UNKNOWN).dtype and other.get(name, UNKNOWN).dtype)
        and of_itself(run, node, name)
        and light_for(run, name, (*body, *orelse))
    )
    open_ = [n for n in names if not (after.get(n, UNKNOWN).dtype and other.get(n, UNKNOWN).dtype)] if expensive else ()
    promoted = promotion.of_arms(run, node, [n for n in open_ if n not in light and not any(n == f[1] for f in floats)])
    both_store = frozenset(n for n in names if stored_only(run, n, body) and stored_only(run, n, orelse))
    return Branch(
        names,
        False,
        expensive,
        trapping,
        not unsure,
        carried,
        light,
        floats,
        promoted,
        several and not light,
        both_store,
        frozenset(by_path),
    )


def bound_value(run: Run, env: Env, name: str) -> Value:
    """The value of a variable, as a scalar where the evidence shows that it is one."""
    value = env.get(name, UNKNOWN)
    alone = value.rank < 0 and value.kind in (Kind.ARRAY, Kind.UNKNOWN) and single(cst.Name(name)) in run.unit.evidence
    return replace(value, rank=0, number=True) if alone else value


def light_for(run: Run, name: str, body: Iterable[cst.CSTNode]) -> bool:
    """Whether what binds a variable in the arms of a branch is cheap, and defined for every value."""
    bound = arm_types.binding(body, name)
    return not speculation.expensive(run, bound) and not speculation.trapping(run, bound)


def depending(value: Value, deps: frozenset[str], traced: bool) -> Value:
    elements = None if value.elements is None else tuple(depending(e, deps, traced) for e in value.elements)
    return replace(value, deps=value.deps | deps, traced=value.traced or traced, elements=elements)
