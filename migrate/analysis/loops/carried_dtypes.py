"""Python numbers that get a dtype in the iterations of a loop: `b = 0` before it, `b += c; c += x[i]` in it.

JAX gives a carried Python number the dtype that it has after a first iteration, and does so once. Where the number takes its
dtype from another one that has none before the end of that iteration, the two iterations disagree, and JAX raises TypeError. So
do the two arms of a `lax.cond` in the first iteration, if one of them leaves the number unchanged. An integer that an iteration
turns into a Python float becomes a strong float64, which is not narrowed by float32 as a Python float is. So numbers of the first
kind start with the dtype that they will have, those of the second kind as floats. So does a part or a copy of an array of unknown dtype,
`e = x[0]` or `c = x[:k].copy()`, of which iterations make floats if it is an integer: `e = k * x[i] + (1 - k) * e`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.loops import Promoted
from ....rules.facts.values import NOTHING, UNKNOWN, Value
from ....rules.syntax.argument_binding import bind
from ...syntax.names import bound_by
from ...syntax.reaching_definitions import definitions_enclosing
from ...syntax.source import walk
from ..branches.branch_arms import otherwise, statements
from ..state.interpreter_state import Run
from ..state.lattice import Env

State = dict[str, Promoted | None]  # None where the origin of a variable's dtype is not known
INTEGER, FLOAT = Promoted(), Promoted(inexact=True)
PROMOTED = ("promote", "same", "number", "sum")
COPIES = ("numpy.array", "numpy.asarray", "numpy.copy")
ALIKE = ("builtins.abs", "builtins.min", "builtins.max")


def typed(
    run: Run, node: cst.For | cst.While, carry: Iterable[str], before: Env, guard: cst.If | None
) -> tuple[dict[str, Promoted], str]:
    """The carried Python numbers that must start with another dtype, and what that is promoted from; or why one has no such
    dtype. `guard`: the branch that may end an iteration, where what follows it is expensive, and is not computed then.
    """
    numbers = {n for n in carry if n in before and before[n].kind is Kind.SCALAR and before[n].dtype in ("int", "float")}
    elements = {n: array for n in carry if n in before and not before[n].dtype and (array := _copied_from(run, node, n))}
    if not numbers and not elements:
        return {}, ""
    start = {name: _start(name, name in numbers, before) for name in carry}
    split: set[str] = set()
    first = _iteration(run, node, start, split, guard)
    kept = {name: origin for name, origin in start.items() if name not in numbers}  # a value with a dtype keeps it
    state = start
    while (after := _joined(state, _iteration(run, node, state)) | kept) != state:
        state = after
    last = _iteration(run, node, state)
    for name in sorted(numbers):
        if before[name].dtype == "float" and last.get(name) == INTEGER:
            return {}, f"`{name}` is a float before the loop and an integer after an iteration"
    found: dict[str, Promoted] = {}
    for name in carry:
        once, finally_ = first.get(name), state.get(name)
        if name in numbers and once is not None and finally_ is not None:
            widened = finally_.inexact and not finally_.arrays and before[name].dtype == "int"
            if once.arrays != finally_.arrays or widened or (finally_.arrays and name in split):
                found[name] = finally_._replace(inexact=finally_.inexact and before[name].dtype == "int")
        if name in elements and finally_ is not None and last.get(name) is not None:
            made = _both(finally_, last[name]) or finally_
            if made.inexact or made.arrays - {name, elements[name]}:
                found[name] = made._replace(arrays=made.arrays - {elements[name]} | {name})
    return found, ""


def _copied_from(run: Run, node: cst.For | cst.While, name: str) -> str:
    """The array of which a variable is a part or a copy when a loop starts; "" if it is something else."""
    match definitions_enclosing(node, run.source.parents).only(node, name):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value) if not isinstance(value, cst.Name):
            return _array_of(run, value)
    return ""


def _array_of(run: Run, node: cst.BaseExpression) -> str:
    match node:
        case cst.Name(value=name):
            return name
        case cst.Subscript(value=inner) | cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value="copy")), args=[]):
            return _array_of(run, inner)
        case cst.Call(func=func, args=[cst.Arg(value=inner, keyword=None)]) if run.scopes.qualname(func) in COPIES:
            return _array_of(run, inner)
    return ""


def _start(name: str, number: bool, before: Env) -> Promoted | None:
    value = before.get(name)
    if value is None:  # it starts as 0
        return INTEGER
    if number:
        return Promoted(inexact=value.dtype == "float")
    return Promoted(frozenset({name})) if value.kind in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN) else None


def _joined(one: State, other: State) -> State:
    return {name: _both(one.get(name, INTEGER), other.get(name, INTEGER)) for name in {**one, **other}}


def _both(*every: Promoted | None) -> Promoted | None:
    found = [each for each in every if each is not None]
    if len(found) < len(every):
        return None
    return Promoted(NOTHING.union(*(each.arrays for each in found)), any(each.inexact for each in found))


def _unlike(one: State, other: State) -> set[str]:
    return {name for name, origin in one.items() if name in other and origin != other[name]}


def _iteration(
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
    state = _block(run, body[:at], state, split)
    after = _block(run, body[at:], state, split)
    if split is not None:
        split |= _unlike(state, after)
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
            _bind(target, _origin(run, space.iterable, state), state)


def _block(run: Run, body: Sequence[cst.CSTNode], state: State, split: set[str] | None) -> State:
    for statement in body:
        state = _statement(run, statement, state, split)
    return state


def _statement(run: Run, node: cst.CSTNode, state: State, split: set[str] | None) -> State:
    match node:
        case cst.SimpleStatementLine(body=body) | cst.SimpleStatementSuite(body=body) | cst.IndentedBlock(body=body):
            return _block(run, body, state, split)
        case cst.Assign(targets=targets, value=value):
            state = dict(state)
            for each in targets:
                _assign(run, each.target, value, state)
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
            state = dict(state)
            _assign(run, target, value, state)
        case cst.AugAssign(target=cst.Name(value=name) as target, operator=operator, value=value):
            state = dict(state)
            made = _both(_origin(run, target, state), _origin(run, value, state))
            state[name] = _both(made, FLOAT) if isinstance(operator, cst.DivideAssign) else made
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")), args=[cst.Arg(value=item)]
            )
        ) if name in state:  # a list, of which an array is made
            return state | {name: _both(state[name], _origin(run, item, state))}
        case cst.If(body=body, orelse=orelse):
            other = state if orelse is None else _statement(run, orelse, state, split)
            yes = _statement(run, body, state, split)
            if split is not None and _by_functions(run, node):
                split |= _unlike(yes, other)
            return _joined(yes, other)
        case cst.Else(body=body):
            return _statement(run, body, state, split)
        case cst.For() | cst.While():
            while (after := _joined(state, _iteration(run, node, state, split))) != state:
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
            made = [_origin(run, each.value, state) for each in values]
            for one, origin in zip(targets, made, strict=True):
                _bind(one.value, origin, state)
        case cst.Tuple(), _:
            _bind(target, None, state)
        case _:
            _bind(target, _origin(run, value, state), state)


def _bind(target: cst.BaseExpression, origin: Promoted | None, state: State) -> None:
    match target:
        case cst.Name(value=name):
            state[name] = origin
        case cst.Tuple(elements=targets) | cst.List(elements=targets):
            for each in targets:
                _bind(each.value, origin, state)


def _origin(run: Run, node: cst.BaseExpression, state: State) -> Promoted | None:
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
            return _origin(run, inner, state)
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            made = _both(_origin(run, left, state), _origin(run, right, state))
            return _both(made, FLOAT) if isinstance(operator, cst.Divide) else made
        case cst.BooleanOperation(left=left, right=right):
            return _both(_origin(run, left, state), _origin(run, right, state))
        case cst.IfExp(body=left, orelse=right):
            return _both(_origin(run, left, state), _origin(run, right, state))
        case cst.Call():
            return _call(run, node, state)
        case cst.Subscript(value=inner) if _number(value) is None:
            return _origin(run, inner, state)
    if (number := _number(value)) is not None:
        return number
    if isinstance(node, cst.Name) and (value.numeric or value.holds == node.value):
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
        return _both(*(_origin(run, a.value, state) for a in node.args)) if all(a.keyword is None for a in node.args) else None
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
    made = _both(*(_origin(run, each, state) for each in given))
    return _both(made, FLOAT) if entry.dtype in ("mean", "float") else made
