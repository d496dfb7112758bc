"""Which loops can be compiled, and which values they carry from one iteration to the next.

A loop has a token, "loop:3", which is among the `deps` of every value that its iterations compute: a value that depends on it is
known when JAX traces only where the loop is unrolled. A loop is unrolled where Python needs such a value; the linker decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import libcst as cst

from ....rules.core.dtypes import category, is_weak, strong
from ....rules.core.findings import Kind
from ....rules.facts.loops import NO_EXITS, AccumulatedList, CarriedShape, Exits, Loop, Returned
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ....rules.syntax import builders
from ....rules.syntax.tree import walk
from ...syntax.names import bound_by, targets_of
from ...syntax.reaching_definitions import definitions_of
from ..branches import early_exits
from ..branches.loop_returns import read_after, returned
from ..random import generator_containers, generators
from ..state.interpreter_state import Run
from ..state.lattice import Env, absorbing
from ..state.memory import read_implicitly, rebound
from ..state.node_facts import GLOBAL_STATE
from .carried_dtypes import typed
from .carried_shapes import shaped
from .compaction import compaction
from .floated_arguments import floated
from .integer_growth import Growth, growth
from .list_accumulation import accumulated_lists, resized
from .lists_of_arrays import indexed_lists
from .pytree_loops import structured
from .trip_counts import few_iterations

TOKEN = "loop:"
NESTED = "it stands in a nested function"
SCRIPT = "it is code of a module"
UNUSED = "its iterations change nothing that is used later"
CARRIED = (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN)
UNFIT: dict[type[cst.CSTNode], str] = {  # what an iteration must not contain, and why
    cst.Yield: "it yields in the loop",
    cst.FunctionDef: "a function is defined in the loop",
    cst.ClassDef: "a class is defined in the loop",
    cst.Del: "a name is deleted in the loop",
    cst.Try: "exceptions are caught in the loop",
    cst.With: "a context is entered in the loop",
    cst.Match: "`match` in the loop",
    cst.NamedExpr: "`:=` binds a name in the loop",
}
LEAVING = (cst.Break, cst.Continue, cst.Return)
CHANGING = frozenset((cst.Call, cst.AssignTarget, cst.AugAssign))  # nodes that may change a container


def token_of(run: Run, node: cst.For | cst.While) -> str:
    found = run.loops.loop_tokens.get(node)
    if found is None:
        found = run.loops.loop_tokens[node] = f"{TOKEN}{len(run.loops.loop_tokens)}"
    return found


def is_token(dependence: str) -> bool:
    return dependence.startswith(TOKEN)


def bound_in(run: Run, node: cst.For | cst.While) -> frozenset[str]:
    """The access paths that a loop binds: by name, and by changes in place."""
    changed = (inner for inner in run.effects.updates if run.source.inside(inner, node.body))
    return bound_by(node.body) | {place for inner in changed for place in rebound(run, inner)}


def marked(env: Env, names: Iterable[str], token: str) -> None:
    """Mark loop-carried values: they are known when tracing only where the loop is unrolled."""
    mark = frozenset({token})
    for name in names:
        value = env.get(name)
        if value is not None and token not in value.deps:
            env[name] = replace(value, deps=value.deps | mark)


def typed_by_iterations(merged: Env, head: Env, end: Env | None) -> None:
    """Give values that start as Python numbers the dtype that an iteration gives them, where that absorbs such numbers: see
    NJ422.
    """
    for name, after in (end or {}).items():
        before = head.get(name)
        if before is not None and is_weak(before.dtype):
            merged[name] = absorbing(merged[name], before, after)


def decide(run: Run, node: cst.For | cst.While, form: str, before: Env, end: Env | None, bounds: Value) -> Loop:
    """Decide on a loop whose iterations were run, from the state `before` it to the one at the end of an iteration."""
    token = token_of(run, node)
    target = targets_of(node) if isinstance(node, cst.For) else NOTHING
    after = run.live.after.get(node, NOTHING)
    left = returned(run, node)
    later = after | read_after(left) if isinstance(left, Returned) else after
    read = run.live.head.get(node, NOTHING) | later
    bound = bound_in(run, node)
    required = (bound & (read | read_implicitly(run))) - target
    if form == "rows":
        required |= target & (later - after)  # the row for which `return` left the loop
    carry = tuple(sorted(required, key=lambda name: order(run).get(name, len(run.loops.order))))
    index_before = bool(target & before.keys() & after)
    loop = Loop(
        token, form, carry, form == "range" and bool(target & later), index_before, deps=bounds.deps, traced=bounds.traced
    )
    end = end or before
    ways = left if isinstance(left, str) else early_exits.exits(run, node.body.body, left)
    lists = accumulated_lists(run, node) if form in ("range", "rows") else ()
    shapes, growing = shaped(run, node, carry, bound, before, end)
    numbers = [n for n in carry if n not in shapes or shapes[n].perhaps]
    grown = growth(run, node)
    why = (
        ways
        if isinstance(ways, str)
        else obstacle(run, node, form, carry, before, end, bound, lists, left is not None, shapes, loop.index_after, grown)
        or growing
    )
    if not why and form == "rows" and isinstance(node, cst.For) and isinstance(ways, Exits) and ways != NO_EXITS:
        why = regone(node, bound)
    guard = ways.guards[0] if isinstance(ways, Exits) and (ways.expensive or ways.trapping) else None
    dtypes, untyped = ({}, "") if why else typed(run, node, numbers, before, guard)
    why = why or untyped
    if not why:
        run.loops.floated |= floated(run, node, [n for n in numbers if n not in dtypes], before)
    unset = frozenset(name for name in carry if name not in before)
    arrays = frozenset(name for name in unset if not is_number(end.get(name, UNKNOWN)))
    loop = replace(
        loop,
        why=why,
        unset=unset - arrays,
        unset_arrays=arrays,
        unset_at=set_by_branches(run, node, [name for name in carry if name in before]),
        shaped=shapes,
        accumulated=lists,
        growing=grown.checked,
        unrollable=few_iterations(run, node),
        lists=indexed_lists(run, node, bound | target) if form == "range" else (),
    )
    if isinstance(node, cst.For) and structured(run, node, end, (node.body,)):
        loop = replace(loop, unrollable=True, deps=NOTHING, traced=False)
    if why or isinstance(ways, str):
        early_exits.refuse(run, node.body.body, why)
        return loop
    loop = replace(loop, compaction=compaction(run, node, carry, before))
    tests = [run.values.get(guard.test, UNKNOWN) for guard in ways.guards]  # which Python would need to unroll the loop
    deps, traced = loop.deps.union(*(test.deps for test in tests)), loop.traced or any(test.traced for test in tests)
    return replace(loop, exits=ways, deps=deps, traced=traced, typed=dtypes)


def set_by_branches(run: Run, node: cst.For | cst.While, names: Iterable[str]) -> dict[str, cst.If]:
    """The variables that may have no value where a loop begins, as only some arms of a branch before it bind them, with that branch."""
    owner, found = run.unit.owner, dict[str, cst.If]()
    if not isinstance(owner, cst.FunctionDef):
        return found
    around = set[cst.CSTNode]()
    for name in names:
        reaching = definitions_of(owner).reaching(node, name) or frozenset()
        if owner not in reaching or name in run.params:
            continue
        around = around or {node, *run.source.above(node)}
        first = min((d for d in reaching if d is not owner), key=lambda d: run.source.spans[d], default=None)
        at = first
        while at is not None and run.source.parents[at] not in around:
            at = run.source.parents[at]
        if isinstance(at, cst.If):
            found[name] = at
    return found


def regone(node: cst.For, bound: frozenset[str]) -> str:
    """Why a loop that ends early cannot look rows up by their index: the array that it iterates over is rebound."""
    names = {n.value for n, _parent in walk(node.iter) if type(n) is cst.Name} & bound
    return f"it iterates over `{min(names)}`, which its body rebinds, and may end early" if names else ""


def order(run: Run) -> dict[str, int]:
    """The position at which the unit first mentions each name, its parameters first."""
    if not run.loops.order and run.unit.owner is not None:
        for name in run.params:
            run.loops.order.setdefault(name, len(run.loops.order))
        for node in run.source.below(run.unit.owner):
            if type(node) is cst.Name:
                run.loops.order.setdefault(node.value, len(run.loops.order))
    return run.loops.order


def obstacle(
    run: Run,
    node: cst.For | cst.While,
    form: str,
    carry: tuple[str, ...],
    before: Env,
    end: Env,
    bound: frozenset[str],
    lists: tuple[AccumulatedList, ...],
    left: bool,
    shapes: Mapping[str, CarriedShape],
    index_after: bool,
    grown: Growth,
) -> str:
    """Why a loop cannot be compiled, "" where it can."""
    if run.flow.depth or not run.unit.in_function:
        return NESTED if run.unit.in_function else SCRIPT
    if not form:
        return "it iterates over something other than a range or an array"
    if isinstance(node, cst.For) and form == "range":
        if type(node.target) is not cst.Name:
            return "it binds several names to an integer"
        if node.target.value in bound_by(node.body):
            return "its body rebinds its variable"
        through = run.scopes.iteration_space(node).range
        if through is None or through.stride is None:
            return "the step of its range is not a literal number"
    elif isinstance(node, cst.For) and targets_of(node) & run.live.after.get(node, NOTHING):
        return "its target is read after the loop"
    if node.orelse is not None:
        return "it has an `else`"
    if isinstance(node, cst.While) and any(draws(run, inner) for inner in run.source.below(node.test)):
        return "it draws in its condition"
    fills = {one.statement.value for one in lists}
    for inner in run.source.below(node.body):
        if type(inner) in UNFIT:
            return UNFIT[type(inner)]
        if type(inner) in CHANGING and inner not in fills and (why := container_changed(run, inner, bound)):
            return why
    for site in run.random.sites:
        if run.random.sites[site].stream != GLOBAL_STATE and generator_containers.outlives(run.random.sites[site].stream):
            return "it draws from a generator of an object or a list"
    if not carry and not lists and not left and not index_after:
        return UNUSED
    if grown.unchecked:
        return f"`{min(grown.unchecked)}` is an integer of Python that may grow beyond 64 bits"
    if name := resized(run, node.body, carry):
        return f"the shape of `{name}` changes from one iteration to the next"
    for name in carry:
        if "." in name or "[" in name:
            return f"it changes `{name}`"
        first, last = before.get(name), end.get(name, UNKNOWN)
        if first is None and form != "rows" and last.kind in (Kind.ARRAY, Kind.SCALAR) and bound_first(node, name):
            continue  # JAX traces an iteration to find its shape
        if why := unstable(name, first, last, name in shapes):
            return why
    return ""


def draws(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression takes a key."""
    plan = run.facts.plans.get(run.call_graph.calls[node].callee) if node in run.call_graph.calls else None
    return (
        node in run.random.sites
        or generators.is_generator(run.values.get(node, UNKNOWN))
        or (plan is not None and bool(plan.random.key))
    )


