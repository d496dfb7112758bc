"""What the dtypes of variables are promoted from, where none is known: after `v = 0.5 * (x[i] + y[j])` those of `x` and of `y`, and a
Python float."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.loops import Promoted
from ....rules.facts.values import NOTHING, UNKNOWN, Value, parameter_of
from ....rules.syntax.argument_binding import bind
from ...syntax.names import bound_by
from ...syntax.source import walk
from ..state.interpreter_state import Run
from .branch_arms import bound_before, otherwise, statements

State = dict[str, Promoted | None]  # None where the origin of a variable's dtype is not known
INTEGER, FLOAT = Promoted(), Promoted(inexact=True)
PROMOTED = ("promote", "same", "number", "sum")
ALIKE = ("builtins.abs", "builtins.min", "builtins.max")


def of_arms(run: Run, node: cst.If, names: Iterable[str]) -> frozenset[tuple[bool, str, Promoted]]:
    """The variables of unknown dtypes that may have another dtype in one arm of a branch than in the other: what to promote them to, in
    the first arm or in the other one."""
    arms = statements(node.body), otherwise(node)
    before: State = {name: Promoted(frozenset({name})) for name in bound_by(node) if bound_before(run, node, name)}
    states = [dtypes_after(run, arm, before) for arm in arms]
    bound = [NOTHING.union(*map(bound_by, arm)) for arm in arms]
    looped = any(isinstance(above, (cst.For, cst.While)) for above in run.source.above(node))
    found = set[tuple[bool, str, Promoted]]()
    for name in names:
        if looped and not all(name in inside for inside in bound):  # a loop starts it with the dtype that it gets
            continue
        made = [state.get(name) for state in states]
        whole = both(*made)
        if whole is not None and all(_stay(whole.arrays & inside, state) for inside, state in zip(bound, states, strict=True)):
            found |= {(first, name, whole) for first, own in zip((True, False), made, strict=True) if own != whole}
    return frozenset(found)


def _stay(names: Iterable[str], state: State) -> bool:
    """Whether variables that are bound again keep their dtypes, or are promoted further."""
    return all((own := state.get(name)) is not None and name in own.arrays for name in names)


def joined(one: State, other: State) -> State:
    return {name: both(one.get(name, INTEGER), other.get(name, INTEGER)) for name in {**one, **other}}


def both(*every: Promoted | None) -> Promoted | None:
    found = [each for each in every if each is not None]
    if len(found) < len(every):
        return None
    return Promoted(NOTHING.union(*(each.arrays for each in found)), any(each.inexact for each in found))


def unlike(one: State, other: State) -> set[str]:
    return {name for name, origin in one.items() if name in other and origin != other[name]}


def iteration(
    run: Run, node: cst.For | cst.While, before: State, split: set[str] | None = None, guard: cst.If | None = None
) -> State:
    """The dtypes after an iteration. `split`, if it is passed, collects the variables that get different dtypes in the arms of a
    branch that is not a `jnp.where`; loops in the iteration are then run once, as JAX traces them and the outer loop.
    """
    state = dict(before)
    if isinstance(node, cst.For):
        _rows(run, run.scopes.iteration_space(node), state)
    body = node.body.body
    at = next((k for k, statement in enumerate(body) if statement is guard), len(body))
    state = dtypes_after(run, body[:at], state, split)
    after = dtypes_after(run, body[at:], state, split)
    if split is not None:
        split |= unlike(state, after)
    return after


def _rows(run: Run, space: IterationSpace, state: State) -> None:
    """Bind the target of a loop to the rows of the arrays that it iterates over."""
    parts = [part for part in space.parts if part.target is not None]
    match space.function, space.target:
        case "enumerate" | "zip" | "reversed", _ if parts:
            if space.counter is not None:
                _bind(space.counter, INTEGER, state)
            for part in parts:
                _rows(run, part, state)
        case "range", cst.BaseExpression() as target:
            _bind(target, INTEGER, state)
        case _, cst.BaseExpression() as target:
            _bind(target, promoted_from(run, space.iterable, state), state)


def dtypes_after(run: Run, body: Sequence[cst.CSTNode], state: State, split: set[str] | None = None) -> State:
    """The dtypes after some statements. `split`: see `iteration`."""
    for statement in body:
        state = _statement(run, statement, state, split)
    return state


def _statement(run: Run, node: cst.CSTNode, state: State, split: set[str] | None) -> State:
    match node:
        case cst.SimpleStatementLine(body=body) | cst.SimpleStatementSuite(body=body) | cst.IndentedBlock(body=body):
            return dtypes_after(run, body, state, split)
        case cst.Assign(targets=targets, value=value):
            state = dict(state)
            for each in targets:
                _assign(run, each.target, value, state)
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
            state = dict(state)
            _assign(run, target, value, state)
        case cst.AugAssign(target=cst.Name(value=name) as target, operator=operator, value=value):
            state = dict(state)
            made = both(promoted_from(run, target, state), promoted_from(run, value, state))
            state[name] = both(made, FLOAT) if isinstance(operator, cst.DivideAssign) else made
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")), args=[cst.Arg(value=item)]
            )
        ) if name in state:  # a list, of which an array is made
            return state | {name: both(state[name], promoted_from(run, item, state))}
        case cst.If(body=body, orelse=orelse):
            other = state if orelse is None else _statement(run, orelse, state, split)
            yes = _statement(run, body, state, split)
            if split is not None and _by_functions(run, node):
                split |= unlike(yes, other)
            return joined(yes, other)
        case cst.Else(body=body):
            return _statement(run, body, state, split)
        case cst.For() | cst.While():
            while (after := joined(state, iteration(run, node, state, split))) != state:
                state = after
                if split is not None:
                    break
        case cst.Try() | cst.TryStar() | cst.With() | cst.Match() | cst.FunctionDef() | cst.ClassDef():
            return state | dict.fromkeys(bound_by(node))
    return state


def _by_functions(run: Run, node: cst.If) -> bool:
    """Whether `lax.cond` runs the arms of a branch: one is expensive, or there are two and one reads or rebinds what it has bound
    itself.
    """
    branch = run.branching.branches.get(node)
    if branch is None or branch.expensive:
        return branch is not None
    arms = statements(node.body), otherwise(node)
    return bool(arms[1]) and any(map(_in_steps, arms))


def _in_steps(body: Sequence[cst.CSTNode]) -> bool:
    bound: set[str] = set()
    for statement in body:
        own = bound_by(statement)
        if bound & own or any(type(n) is cst.Name and n.value in bound for n, _parent in walk(statement)):
            return True
        bound |= own
    return False


def _assign(run: Run, target: cst.BaseExpression, value: cst.BaseExpression, state: State) -> None:
    match target, value:
        case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
            made = [promoted_from(run, each.value, state) for each in values]
            for one, origin in zip(targets, made, strict=True):
                _bind(one.value, origin, state)
        case cst.Tuple(), _:
            _bind(target, None, state)
        case _:
            _bind(target, promoted_from(run, value, state), state)


def _bind(target: cst.BaseExpression, origin: Promoted | None, state: State) -> None:
    match target:
        case cst.Name(value=name):
            state[name] = origin
        case cst.Tuple(elements=targets) | cst.List(elements=targets):
            for each in targets:
                _bind(each.value, origin, state)


def promoted_from(run: Run, node: cst.BaseExpression, state: State) -> Promoted | None:
    """What the dtype of an expression is promoted from."""
    value = run.values.get(node, UNKNOWN)
    match node:
        case cst.Name(value=name) if name in state:
            return state[name]
        case cst.Integer():
            return INTEGER
        case cst.Float():
            return FLOAT
        case cst.Comparison() | cst.List(elements=[]):
            return INTEGER
        case cst.UnaryOperation(expression=inner):
            return promoted_from(run, inner, state)
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            made = both(promoted_from(run, left, state), promoted_from(run, right, state))
            return both(made, FLOAT) if isinstance(operator, cst.Divide) else made
        case cst.BooleanOperation(left=left, right=right):
            return both(promoted_from(run, left, state), promoted_from(run, right, state))
        case cst.IfExp(body=left, orelse=right):
            return both(promoted_from(run, left, state), promoted_from(run, right, state))
        case cst.Call():
            return _call(run, node, state)
        case cst.Subscript(value=inner) if _number(value) is None:
            return promoted_from(run, inner, state)
    if (number := _number(value)) is not None:
        return number
    if isinstance(node, cst.Name) and (value.numeric or parameter_of(value)):
        return Promoted(frozenset({node.value}))
    return None


def _number(value: Value) -> Promoted | None:
    """The origin of a Python number; None for anything else."""
    real = value.kind is Kind.SCALAR and value.dtype in ("bool", "int", "float")
    return Promoted(inexact=value.dtype == "float") if real else None


def _call(run: Run, node: cst.Call, state: State) -> Promoted | None:
    name = run.scopes.qualname(node.func) or ""
    if any(a.star for a in node.args):
        return None
    if name in ALIKE and len(node.args) > (name != "builtins.abs"):
        return (
            both(*(promoted_from(run, a.value, state) for a in node.args)) if all(a.keyword is None for a in node.args) else None
        )
    entry = numpy_table.function(name)
    given: list[cst.BaseExpression] = []
    if entry is None and isinstance(node.func, cst.Attribute) and run.values.get(node.func.value, UNKNOWN).numeric:
        entry = numpy_table.method(node.func.attr.value)
        given.append(node.func.value)
    if entry is None or any(a.keyword is not None and a.keyword.value in ("dtype", "out") for a in node.args):
        return _number(run.values.get(node, UNKNOWN))
    promoted = entry.promotes or entry.arrays + entry.sequences
    given += [node.args[at].value for at, parameter in bind(node, entry) if parameter in promoted]
    if not given or entry.dtype not in (*PROMOTED, "mean", "float", "bool"):
        return None
    if entry.dtype == "bool":
        return INTEGER
    made = both(*(promoted_from(run, each, state) for each in given))
    return both(made, FLOAT) if entry.dtype in ("mean", "float") else made
