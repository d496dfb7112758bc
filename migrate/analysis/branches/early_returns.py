"""Branches that end the function on some path: where they are compiled, they select one of several results."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.branches import Branch
from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax.tree import remembered, walk
from ..state.interpreter_state import Run
from . import arm_types, loop_returns, path_dtypes, speculation
from .branch_analysis import depending, refuse
from .branch_arms import falls, following, leaves, otherwise, statements, unfit
from .type_agreement import unify


def resolve(run: Run) -> None:
    """Resolve the branches that return, after the whole function was run."""
    loop_returns.resolve(run)
    for node in loop_returns.guards(run):
        run.branching.returning.pop(node, None)  # the loop handles it
    for node in run.branching.returning:
        found = returning(run, node)
        if isinstance(found, str):
            refuse(run, node, found)
        else:
            run.branching.branches[node] = found


def returning(run: Run, node: cst.If) -> Branch | str:
    """A branch that ends the function on some path, or why it cannot be compiled."""
    rest = following(run, node)
    if isinstance(rest, str):
        return rest
    arms = (statements(node.body), otherwise(node))
    region = [*arms[0], *arms[1], *rest]
    for statement in region:
        if returns_from_loop(statement):
            return "it returns from a loop"
        if why := unfit(run, statement):
            return why
    falling = [arm for arm in arms if falls(arm)]
    if len(falling) > 1 and any(leaves(s) for arm in falling for s in arm):
        return "it returns on some paths through its arms only"
    if falling and falls(rest):
        return "it returns on some paths only"
    results = _returns(run, region)
    if any(r.value is None for r in results):
        return "it returns nothing on one path"
    values = [run.flow.returns[r][0] for r in results if r in run.flow.returns]
    sure = True
    for value in values[1:]:
        why, same = unify(run, values[0], value, "its result", node.test)
        if why:
            return why
        sure = sure and same
    first, other = (arm_types.arm_of(_results(run, [*arm, *rest] if falls(arm) else arm)) for arm in arms)
    if why := arm_types.mismatch(run, first, other, "its result"):
        return why
    floats = arm_types.floats(run, first, other)
    by_path = frozenset({""} if not floats and path_dtypes.of_values(run, _results(run, region)) else ())
    expensive, trapping = speculation.expensive(run, region), speculation.trapping(run, region)
    return Branch((), True, expensive, trapping, sure, floats=floats, by_path=by_path)


def _returns(run: Run, region: Sequence[cst.CSTNode]) -> list[cst.Return]:
    return [part for s in region for part in run.source.among(s, cst.Return)]


def _results(run: Run, region: Sequence[cst.CSTNode]) -> list[cst.BaseExpression]:
    """The expressions that some statements return."""
    return [r.value for r in _returns(run, region) if r.value is not None]


def result(run: Run, value: Value) -> Value:
    """The result of a function in which compiled branches select it: it depends on their tests."""
    tests = [run.values.get(node.test, UNKNOWN) for node in run.branching.returning if node in run.branching.branches]
    if value.kind is Kind.NONE:
        return value
    deps, traced = loop_returns.result_deps(run)
    if not tests and not deps and not traced:
        return value
    deps, traced = deps.union(*(t.deps for t in tests)), traced or any(t.traced for t in tests)
    return depending(value, deps, traced)


@remembered
def returns_from_loop(node: cst.CSTNode) -> bool:
    """Whether a `return` leaves a loop in a statement."""
    loops = (part for part, _parent in walk(node) if type(part) in (cst.For, cst.While))
    return any(type(inner) is cst.Return for loop in loops for inner, _parent in walk(loop))