def container_changed(run: Run, node: cst.CSTNode, bound: frozenset[str]) -> str:
    """Why a list, a dict or an object from before the loop may be changed by an iteration, "" where none is."""
    match node:
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name) as base, attr=cst.Name(value=method))) if name not in bound:
            kind = run.values.get(base, UNKNOWN).kind
            if kind in (Kind.LIST, Kind.DICT) or (kind is Kind.OBJECT and node not in run.random.sites):
                return f"`{name}.{method}` may change `{name}`"
        case cst.AssignTarget(target=cst.Subscript(value=base)) | cst.AugAssign(target=cst.Subscript(value=base)):
            if run.values.get(base, UNKNOWN).kind not in (Kind.ARRAY, Kind.UNKNOWN):
                return "an element of a container is assigned"
    return ""


def unstable(name: str, before: Value | None, end: Value, shaped: bool) -> str:
    """Why a variable cannot be carried: it has no value at first, or a value of another type after an iteration."""
    if before is None:
        return "" if is_number(end) else f"`{name}` has no value before the loop"
    for value in (before, end):
        if value.kind not in CARRIED and not (value.kind is Kind.TUPLE and value.elements is not None):
            return f"`{name}` is neither a number nor an array"
    if before.elements is not None and end.elements is not None and before.kind is end.kind is Kind.TUPLE:
        return _unstable_parts(name, before.elements, end.elements)
    if before.rank >= 0 and end.rank >= 0 and before.rank != end.rank and not shaped:
        return f"`{name}` has {before.rank} dimensions before the loop and {end.rank} after a turn"
    if len({strong(dtype) for dtype in (before.dtype, end.dtype) if dtype not in ("", "int", "float", "complex")}) > 1:
        return f"the dtype of `{name}` is {before.dtype} before the loop and {end.dtype} after a turn"
    return ""


