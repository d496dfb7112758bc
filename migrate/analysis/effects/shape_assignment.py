"""`x.shape = s`: a new shape for the array that a variable refers to. Views of it retain theirs."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.updates import Update
from ....rules.facts.values import UNKNOWN, Value, replace
from ....rules.syntax import source_text
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import forget_views
from ..state.views import read_through
from . import in_place_updates, later_reads, update_targets

ITSELF = frozenset(
    "real real_if_close squeeze conj conjugate atleast_1d atleast_2d atleast_3d ascontiguousarray require astype".split()
)


def assign_shape(run: Run, env: Env, node: cst.CSTNode, target: cst.Attribute, shape: Value) -> None:
    """Record an assignment to `target`, the shape of an array."""
    key = path_of(target.value)
    if key is None or key not in env:
        run.constraints.blocks[node] = (
            "NJ223",
            f"the shape of `{source_text.code(target.value)}`, which has no name, is assigned",
        )
        return
    current = read_through(env[key], key)
    if current.view is not None and current.view.steps:
        _of_a_view(run, env, node, target, current, key)
    else:
        in_place_updates.record(run, env, node, target.value, (target,), current)
    rank = len(shape.elements) if shape.elements is not None else 1 if shape.kind is Kind.SCALAR else -1
    for update in tuple(run.effects.updates.get(node, ())):
        if not update.problem and update.steps[-1:] == (target,):
            same = tuple((name, view) for name, view in update.refresh if not view.steps)
            _replace(run, node, replace(update, refresh=same))
            for name in (update.access_path, *(name for name, _view in same)):
                env[name] = replace(env.get(name, UNKNOWN), rank=rank, shape="")
            _forget_views(env, update.access_path)
            forget_views(env, update.access_path)


def _of_a_view(run: Run, env: Env, node: cst.CSTNode, target: cst.Attribute, current: Value, key: str) -> None:
    """Record an assignment to the shape of a view, a separate array: what shares its memory retains its shape, unless it may
    be the same view."""
    assert current.view is not None
    why = ""
    if all(_may_be_itself(step) for step in current.view.steps):
        why = f"`{current.view.base}` may be the array whose shape is assigned"
        run.writes_into(current)
        run.effects.touched |= current.memory
    for name, other in env.items():
        if name != key and other.memory & current.memory and other.view == current.view and later_reads.is_read(run, node, name):
            why = f"`{name}` may be the array whose shape is assigned"
    path = target.value
    update = update_targets.problem(node, why, "NJ203", current) if why else Update(node, key, path, (target,), current)
    run.effects.updates.setdefault(node, []).append(replace(update, steps=(target,)))
    env[key] = replace(current, view=None)


def _may_be_itself(step: cst.BaseExpression) -> bool:
    """Whether NumPy may return the array itself, not a view of it."""
    last = step.func if isinstance(step, cst.Call) else step
    return isinstance(last, cst.Attribute) and last.attr.value in ITSELF


def _replace(run: Run, node: cst.CSTNode, update: Update) -> None:
    run.effects.updates[node] = [update if u.steps[-1:] == update.steps[-1:] else u for u in run.effects.updates[node]]


def _forget_views(env: Env, key: str) -> None:
    """Forget the views of an array: the steps that lead to them are not valid for the new shape."""
    for name, current in env.items():
        if current.view is not None and current.view.base == key and current.view.steps:
            env[name] = replace(current, view=None)
