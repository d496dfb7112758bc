"""Loops, interpreted until the state reaches a fixed point."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ...syntax.names import targets_of
from ...syntax.trip_count_slice import numbers_of
from ..branches import branch_arms, conditions
from ..loops import buffer_swaps, loop_analysis
from ..state.evaluation import LOOPED, need
from ..state.interpreter_state import Run
from ..state.lattice import Env, join_env
from ..state.memory import age
from ..symbolic import loop_iterables
from . import builtin_calls, special_methods
from .assignment_targets import assign
from .execution import block_of, run_block
from .expressions import evaluate

MOST_ROUNDS = 6
SHORT_LOOP = 8  # iterations of a loop of literal length that jit may unroll


def run_break(run: Run, env: Env, node: cst.Break) -> None:
    run.flow.breaks.append(env)
    return None


def run_continue(run: Run, env: Env, node: cst.Continue) -> None:
    run.flow.continues.append(env)
    return None


def iterate(run: Run, env: Env, target: cst.BaseExpression, iterable: cst.BaseExpression, value: Value) -> None:
    """Bind the target of a loop to an item of the iterable."""
    item = special_methods.method(run, env, target, "__iter__", iterable, value) or builtin_calls.item_of(run, env, value)
    assign(run, env, target, replace(item, view=None), target)


def run_for(run: Run, env: Env, node: cst.For) -> Env | None:
    value = evaluate(run, env, node.iter)
    form = loop_iterables.form(run, node)
    if form == "range":
        for bound in loop_iterables.bounds(run, node):
            run.constraints.needs.pop(bound, None)  # needed only if the loop is unrolled: the linker decides
    elif not form:
        for leaf in run.scopes.iteration_space(node).leaves:  # a list is unrolled, but an array may have any number of rows
            looped = run.values.get(leaf.iterable, value)
            if looped.kind not in (Kind.LIST, Kind.TUPLE, Kind.OBJECT, Kind.DICT) and (looped.deps or looped.traced):
                need(run, leaf.iterable, looped, LOOPED)
    env = dict(env)
    hidden = f"<iter{sum(name.startswith('<iter') for name in env)}>"
    guarded = value.memory if value.name != "range" else NOTHING
    literal = _short(run, node) and not any(branch_arms.ends_iteration(statement) for statement in block_of(node.body))
    token = "" if literal else loop_analysis.token_of(run, node)

    def iteration(state: Env) -> Env | None:
        if guarded:
            state[hidden] = Value(Kind.OBJECT, memory=guarded)
        iterate(run, state, node.target, node.iter, value)
        loop_analysis.marked(state, targets_of(node) if token else (), token)
        return run_block(run, state, block_of(node.body))

    after, end = _loop(run, node, env, iteration, token)
    if after is not None:
        after.pop(hidden, None)
    run.loops.compiled.pop(node, None)
    if not literal:
        loop = run.loops.compiled[node] = loop_analysis.decide(run, node, form, env, end, value)
        if after is not None:
            loop_analysis.marked(after, [one.name for one in loop.accumulated], token)
        if loop.accumulated and not loop.why and form == "range":
            for bound in loop_iterables.bounds(run, node):  # the shape of the array that the list becomes
                need(run, bound, run.values.get(bound, UNKNOWN), "a list grows by one element in each iteration")
        elif form == "range" and not loop.why and not loop.exits.breaks:
            if run.facts.program.static_trip_counts:
                _know_trip_count(run, node, "reverse-mode derivatives need a known trip count")
            elif loop.lists:
                _know_trip_count(run, node, "a list of arrays is indexed by the loop's index")
    return _loop_else(run, after, node.orelse)


def _know_trip_count(run: Run, node: cst.For, why: str) -> None:
    """Require a static trip count: numbers that are arguments become static."""
    for bound in loop_iterables.bounds(run, node):
        value = run.values.get(bound, UNKNOWN)
        if not value.traced and not any(d.endswith("[]") for d in value.deps):
            need(run, bound, value, why)


def _short(run: Run, loop: cst.For) -> bool:
    space = run.scopes.iteration_space(loop)
    if space.is_range and space.stop is not None:
        low, high = space.first, integer(space.stop)
        return space.step is None and low is not None and high is not None and high - low <= SHORT_LOOP
    match loop.iter:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return len(elements) <= SHORT_LOOP
    return False


def run_while(run: Run, env: Env, node: cst.While) -> Env | None:
    endless = isinstance(node.test, cst.Name) and node.test.value == "True"

    def iteration(state: Env) -> Env | None:
        evaluate(run, state, node.test)
        conditions.tested_each_iteration(run, node)
        _known_as_numbers(state, node)
        return run_block(run, state, block_of(node.body))

    env = dict(env)
    _known_as_numbers(env, node)
    after, end = _loop(run, node, env, iteration, loop_analysis.token_of(run, node), endless)
    _known_as_numbers(after or {}, node)
    run.loops.compiled[node] = loop_analysis.decide(run, node, "while", env, end, run.values.get(node.test, UNKNOWN))
    return _loop_else(run, after, node.orelse)


def _known_as_numbers(env: Env, node: cst.While) -> None:
    """Note which variables are numbers, as the test of a loop compares them, and others that have the same value: see
    `rules.assumptions.number_types`."""
    names = numbers_of(node)
    found = [value for name in names if (value := env.get(name)) is not None and value.kind is Kind.UNKNOWN]
    held = {value.holds for value in found if value.holds}
    for name, value in env.items():
        if value.kind is Kind.UNKNOWN and (name in names or value.holds in held):
            env[name] = replace(value, kind=Kind.SCALAR, memory=NOTHING)


def _loop(
    run: Run, node: cst.For | cst.While, env: Env, iteration: Callable[[Env], Env | None], token: str, endless: bool = False
) -> tuple[Env | None, Env | None]:
    """Interpret a loop until its invariant is stable; the state after it, joined from all exits, and that at the end of an
    iteration."""
    before = dict(env)
    if node in run.flow.invariants:
        age(run, before, node)
    head = join_env(before, run.flow.invariants.get(node))  # an earlier pass over an enclosing loop left an invariant
    assert head is not None
    if token:
        loop_analysis.marked(
            head, loop_analysis.bound_in(run, node), token
        )  # before the first iteration, or loops in this one are interpreted once more
    known = run.flow.stable.get(node)
    if known is not None and known[0] == head:
        return _copied(known[1]), _copied(known[2])
    breaks, continues = run.flow.breaks, run.flow.continues
    resolved = False
    out: list[Env] = []
    end: Env | None = None
    for round_ in range(MOST_ROUNDS):
        run.flow.breaks, run.flow.continues = [], []
        end = buffer_swaps.as_before(run, head, iteration(dict(head)))
        for state in run.flow.continues:
            end = join_env(end, buffer_swaps.as_before(run, head, state))
        out = run.flow.breaks
        merged = join_env(dict(head), end)
        assert merged is not None
        loop_analysis.typed_by_iterations(merged, head, end)
        if token:
            loop_analysis.marked(merged, loop_analysis.bound_in(run, node), token)
        if resolved := merged == head:
            break
        if run.unit.learned:  # the unit is interpreted again with what was learned: see `run_unit`
            break
        if round_ == MOST_ROUNDS - 2:
            merged = {
                k: v if head.get(k) == v else replace(UNKNOWN, memory=v.memory | {"?"}, deps=v.deps, traced=True)
                for k, v in merged.items()
            }
        head = merged
    run.flow.invariants[node] = head
    run.flow.breaks, run.flow.continues = breaks, continues
    result: Env | None = None if endless else head
    for state in out:
        result = join_env(result, state)
    if result is not None and token:
        result = dict(result)
        loop_analysis.marked(result, loop_analysis.bound_in(run, node), token)
    if resolved:
        run.flow.stable[node] = head, _copied(result), _copied(end)
    return result, end


def _copied(env: Env | None) -> Env | None:
    return None if env is None else dict(env)


def _loop_else(run: Run, env: Env | None, orelse: cst.Else | None) -> Env | None:
    if orelse is None or env is None:
        return env
    return join_env(env, run_block(run, dict(env), block_of(orelse.body)))