def is_number(value: Value) -> bool:
    """Whether a variable may start as 0, which adopts any dtype but bool."""
    return value.kind is Kind.SCALAR and category(value.dtype) != 0


def bound_first(loop: cst.For | cst.While, name: str) -> bool:
    """Whether each iteration binds a variable before it reads it, or ends."""
    if isinstance(loop, cst.While) and name in builders.names(loop.test):
        return False
    for line in builders.lines(loop.body):
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) if name in builders.names(target):
                    return isinstance(target, (cst.Name, cst.Tuple)) and name not in builders.names(value)
        if name in builders.names(line) or any(isinstance(n, LEAVING) for n, _parent in walk(line)):
            return False
    return False


def _unstable_parts(name: str, before: Sequence[Value], end: Sequence[Value]) -> str:
    """Why a tuple cannot be carried. Its numbers start unchanged: an integer must be one after an iteration."""
    if len(before) != len(end):
        return f"`{name}` has {len(before)} parts before the loop and {len(end)} after a turn"
    for first, last in zip(before, end, strict=True):
        if why := unstable(name, first, last, False):
            return why
        if first.kind is Kind.SCALAR and first.dtype == "int" and category(last.dtype) != 1:
            return f"a part of `{name}` is an integer before the loop, and may not be one after an iteration"
    return ""
