"""The order of a unit's calls, its draws from NumPy's random state and its seeds, for the linker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.interp.super_calls import is_super
from ..analysis.random import seeding
from ..analysis.random.key_plan import COMPREHENSIONS
from ..analysis.state.access_paths import path_of
from ..analysis.state.call_facts import CallOrder
from ..analysis.state.interpreter_state import Run
from ..analysis.state.node_facts import GLOBAL_STATE

LOOPS = (cst.For, cst.While, *COMPREHENSIONS)
NESTED = (cst.FunctionDef, cst.Lambda)
ENDING = frozenset({cst.Finally, cst.Yield})  # these prevent another return value
# Code that draws after an exception would use the key that was passed to the call.
ELSEWHERE = (*NESTED, cst.Try, cst.TryStar, *COMPREHENSIONS)


def call_orders(
    run: Run, unit: cst.FunctionDef | cst.Module, nodes: Sequence[cst.CSTNode], seeds: seeding.Binds
) -> Mapping[cst.CSTNode, CallOrder]:
    """The order of each call in a unit. `seeds`: the statements that seed the state with `np.random.seed`."""
    if not run.call_graph.calls:
        return {}
    order = {node: position for position, node in enumerate(nodes)}
    seeded_calls = seeding.seeding(unit, run.source.parents, seeds)
    draws = [s.node for s in run.random.sites.values() if s.stream == GLOBAL_STATE and not s.seeds and s.node in order]

    def seeded(node: cst.CSTNode) -> int:
        statement = seeded_calls.last(node)
        return -1 if statement is None else order.get(statement, -1)

    own = [(order[d], seeded(d), inside(run, d, NESTED) is not None) for d in draws]
    found = dict[cst.CSTNode, CallOrder]()
    for node in run.call_graph.calls:
        if node in order and isinstance(node, cst.Call):
            loop = inside(run, node, LOOPS)
            start = order[node] if loop is None else order.get(loop, 0)
            after = any((at >= start or nested) and since < order[node] for at, since, nested in own)
            found[node] = CallOrder(order[node], start, seeded(node), after, targets(run, node))
    return found


def inside(run: Run, node: cst.CSTNode, types: tuple[type[cst.CSTNode], ...]) -> cst.CSTNode | None:
    """The outermost node of some types that encloses a node in the unit."""
    return next((at for at in reversed([*enclosing(run, node)]) if type(at) in types), None)


def enclosing(run: Run, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes of the unit that enclose a node, innermost first."""
    return takewhile(lambda at: at is not run.unit.owner, run.source.above(node))


def targets(run: Run, call: cst.Call) -> int:
    """The number of variables that the result of a call is bound to; 0 if the call is a statement; -1 if no further result can be
    bound."""
    if inside(run, call, ELSEWHERE) is not None:
        return -1
    made = run.values.get(call, UNKNOWN).kind is Kind.OBJECT
    constructs = run.call_graph.calls[call].callee.endswith(".__init__")
    if constructs and not made and not (isinstance(call.func, cst.Attribute) and is_super(run, call.func.value)):
        return -1
    match run.source.parents.get(call):
        case cst.Expr():
            return 0
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())]):
            return 1
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)]) if path_of(target):
            return 1
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=elements))]) if all(
            isinstance(e, cst.Element) and isinstance(e.value, cst.Name) for e in elements
        ):
            return len(elements) if len(elements) > 1 else -1
    return -1


def may_give(run: Run, nodes: Sequence[cst.CSTNode]) -> bool:
    """Whether a function can return one more value, on every path to its end."""
    if not isinstance(run.unit.owner, cst.FunctionDef) or not isinstance(run.unit.owner.body, cst.IndentedBlock):
        return False
    counts = {
        0 if v.kind is Kind.NONE else len(v.elements or (v,)) if v.kind is Kind.TUPLE else 1
        for v, _env in run.flow.returns.values()
    }
    counts |= {0} if run.flow.end is not None else set()
    compiled = (run.branching.branches, run.loops.compiled, run.loops.maps)
    return (
        len(counts) == 1
        and ENDING.isdisjoint(map(type, nodes))
        and all(r in run.source.parents and not chosen(run, r, compiled) for r in run.flow.returns)
    )


def chosen(run: Run, node: cst.CSTNode, compiled: Sequence[Mapping[cst.CSTNode, object]]) -> bool:
    """Whether a return stands in a branch or a loop that may be compiled."""
    return any(at in found for at in enclosing(run, node) for found in compiled)
