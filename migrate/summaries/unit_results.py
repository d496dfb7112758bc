"""What a unit returns as its callers see it, and which changed parameters are part of it."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN, Value, replace
from ..analysis.loops.loop_analysis import is_token
from ..analysis.state.interpreter_state import Run
from ..analysis.state.lattice import Env, join_all
from ..syntax.decorators import UNWRAPPED, Effect
from .units import Unit

PLAIN = ("staticmethod", "classmethod", "property", "jit", "wraps")  # decorators that retain no result


def outside_loops(value: Value) -> Value:
    """A result as its callers see it: values computed by loops are unknown at trace time."""
    deps = frozenset(d for d in value.deps if not is_token(d))
    elements = None if value.elements is None else tuple(map(outside_loops, value.elements))
    return replace(value, deps=deps, traced=value.traced or deps != value.deps, elements=elements)


def plain(value: Value) -> Value:
    """A value without syntax and without a symbolic shape, which are meaningful only in the unit."""
    elements = None if value.elements is None else tuple(map(plain, value.elements))
    return replace(value, view=None, shape="", elements=elements)


def returned(run: Run, unit: Unit, mutates: frozenset[str]) -> tuple[Value, int, tuple[tuple[str, int], ...], str]:
    """The joined result, the number of values in it, the changed parameters among them with their positions, and why these are
    unknown."""
    values: list[Value] = []
    counts: set[int] = set()
    positions: list[dict[str, int]] = []
    problem = ""
    for _node, (value, env) in run.flow.returns.items():
        values.append(value)
        several = value.kind is Kind.TUPLE and value.elements is not None and len(value.elements) > 1
        items = value.elements if several and value.elements is not None else (value,)
        counts.add(0 if value.kind is Kind.NONE else len(items))
        positions.append({v.holds: i for i, v in reversed(list(enumerate(items))) if v.holds in mutates})
        problem = problem or still_aliased(env, mutates)
    if run.flow.end is not None:
        values.append(Value(Kind.NONE))
        counts.add(0)
        positions.append({})
        problem = problem or still_aliased(run.flow.end, mutates)
    if len(counts) > 1:
        problem = problem or "it returns different numbers of values"
    common = dict(positions[0]) if positions else {}
    for found in positions[1:]:
        common = {k: v for k, v in common.items() if found.get(k) == v}
    if positions and any(set(found) - set(common) for found in positions):
        problem = problem or "it returns a changed argument on some paths only"
    result = plain(join_all(values)) if values else UNKNOWN
    if run.flow.yielded:
        result = Value(Kind.OBJECT, memory=run.flow.yielded)
    pairs = list(zip(unit.decorators, unit.applied, strict=True))
    if any(run.facts.effect(name) is Effect.CHANGED for _written, name in pairs):
        result = UNKNOWN
    if any(d.rpartition(".")[2] not in PLAIN and run.facts.effect(name) not in UNWRAPPED for d, name in pairs):
        result = replace(result, memory=result.memory | {"?"})  # a cache may retain it
    return result, (counts.pop() if len(counts) == 1 else 1), tuple(sorted(common.items())), problem


def changed_default(unit: Unit, mutates: frozenset[str]) -> str:
    """A changed parameter with a mutable default, created once: its value would persist between calls."""
    if not isinstance(unit.node, cst.FunctionDef):
        return ""
    params = unit.node.params
    for param in (*params.posonly_params, *params.params, *params.kwonly_params):
        if param.name.value in mutates and isinstance(param.default, (cst.Call, cst.List, cst.Dict, cst.BinaryOperation)):
            return param.name.value
    return ""


def optional_output(unit: Unit, mutates: frozenset[str], already: tuple[tuple[str, int], ...]) -> str:
    """A changed parameter with the default None that is not returned already: returning it would change every call."""
    if not isinstance(unit.node, cst.FunctionDef):
        return ""
    params = unit.node.params
    for param in (*params.posonly_params, *params.params, *params.kwonly_params):
        name = param.name.value
        if (
            name in mutates
            and name not in dict(already)
            and isinstance(param.default, cst.Name)
            and param.default.value == "None"
        ):
            return name
    return ""


def still_aliased(env: Env, mutates: frozenset[str]) -> str:
    for name in sorted(mutates):
        if name not in env or env[name].holds != name:
            return f"`{name}` is changed in place, but the caller's array can no longer be identified at the end"
    return ""
