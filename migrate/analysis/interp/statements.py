"""Running the statements of a unit over abstract values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import libcst as cst

from ....rules.core.dtypes import WIDEST, absorbs, keeps
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import NOTHING, UNKNOWN, Value, View, replace
from ....rules.numpy_table import math_names
from ...syntax import liveness
from ...syntax.names import targets_of
from ...syntax.source import walk
from ..branches import branch_analysis, branch_sides, conditions
from ..effects import in_place_updates
from ..inference import declared_types
from ..inference.numpy_scalars import may_be_number
from ..inference.result_types import is_false
from ..loops import buffer_swaps, loop_analysis
from ..random import generators
from ..slices import mask_selection
from ..state.access_paths import path_of
from ..state.evaluation import need, truth
from ..state.index_expressions import has_slice
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC, Env, join_env
from ..state.memory import MAYBE_NONE, age, bind, drop_paths, immutable
from ..state.views import with_place
from ..symbolic import loop_iterables
from . import builtin_calls, operations, special_methods, variables
from .assignment_targets import assign
from .expressions import evaluate

MOST_ROUNDS = 6
SHORT_LOOP = 8  # turns of a loop of literal length that jit may unroll


def run_block(run: Run, env: Env | None, body: Sequence[cst.CSTNode]) -> Env | None:
    """Run statements in order; None once no path goes on."""
    for statement in body:
        if env is None:
            return None
        env = run_statement(run, env, statement)
    return env


def block_of(node: cst.BaseSuite | cst.CSTNode) -> Sequence[cst.CSTNode]:
    return node.body if isinstance(node, (cst.IndentedBlock, cst.SimpleStatementSuite)) else [node]


def run_statement(run: Run, env: Env, node: cst.CSTNode) -> Env | None:
    if type(node) is cst.SimpleStatementLine:
        return run_block(run, env, node.body)
    outer, run.flow.stmt = run.flow.stmt, node
    handler = _HANDLERS.get(type(node))
    result = env if handler is None else handler(run, env, node)
    run.flow.stmt = outer
    return result


# --- simple statements ---------------------------------------------------------------------------------------------------


def _assign(run: Run, env: Env, node: cst.Assign) -> Env:
    value = evaluate(run, env, node.value)
    if type(node.value) in (cst.Tuple, cst.List) and len(node.targets) == 1:
        assign(run, env, node.targets[0].target, value, node, node.value)
        return env
    for target in node.targets:
        assign(run, env, target.target, value, node, node.value)
        match node.value, target.target:
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")), cst.Tuple(elements=elements) if all(
                isinstance(e, cst.Element) for e in elements
            ):  # `n, m = x.shape` raises for any other number of dimensions
                _ranked(env, name, len(elements))
    if len(node.targets) > 1 and value.kind not in (Kind.SCALAR, Kind.STRING, Kind.NONE):
        names = [path_of(t.target) for t in node.targets]
        known = [n for n in names if n is not None]
        for name in known[1:]:  # a = b = np.zeros(3): two names of one array
            if name in env and known[0] in env and env[name].view is None:
                env[name] = replace(env[name], view=View(known[0]))
                run.effects.viewed.add(known[0])
    return env


def _ranked(env: Env, name: str, rank: int) -> None:
    """An array of which the number of dimensions is known from here on."""
    if name in env and env[name].kind is Kind.ARRAY and env[name].rank < 0:
        env[name] = replace(env[name], rank=rank)


def _alike(env: Env, name: str, other: str) -> None:
    """Two arrays of the same shape from here on."""
    one, two = env.get(name, UNKNOWN), env.get(other, UNKNOWN)
    if one.kind is Kind.ARRAY and two.kind is Kind.ARRAY:
        shape, rank = two.shape or one.shape, max(one.rank, two.rank)
        env[name], env[other] = replace(one, shape=shape, rank=rank), replace(two, shape=shape, rank=rank)


def _annotated(run: Run, env: Env, node: cst.AnnAssign) -> Env:
    if node.value is not None:
        value = evaluate(run, env, node.value)
        promised = declared_types.annotation(node.annotation.annotation)
        if promised is not None and value.kind is Kind.UNKNOWN:
            value = replace(value, kind=promised.kind, dtype=value.dtype or promised.dtype)
        assign(run, env, node.target, value, node, node.value)
    return env


def _augmented(run: Run, env: Env, node: cst.AugAssign) -> Env:
    before = evaluate(run, env, node.target)
    value = evaluate(run, env, node.value)
    otherwise = dict(env)  # the state where the result is another array
    after = operations.arithmetic(run, otherwise, node, node.operator, before, value)
    key = path_of(node.target)
    if isinstance(node.target, cst.Subscript):
        env.update(otherwise)
        container = run.values.get(node.target.value, UNKNOWN)
        if container.kind is not Kind.ARRAY and before.kind in (Kind.ARRAY, Kind.UNKNOWN):
            sure = before.kind is Kind.ARRAY or value.kind is Kind.ARRAY
            in_place_updates.item_rebound(run, env, node, node.target, container, before, sure)
        special_methods.stored(run, env, node.target, container, after)
        in_place_updates.subscript_store(run, env, node, node.target, after, value)
        return env
    run.host.host_uses |= value.origin  # `x += y` binds x anew, where y is a jax.Array, and changes nothing
    if before.kind is Kind.UNKNOWN and value.kind is Kind.ARRAY and _has_axes(run, node.value):
        before = replace(before, kind=Kind.ARRAY)  # an array is put into it: it is one, changed in place
    place = with_place(before, key)
    if before.kind in (Kind.ARRAY, Kind.UNKNOWN) and value.kind is not Kind.STRING:
        own = before.dtype == "float64" and all(m.startswith(("new:", "old:")) for m in before.memory)
        if not own or in_place_updates._shared(env, before, run, key or "", node):
            run.wants_numpy(value)
            run.effects.added[node.value] = None
    if before.kind is Kind.SCALAR:
        env.update(otherwise)
        if key is not None:
            assign(run, env, node.target, replace(after, holds="", view=None), node)
        return env
    if before.kind is Kind.ARRAY:
        if immutable(before) or (not before.memory and before.rank == 0):
            env.update(otherwise)
            assign(run, env, node.target, after, node)
            return env
        # x += y keeps x's array and dtype, whoever else holds it
        in_place_updates.record(run, env, node, node.target, (), place)
        narrow = before.dtype not in WIDEST and not keeps(before.dtype, value.dtype, node.operator)
        if key is not None and key in env and (not before.dtype or (narrow and may_be_number(run, before))):
            env[key] = replace(env[key], dtype="")
        if (
            isinstance(node.target, cst.Attribute)
            and run.unit.self_name
            and key is not None
            and key.startswith(run.unit.self_name + ".")
        ):
            run.constraints.impure[node] = f"it binds `{key}`"
        return env
    if before.kind in (Kind.LIST, Kind.STRING, Kind.TUPLE, Kind.DICT, Kind.OBJECT):
        if key is not None:
            held = replace(
                before,
                memory=before.memory | value.memory,
                elements=None,
                deps=before.deps | value.deps,
                traced=before.traced or value.traced,
                dtype="",
            )
            if before.kind in (Kind.STRING, Kind.TUPLE):
                assign(run, env, node.target, held, node)
            else:
                env[key] = held
                in_place_updates.container_changed(run, env, node, key, before, value)
        return env
    sole = before.memory and all(m.startswith(("new:",)) for m in before.memory)
    if sole and key is not None and not in_place_updates._shared(env, before, run, key, node):
        # not known, but nobody else holds it: x += y and x = x + y are the same, but for the dtype
        env.update(otherwise)
        assign(run, env, node.target, after, node)
        return env
    if value.kind is Kind.STRING and type(node.operator) is cst.AddAssign:
        return env  # no array of JAX: it takes no text
    run.writes_into(before)
    run.effects.touched |= before.memory
    run.constraints.blocks[node] = (
        "NJ202",
        f"np2jax cannot tell whether `{in_place_updates.code(node.target)}` is an array, which this would update in place",
    )
    return env


def _has_axes(run: Run, node: cst.BaseExpression) -> bool:
    """Whether something is an array of one dimension at least, and no number, for all that its text tells."""
    value = run.values.get(node, UNKNOWN)
    if value.rank >= 0 or value.number or value.kind is not Kind.ARRAY:
        return value.rank > 0
    match node:
        case cst.Subscript():
            return has_slice(node)
        case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
            return not left.deep_equals(right)  # the square of a vector is a number
        case cst.Call(args=[cst.Arg(value=left), cst.Arg(value=right)]) if run.scopes.qualname(node.func) == "numpy.dot":
            return not left.deep_equals(right)
    operands = mask_selection.operands(run, node)
    return any(_has_axes(run, part) for part in operands) if operands else bool(value.shape)


def _expression(run: Run, env: Env, node: cst.Expr) -> Env:
    evaluate(run, env, node.value)
    return env


def _return(run: Run, env: Env, node: cst.Return) -> None:
    value = Value(Kind.NONE) if node.value is None else with_place(evaluate(run, env, node.value), path_of(node.value))
    if run.flow.depth == 0:
        run.flow.returns[node] = (value, dict(env))
    else:
        run.escape(env, value)
    return None


def _raise(run: Run, env: Env, node: cst.Raise) -> None:
    if node.exc is not None:
        run.flow.depth += 1  # what is only said when it fails is no part of what it computes
        needs, impure = dict(run.constraints.needs), dict(run.constraints.impure)
        evaluate(run, env, node.exc)
        run.constraints.needs, run.constraints.impure = needs, impure
        run.flow.depth -= 1
    return None


def _assert(run: Run, env: Env, node: cst.Assert) -> Env:
    truth(run, env, node.test)
    if node.msg is not None:
        evaluate(run, env, node.msg)
    _narrow(run, env, node.test, True)
    return env


def _delete(run: Run, env: Env, node: cst.Del) -> Env:
    targets = [e.value for e in node.target.elements] if isinstance(node.target, cst.Tuple) else [node.target]
    for target in targets:
        if isinstance(target, cst.Name):
            env.pop(target.value, None)
            drop_paths(env, target.value)
        elif isinstance(target, cst.Subscript):
            base, key = evaluate(run, env, target.value), path_of(target.value)
            if base.kind is Kind.ARRAY:
                run.constraints.blocks[node] = ("NJ212", "an item of an array is deleted, which NumPy refuses too")
            else:
                in_place_updates.container_changed(run, env, node, key, base)
                if key is not None and key in env:
                    env[key] = replace(env[key], elements=None)
    return env


def _import(run: Run, env: Env, node: cst.Import | cst.ImportFrom) -> Env:
    """The scope builder knows what a name stands for that is bound once; one that is bound anew later on is a variable here."""
    if isinstance(node, cst.Import):
        return env
    found: list[tuple[str, str | None]] = []
    if isinstance(node.names, cst.ImportStar):
        module = run.scopes.imported_from(node)
        found += [(name, f"{module}.{name}") for name in sorted(run.unit.local) if module is not None]
    else:
        for alias in node.names:
            bound = alias.name if alias.asname is None else alias.asname.name
            if isinstance(bound, cst.Name) and len(run.scopes.bindings(bound)) > 1:
                found.append((bound.value, run.scopes.imported(alias)))
    for name, target in found:
        dotted = run.facts.canonical(target or "")
        if run.variable(dotted) is not None:
            run.attributes.reads_globals.add(dotted)
            bind(run, env, name, variables.variable(run, dotted), node)
    return env


def _global(run: Run, env: Env, node: cst.Global | cst.Nonlocal) -> Env:
    run.constraints.impure[node] = "it binds variables outside of itself"
    return env


def _break(run: Run, env: Env, node: cst.Break) -> None:
    run.flow.breaks.append(env)
    return None


def _continue(run: Run, env: Env, node: cst.Continue) -> None:
    run.flow.continues.append(env)
    return None


# --- compound statements -------------------------------------------------------------------------------------------------


def _if(run: Run, env: Env, node: cst.If) -> Env | None:
    run.constraints.needs.pop(node.test, None)
    evaluate(run, env, node.test)
    yes, no = dict(env), dict(env)
    branch_analysis.entered(run, node, yes, no)
    _narrow(run, yes, node.test, True)
    _narrow(run, no, node.test, False)
    after = run_block(run, yes, block_of(node.body))
    if isinstance(node.orelse, cst.If):
        other = run_statement(run, no, node.orelse)
    elif isinstance(node.orelse, cst.Else):
        other = run_block(run, no, block_of(node.orelse.body))
    else:
        other = no
    return branch_analysis.merged(run, node, after, other)


def _narrow(run: Run, env: Env, test: cst.BaseExpression, holds: bool) -> None:
    """What a test tells: `x is None`, `isinstance(x, np.ndarray)`, `x.ndim == 2`, `not ...`."""
    match test:
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            if isinstance(operator, cst.And) is holds:
                _narrow(run, env, left, holds)
                _narrow(run, env, right, holds)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            _narrow(run, env, inner, not holds)
        case cst.Comparison(
            left=cst.Name(value=name), comparisons=[cst.ComparisonTarget(operator=operator, comparator=cst.Name(value="None"))]
        ):
            if isinstance(operator, cst.IsNot if holds else cst.Is):
                env.pop(MAYBE_NONE + name, None)
            if isinstance(operator, cst.Is) is holds and isinstance(operator, (cst.Is, cst.IsNot)) and name in env:
                env[name] = Value(Kind.NONE, holds=name if name in run.params and env[name].holds == name else "")
        case cst.Comparison(
            left=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="ndim")),
            comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=cst.Integer() as rank)],
        ) if holds:
            _ranked(env, name, rank.evaluated_value)
        case cst.Comparison(
            left=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.Equal(), comparator=cst.Attribute(value=cst.Name(value=other), attr=cst.Name(value="shape"))
                )
            ],
        ) if holds:
            _alike(env, name, other)
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name)), cst.Arg(value=kind)]) if (
            run.scopes.qualname(func) == "builtins.isinstance"
        ):
            if name in env:
                generators.narrow(run, env, name, kind, holds)
            if holds and name in env and env[name].kind is Kind.UNKNOWN:
                found = {
                    "numpy.ndarray": Kind.ARRAY,
                    "builtins.list": Kind.LIST,
                    "builtins.dict": Kind.DICT,
                    "builtins.str": Kind.STRING,
                }.get(run.scopes.qualname(kind) or "")
                scalars = ("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")
                if found is not None:
                    env[name] = replace(env[name], kind=found)
                elif run.scopes.qualname(kind) in scalars:
                    env[name] = Value(Kind.SCALAR, "", 0, env[name].deps, holds=env[name].holds)


def iterate(run: Run, env: Env, target: cst.BaseExpression, iterable: cst.BaseExpression, value: Value) -> None:
    """Bind the target of a loop to what the iterable gives."""
    item = special_methods.method(run, env, target, "__iter__", iterable, value) or builtin_calls.item_of(run, env, value)
    assign(run, env, target, replace(item, view=None), target)


def _for(run: Run, env: Env, node: cst.For) -> Env | None:
    value = evaluate(run, env, node.iter)
    form = loop_iterables.form(run, node)
    if form == "range":
        for bound in loop_iterables.bounds(run, node):
            run.constraints.needs.pop(bound, None)  # where the loop is unrolled only: the linker asks
    elif not form and value.kind not in (Kind.LIST, Kind.TUPLE, Kind.OBJECT, Kind.DICT) and (value.deps or value.traced):
        need(run, node.iter, value, "Python loops over it")
    env = dict(env)
    hidden = f"<iter>{id(node)}"
    guarded = value.memory if value.name != "range" else NOTHING
    literal = _short(run, node) and not any(branch_sides.ends_turn(statement) for statement in block_of(node.body))
    token = "" if literal else loop_analysis.token_of(run, node)

    def turn(state: Env) -> Env | None:
        if guarded:
            state[hidden] = Value(Kind.OBJECT, memory=guarded)
        iterate(run, state, node.target, node.iter, value)
        loop_analysis.marked(state, targets_of(node) if token else (), token)
        return run_block(run, state, block_of(node.body))

    after, end = _loop(run, node, env, turn, token)
    if after is not None:
        after.pop(hidden, None)
    run.loops.compiled.pop(node, None)
    if not literal:
        loop = run.loops.compiled[node] = loop_analysis.decide(run, node, form, env, end, value)
        if after is not None:
            loop_analysis.marked(after, [one.name for one in loop.filled], token)
        if loop.filled and not loop.why and form == "range":
            for bound in loop_iterables.bounds(run, node):  # the shape of the array that the list becomes
                need(run, bound, run.values.get(bound, UNKNOWN), "a list grows by one element in each iteration")
        elif run.facts.program.static_turns and form == "range" and not loop.why and not loop.exits.breaks:
            _know_turns(run, node)
    return _loop_else(run, after, node.orelse)


def _know_turns(run: Run, node: cst.For) -> None:
    """Derivatives go backwards through turns whose number is known when tracing: numbers that are arguments become static."""
    for bound in loop_iterables.bounds(run, node):
        value = run.values.get(bound, UNKNOWN)
        if not value.traced and not any(d.endswith("[]") for d in value.deps):
            need(run, bound, value, "reverse-mode derivatives need a known trip count")


def _short(run: Run, loop: cst.For) -> bool:
    space = run.scopes.iteration_space(loop)
    if space.is_range and space.stop is not None:
        low, high = space.first, integer(space.stop)
        return space.step is None and low is not None and high is not None and high - low <= SHORT_LOOP
    match loop.iter:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return len(elements) <= SHORT_LOOP
    return False


def _while(run: Run, env: Env, node: cst.While) -> Env | None:
    endless = isinstance(node.test, cst.Name) and node.test.value == "True"

    def turn(state: Env) -> Env | None:
        evaluate(run, state, node.test)
        conditions.asked_each_turn(run, node)
        return run_block(run, state, block_of(node.body))

    env = dict(env)
    after, end = _loop(run, node, env, turn, loop_analysis.token_of(run, node), endless)
    run.loops.compiled[node] = loop_analysis.decide(run, node, "while", env, end, run.values.get(node.test, UNKNOWN))
    return _loop_else(run, after, node.orelse)


def _loop(
    run: Run, node: cst.For | cst.While, env: Env, turn: Callable[[Env], Env | None], token: str, endless: bool = False
) -> tuple[Env | None, Env | None]:
    """Run a loop until its invariant is stable. The state after it, joined of every way out, and that at the end of a turn."""
    before = dict(env)
    if node in run.flow.invariants:
        age(run, before, node)
    head = join_env(before, run.flow.invariants.get(node))  # a loop around this one ran it before: no need to start afresh
    assert head is not None
    if token:
        loop_analysis.marked(
            head, loop_analysis.bound_in(run, node), token
        )  # before the first turn, or loops in this one are run once more
    known = run.flow.stable.get(node)
    if known is not None and known[0] == head:
        return _copied(known[1]), _copied(known[2])
    breaks, continues = run.flow.breaks, run.flow.continues
    settled = False
    out: list[Env] = []
    end: Env | None = None
    for round_ in range(MOST_ROUNDS):
        run.flow.breaks, run.flow.continues = [], []
        end = buffer_swaps.as_before(run, head, turn(dict(head)))
        for state in run.flow.continues:
            end = join_env(end, buffer_swaps.as_before(run, head, state))
        out = run.flow.breaks
        merged = join_env(dict(head), end)
        assert merged is not None
        loop_analysis.typed_by_turns(merged, head, end)
        if token:
            loop_analysis.marked(merged, loop_analysis.bound_in(run, node), token)
        if settled := merged == head:
            break
        if run.unit.learned:  # the unit is run again with what was learned: see run_unit
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
    if settled:
        run.flow.stable[node] = head, _copied(result), _copied(end)
    return result, end


def _copied(env: Env | None) -> Env | None:
    return None if env is None else dict(env)


def _loop_else(run: Run, env: Env | None, orelse: cst.Else | None) -> Env | None:
    if orelse is None or env is None:
        return env
    return join_env(env, run_block(run, dict(env), block_of(orelse.body)))


def _with(run: Run, env: Env, node: cst.With) -> Env | None:
    for item in node.items:
        value = evaluate(run, env, item.item)
        if not value.name.startswith("numpy.errstate"):
            run.constraints.impure[node] = "it enters a context"
        special_methods.method(run, env, node, "__exit__", item.item, value)
        value = special_methods.method(run, env, item, "__enter__", item.item, value) or value
        if item.asname is not None:
            assign(run, env, item.asname.name, replace(value, view=None), node)
    return run_block(run, env, block_of(node.body))


def _try(run: Run, env: Env, node: cst.Try | cst.TryStar) -> Env | None:
    run.constraints.impure[node] = "it catches exceptions, which traced code does not raise"
    caught: Env | None = dict(env)
    state: Env | None = dict(env)
    for statement in block_of(node.body):
        if state is None:
            break
        state = run_statement(run, state, statement)
        caught = join_env(caught, None if state is None else dict(state))
    if state is not None and node.orelse is not None:
        state = run_block(run, state, block_of(node.orelse.body))
    if why := lost_exception(run, node):
        run.constraints.blocks[node] = ("NJ701", why)
        run.host.host_writes = True  # NumPy's arrays raise, also where they are only read
        run.host.hosted.add("*")
    for handler in node.handlers:
        inner = dict(caught or env)
        if handler.name is not None:
            assign(run, inner, handler.name.name, Value(Kind.OBJECT), node)
        state = join_env(state, run_block(run, inner, block_of(handler.body)))
    if node.finalbody is not None:
        final = run_block(run, dict(join_env(state, caught) or env), block_of(node.finalbody.body))
        _changed_at_last(run, node)
        return None if state is None or final is None else join_env(state, final)
    return state


ARITHMETIC_ERRORS = frozenset({"FloatingPointError", "ZeroDivisionError", "ArithmeticError"})
EVERY_ERROR = frozenset({"Exception", "BaseException", ""})
MATH_ERRORS = frozenset({"ValueError", "OverflowError", "ArithmeticError"}) | EVERY_ERROR


def lost_exception(run: Run, node: cst.Try | cst.TryStar) -> str:
    """Why a handler would not run any more: JAX clamps indices and gives NaN where NumPy raises. "" when it would."""
    caught: set[str] = set()
    for handler in node.handlers:
        types = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
        caught |= {(run.scopes.qualname(t) or "").rpartition(".")[2] if t is not None else "" for t in types}
    for part, _parent in walk(node.body):
        if type(part) is cst.Subscript and caught & ({"IndexError", "LookupError"} | EVERY_ERROR):
            value = run.values.get(part.value)
            if (
                value is not None
                and value.kind in (Kind.ARRAY, Kind.UNKNOWN)
                and any(type(e.slice) is cst.Index for e in part.slice)
            ):
                if value.kind is Kind.ARRAY:
                    return f"`{in_place_updates.code(part)}` may raise IndexError, which is caught: JAX does not raise it"
        elif type(part) is cst.Call:
            name = run.scopes.qualname(part.func) or ""
            if name.startswith("numpy.linalg.") and caught & ({"LinAlgError"} | EVERY_ERROR):
                return f"`{in_place_updates.code(part.func)}` may raise LinAlgError, which is caught: JAX gives NaN instead"
            if math_names.jax_name(name, len(part.args)) and caught & MATH_ERRORS and not run.values.get(part, UNKNOWN).static:
                return f"`{name}` may raise an error, which is caught: JAX gives NaN or infinity instead"
        elif type(part) is cst.BinaryOperation and caught & ARITHMETIC_ERRORS:
            value = run.values.get(part)
            if value is not None and value.kind is Kind.ARRAY:
                return "an error of arithmetic with arrays is caught, which JAX does not raise"
    return ""


def _changed_at_last(run: Run, node: cst.Try | cst.TryStar) -> None:
    """`return x` in a try whose finally changes x: what is handed back was made before."""
    assert node.finalbody is not None
    if any(type(n) is cst.Return for part in (node.body, *node.handlers) for n, _p in walk(part)):
        if any(type(n) in (cst.AugAssign, cst.Assign, cst.Call) and n in run.effects.updates for n, _p in walk(node.finalbody)):
            run.constraints.blocks[node] = ("NJ207", "an array is changed in a `finally`, after the return value was computed")


def _match(run: Run, env: Env, node: cst.Match) -> Env | None:
    subject = truth(run, env, node.subject)
    result: Env | None = dict(env)
    if subject.kind is Kind.ARRAY or (subject.kind is Kind.UNKNOWN and subject.holds):
        if any(isinstance(n, (cst.MatchList, cst.MatchTuple)) for case in node.cases for n, _p in walk(case.pattern)):
            run.constraints.blocks[node] = ("NJ102", "`match` treats NumPy 2.5 arrays as sequences, but not JAX arrays")
    for case in node.cases:
        inner = dict(env)
        for name in liveness.pattern_names(case.pattern):
            bind(
                run,
                inner,
                name,
                Value(Kind.UNKNOWN, deps=subject.deps, traced=subject.traced, memory=subject.memory | {"?"}),
                node,
            )
        if case.guard is not None:
            truth(run, inner, case.guard)
        result = join_env(result, run_block(run, inner, block_of(case.body)))
    return result


def nested_params(run: Run, env: Env, params: cst.Parameters, outer: Env) -> frozenset[str]:
    """Parameters of a nested function or lambda: not known but for what their annotations say. The memory of their defaults,
    which the function keeps."""
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    every += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
    kept: frozenset[str] = NOTHING
    for param in every:
        memory = frozenset({"?"})
        if param.default is not None:
            default = with_place(evaluate(run, outer, param.default), path_of(param.default))
            kept |= default.memory
            memory |= default.memory
        promised = None if param.annotation is None else declared_types.annotation(param.annotation.annotation)
        env[param.name.value] = replace(promised or UNKNOWN, memory=memory, traced=True)
    return kept


def _function(run: Run, env: Env, node: cst.FunctionDef) -> Env:
    """A nested function: its body is run once with what is known at its definition."""
    for decorator in node.decorators:
        evaluate(run, env, decorator.decorator)
    name = node.name.value
    if run.name.endswith(".<module>") and run.flow.depth == 0 and not run.unit.in_function:
        for param in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params):
            if param.default is not None:
                evaluate(run, env, param.default)
        bind(run, env, name, Value(Kind.FUNCTION, name=f"{run.source.name}.{name}"), node)
        if f"{run.source.name}.{name}" in run.facts.several:
            del env[name]  # looked up where it is used
        return env
    inner = dict(env)
    kept = nested_params(run, inner, node.params, env)
    if node not in run.unit.nested_live:
        run.unit.nested_live[node] = liveness.live(node)
    local_now, stmt = run.flow.local_now, run.flow.stmt
    run.flow.local_now = run.flow.local_now | run.scopes.assigned(node)
    run.flow.depth += 1
    breaks, continues, touched = run.flow.breaks, run.flow.continues, run.effects.touched
    run.flow.breaks, run.flow.continues, run.effects.touched = [], [], set()
    end = run_block(run, inner, block_of(node.body))
    captured = run.scopes.free(node)
    run.effects.changed_inside |= {name for name in captured if name not in env or env[name].memory & run.effects.touched}
    run.flow.breaks, run.flow.continues, run.effects.touched = breaks, continues, touched | run.effects.touched
    run.flow.depth -= 1
    run.flow.local_now, run.flow.stmt = local_now, stmt
    run.flow.given_out |= given_out(env, captured, [run.values.get(n, UNKNOWN) for n in returned(run, node)])
    memory = NOTHING.union(*(env[n].memory for n in captured if n in env))
    deps = NOTHING.union(*(env[n].deps for n in captured if n in env))
    for key, value in (end or inner).items():
        if key.startswith("!"):
            env[key] = value
    bind(run, env, name, Value(Kind.FUNCTION, deps=deps, name="<lambda>", memory=(memory & frozenset({"?"})) | kept), node)
    return env


def returned(run: Run, node: cst.FunctionDef) -> list[cst.BaseExpression]:
    """What a function, or one in it, gives to those who call it."""
    found = [n.value for n in run.source.among(node, cst.Return)] + [n.value for n in run.source.among(node, cst.Yield)]
    return [n.item if isinstance(n, cst.From) else n for n in found if n is not None]


def given_out(env: Env, captured: Iterable[str], results: Iterable[Value]) -> set[str]:
    """The variables around a nested function with which its results may share memory; they may yet be bound, or bound anew."""
    memory = NOTHING.union(*(v.memory for v in results))
    return {name for name in captured if name not in env or env[name].memory & memory}


def _class(run: Run, env: Env, node: cst.ClassDef) -> Env:
    """A class at module level: its own statements; methods are units of their own."""
    for decorator in node.decorators:
        evaluate(run, env, decorator.decorator)
    for base in node.bases:
        evaluate(run, env, base.value)
    inner = dict(env)
    own: dict[str, Value] = {}
    for statement in block_of(node.body):
        if isinstance(statement, cst.FunctionDef):
            continue
        run_statement(run, inner, statement)
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                own[small.target.value] = declared_types.annotation(small.annotation.annotation) or UNKNOWN  # of a dataclass
    made = {name: value for name, value in inner.items() if env.get(name) is not value and name.isidentifier()}
    if is_record(run, node):
        name = run.scopes.qualname(node.name) or f"{run.source.name}.{node.name.value}"
        run.attributes.fields[name] = tuple(own)
        if is_frozen(run, node):
            run.attributes.frozen |= {name, *own}
        own = {name: replace(value, memory=frozenset({"new:field"})) for name, value in own.items()}
        made = {name: value for name, value in made.items() if name not in own}  # the default of a field
    own |= made
    run.attributes.class_values[run.scopes.qualname(node.name) or f"{run.source.name}.{node.name.value}"] = own
    bind(run, env, node.name.value, Value(Kind.CLASS, name=run.scopes.qualname(node.name) or ""), node)
    return env


RECORDS = frozenset({"dataclasses.dataclass", "attr.s", "attr.dataclass", "attrs.define", "attr.define", "typing.NamedTuple"})


def is_record(run: Run, node: cst.ClassDef) -> bool:
    """Whether `__init__` is made of the annotated variables of a class: a dataclass, a NamedTuple."""
    used = [d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator for d in node.decorators]
    return any(run.scopes.qualname(n) in RECORDS for n in (*used, *(b.value for b in node.bases)))


def is_frozen(run: Run, node: cst.ClassDef) -> bool:
    """Whether the fields of a record cannot be bound again: a NamedTuple, `@dataclass(frozen=True)`."""
    made = [d.decorator for d in node.decorators if isinstance(d.decorator, cst.Call)]
    frozen = (a for call in made for a in call.args if a.keyword is not None and a.keyword.value == "frozen")
    return any(not is_false(a.value) for a in frozen) or any(
        run.scopes.qualname(b.value) == "typing.NamedTuple" for b in node.bases
    )


_HANDLERS: dict[type, Callable[[Run, Env, Any], Env | None]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Expr: _expression,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.Global: _global,
    cst.Nonlocal: _global,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
}
__all__ = ["NUMERIC", "absorbs", "run_block", "run_statement"]
