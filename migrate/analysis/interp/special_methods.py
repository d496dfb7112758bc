"""Methods that Python calls implicitly: `x[i]`, `x(...)`, `with x`, `for ... in x`, properties."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, UNKNOWN, Value, replace
from ..state.access_paths import path_of
from ..state.arguments import Arguments
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.views import read_through
from . import calls, project_calls


def called(run: Run, env: Env, node: cst.Call, function: Value, arguments: Arguments) -> Value:
    """The result of calling an object, by the `__call__` of its class."""
    found = run.facts.method(function.name, "__call__")
    if found is None or found not in run.facts.functions:
        return calls.unknown(run, env, node, replace(function, name=""), arguments)
    own = (node.func, read_through(function, path_of(node.func)))
    arguments = Arguments((own, *arguments.positional), arguments.keywords, arguments.starred)
    return project_calls.project_call(run, env, node, found, arguments)


def method(
    run: Run,
    env: Env,
    node: cst.CSTNode,
    name: str,
    expression: cst.BaseExpression,
    receiver: Value,
    arguments: Sequence[tuple[cst.BaseExpression, Value]] = (),
) -> Value | None:
    """The value of a method that Python calls implicitly: `x[i]`, `with x`, a property; None if there is none.

    `node` represents the call: a different one for each method that a statement calls.
    """
    if receiver.kind is not Kind.OBJECT or receiver.name not in run.facts.classes:
        return None
    found = run.facts.method(receiver.name, name)
    if found is None or found not in run.facts.functions:
        return None
    own = (expression, read_through(receiver, path_of(expression)))
    return project_calls.project_call(run, env, node, found, Arguments((own, *arguments), {}, False))


def stored(run: Run, env: Env, target: cst.Subscript, owner: Value, value: Value) -> bool:
    """Whether an item is stored by the `__setitem__` of a class of the project; if so, interpret the call."""
    arguments = [*indices(run, target), (target, value)]
    return method(run, env, target.slice[0], "__setitem__", target.value, owner, arguments) is not None


def indices(run: Run, node: cst.Subscript) -> list[tuple[cst.BaseExpression, Value]]:
    """The index of a subscript as the argument of `__getitem__`."""
    parts = [p.slice for p in node.slice]
    if len(parts) == 1 and isinstance(parts[0], cst.Index):
        return [(parts[0].value, run.values.get(parts[0].value, UNKNOWN))]
    memory = NOTHING.union(*(run.values.get(p.value, UNKNOWN).memory for p in parts if isinstance(p, cst.Index)))
    return [(node, Value(Kind.UNKNOWN, memory=memory))]
