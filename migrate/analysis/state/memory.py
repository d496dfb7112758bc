"""Binding of variables, and the memory that values share."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import TOGETHER, Value, replace
from .interpreter_state import Run
from .lattice import Env, join

CONTAINERS = (Kind.LIST, Kind.DICT, Kind.TUPLE)


MAYBE_NONE = "<none>"  # prefix of the name of a parameter that may be None, which is its default


IMMUTABLE = "jax:"  # prefix of the name of a parameter whose array is JAX's in the original, too


def immutable(value: Value) -> bool:
    """Whether an array cannot be changed in place: it is a jax.Array in the original, too, where `x += 1` rebinds x."""
    return bool(value.memory) and all(m.startswith(IMMUTABLE) for m in value.memory)


def rebound(run: Run, node: cst.CSTNode) -> Iterator[str]:
    """The access paths that a statement or a call changes, and those of views that are computed again."""
    for update in run.effects.updates.get(node, ()):
        yield update.access_path
        yield from (name for name, _view in update.refresh)


def written_back(run: Run) -> frozenset[str]:
    """The access paths of arrays that are returned to the caller because they are changed."""
    return frozenset(update.access_path for found in run.effects.updates.values() for update in found if update.param)


def read_implicitly(run: Run) -> frozenset[str]:
    """The access paths of changed arrays that are read, though liveness does not see it: those that are returned to the caller,
    and those that are changed through views, `c` of `d = c` and `d[i] = 0`.
    """
    through_views = {
        update.access_path
        for node, found in run.effects.updates.items()
        for update in found
        if update.access_path.isidentifier() and not any(n.value == update.access_path for n in run.source.among(node, cst.Name))
    }
    return written_back(run) | through_views


def new_memory(run: Run, env: Env, node: cst.CSTNode) -> frozenset[str]:
    """A token for the memory that `node` allocates. In a loop, the memory of the previous iteration becomes "old"."""
    token = run.effects.tokens.get(node)
    if token is None:
        token = run.effects.tokens[node] = f"new:{len(run.effects.tokens)}"
    else:
        _age(env, token)
    return frozenset({token})


def age(run: Run, env: Env, loop: cst.CSTNode) -> None:
    """Before a loop is entered, mark what it allocated in an earlier run as "old": an enclosing loop may run it again."""
    for node, token in run.effects.tokens.items():
        if run.source.inside(node, loop):
            _age(env, token)


def _age(env: Env, token: str) -> None:
    old = "old:" + token[4:]
    for name in [name for name, value in env.items() if token in value.memory or token in value.shape]:
        value = env[name]
        shaped = token in value.shape.split(TOGETHER)
        if token in value.memory or shaped:
            memory = value.memory - {token} | {old} if token in value.memory else value.memory
            env[name] = replace(value, memory=memory, shape="" if shaped else value.shape)


def bind(run: Run, env: Env, name: str, value: Value, node: cst.CSTNode) -> None:
    """Bind a variable or an access path. Views of its former value lose their base."""
    env.pop(MAYBE_NONE + name, None)
    changed = "!" + name
    if changed in env and value.holds != name:
        run.effects.lost[name] = node
    before = env.get(name)
    if before is not None and before.kind is Kind.NONE and before.holds == name and not value.holds:
        value = replace(value, holds=name)  # `if x is None: x = ...`: returning it is right either way
    if before is not None and before.holds == name and before.kind in CONTAINERS:
        run.escape(env, before)  # the caller still has a reference to it
    if (
        name in run.effects.viewed or name.partition(".")[0] in run.unit.rooted
    ):  # a module may bind thousands of names: look only where needed
        for other, held in list(env.items()):
            view = held.view
            if view is not None and (view.base == name or name in view.names) and other != name:
                env[other] = replace(held, view=None)
            elif other.startswith((name + ".", name + "[")):
                del env[other]
    if value.view is not None and (value.view.base == name or name in value.view.names):
        value = replace(value, view=None)
    if value.view is not None:
        run.effects.viewed |= {value.view.base, *value.view.names}
    if name in run.effects.changed_inside:
        run.effects.touched |= value.memory
    if not run.unit.in_function and run.flow.depth == 0:
        run.attributes.bindings[name] = join(run.attributes.bindings[name], value) if name in run.attributes.bindings else value
    env[name] = value


def drop_paths(env: Env, name: str) -> None:
    """Forget what is known of the attributes and items of `name`: someone may have changed them."""
    for other in list(env):
        if other.startswith(name + ".") or other.startswith(name + "["):
            del env[other]
    forget_views(env, name)


def forget_views(env: Env, path: str) -> None:
    """Forget the views whose indices read this access path, or an attribute of it."""
    for other, held in list(env.items()):
        if held.view is not None and any(n == path or n.startswith(path + ".") for n in held.view.names):
            env[other] = replace(held, view=None)
