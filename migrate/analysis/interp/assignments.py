"""Assignments, augmented assignments and `del`."""

from __future__ import annotations

import libcst as cst

from ....rules.core.dtypes import WIDEST, category, keeps
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, View, replace
from ....rules.syntax import source_text
from ..effects import in_place_updates, update_targets
from ..inference import declared_types
from ..inference.numpy_scalars import may_be_number
from ..slices import mask_selection
from ..state.access_paths import path_of
from ..state.index_expressions import has_slice
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.memory import drop_paths, immutable
from ..state.views import read_through
from . import operations, special_methods
from .assignment_targets import assign
from .expressions import evaluate


def run_assign(run: Run, env: Env, node: cst.Assign) -> Env:
    value = evaluate(run, env, node.value)
    if type(node.value) in (cst.Tuple, cst.List) and len(node.targets) == 1:
        assign(run, env, node.targets[0].target, value, node, node.value)
        return env
    for target in node.targets:
        assign(run, env, target.target, value, node, node.value)
        match target.target:
            case cst.Tuple(elements=elements) if all(isinstance(e, cst.Element) for e in elements):
                if name := _measured(run, node.value):  # `n, m = x.shape` raises for any other number of dimensions
                    ranked(env, name, len(elements))
    if len(node.targets) > 1 and value.kind not in (Kind.SCALAR, Kind.STRING, Kind.NONE):
        names = [path_of(t.target) for t in node.targets]
        known = [n for n in names if n is not None]
        for name in known[1:]:  # a = b = np.zeros(3): two names of one array
            if name in env and known[0] in env and env[name].view is None:
                env[name] = replace(env[name], view=View(known[0]))
                run.effects.viewed.add(known[0])
    return env


def _measured(run: Run, value: cst.BaseExpression) -> str:
    """The variable whose shape an expression is; "" for another one."""
    match value:
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")):
            return name
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name))]) if run.scopes.qualname(func) == "numpy.shape":
            return name
    return ""


def ranked(env: Env, name: str, rank: int) -> None:
    """Record the number of dimensions of an array, known from here on."""
    if name in env and env[name].kind is Kind.ARRAY and env[name].rank < 0:
        env[name] = replace(env[name], rank=rank)


def same(env: Env, name: str, other: str) -> None:
    """Record that two arrays have the same shape from here on."""
    one, two = env.get(name, UNKNOWN), env.get(other, UNKNOWN)
    if one.kind is Kind.ARRAY and two.kind is Kind.ARRAY:
        shape, rank = two.shape or one.shape, max(one.rank, two.rank)
        env[name], env[other] = replace(one, shape=shape, rank=rank), replace(two, shape=shape, rank=rank)


def run_annotated(run: Run, env: Env, node: cst.AnnAssign) -> Env:
    if node.value is not None:
        value = evaluate(run, env, node.value)
        promised = declared_types.annotation(node.annotation.annotation)
        if promised is not None and value.kind is Kind.UNKNOWN:
            value = replace(value, kind=promised.kind, dtype=value.dtype or promised.dtype)
        assign(run, env, node.target, value, node, node.value)
    return env


def run_augmented(run: Run, env: Env, node: cst.AugAssign) -> Env:
    before = evaluate(run, env, node.target)
    value = evaluate(run, env, node.value)
    key = path_of(node.target)
    owner = run.values.get(node.target.value, UNKNOWN) if isinstance(node.target, cst.Attribute) else UNKNOWN
    if owner.kind is Kind.OBJECT and key is not None and before.kind is Kind.ARRAY:
        env.setdefault(
            key, before
        )  # it is read ahead of the value, which may come from a call that binds attributes, and bound again
    otherwise = dict(env)  # the state if the result is a new array
    after = operations.arithmetic(run, otherwise, node, node.operator, before, value)
    if isinstance(node.target, cst.Subscript):
        env.update(otherwise)
        container = run.values.get(node.target.value, UNKNOWN)
        if container.kind is not Kind.ARRAY and before.kind in (Kind.ARRAY, Kind.UNKNOWN):
            sure = before.kind is Kind.ARRAY or value.kind is Kind.ARRAY
            in_place_updates.item_rebound(run, env, node, node.target, container, before, sure)
        special_methods.stored(run, env, node.target, container, after)
        in_place_updates.subscript_store(run, env, node, node.target, after, value)
        return env
    run.host.host_uses |= value.origin  # if y is a jax.Array, `x += y` rebinds x and changes no array
    if before.kind is Kind.UNKNOWN and value.kind is Kind.ARRAY and _has_axes(run, node.value):
        before = replace(before, kind=Kind.ARRAY)  # `op=` with an array: it is an array, changed in place
    place = read_through(before, key)
    if before.kind in (Kind.ARRAY, Kind.UNKNOWN) and value.kind is not Kind.STRING:
        own = before.dtype == "float64" and all(m.startswith(("new:", "old:")) for m in before.memory)
        if not own or update_targets._shared(env, before, run, key or "", node):
            run.requires_numpy(value)
            run.effects.added[node.value] = None
    if before.kind is Kind.SCALAR:
        env.update(otherwise)
        if key is not None:
            assign(run, env, node.target, replace(after, holds="", view=None), node)
        return env
    if before.kind is Kind.ARRAY:
        made_here = all(m.startswith("new:") for m in before.memory)  # an item of an argument may be a row of it
        scalar = before.rank == 0 and (not before.memory or (before.number and made_here))  # what is computed from scalars is one
        if scalar or immutable(before):
            env.update(otherwise)
            assign(run, env, node.target, after, node)
            return env
        # x += y writes into x's array, with its dtype, whatever aliases it has
        in_place_updates.record(run, env, node, node.target, (), place)
        narrow = before.dtype not in WIDEST and not keeps(before.dtype, value.dtype, node.operator)
        if key is not None and key in env and (not before.dtype or (narrow and may_be_number(run, before))):
            wider = (
                0 <= category(before.dtype) < category(after.dtype)
            )  # an array cannot hold the result: NumPy raises, so it is a number
            env[key] = replace(env[key], dtype=after.dtype if wider else "", weak=wider and after.weak)
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
    if sole and key is not None and not update_targets._shared(env, before, run, key, node):
        # unknown, but without aliases: x += y and x = x + y differ only in the dtype
        env.update(otherwise)
        assign(run, env, node.target, after, node)
        return env
    if value.kind is Kind.STRING and type(node.operator) is cst.AddAssign:
        return env  # not an array, to which no string can be added
    run.writes_into(before)
    run.effects.touched |= before.memory
    run.constraints.blocks[node] = (
        "NJ202",
        f"np2jax cannot tell whether `{source_text.code(node.target)}` is an array, which this would update in place",
    )
    return env


def _has_axes(run: Run, node: cst.BaseExpression) -> bool:
    """Whether an expression is, as far as its syntax tells, an array with at least one dimension, not a number."""
    value = run.values.get(node, UNKNOWN)
    if value.rank >= 0 or value.number or value.kind is not Kind.ARRAY:
        return value.rank > 0
    match node:
        case cst.Subscript():
            return has_slice(node)
        case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
            return not left.deep_equals(right)  # the product of a vector with itself is a number
        case cst.Call(args=[cst.Arg(value=left), cst.Arg(value=right)]) if run.scopes.qualname(node.func) == "numpy.dot":
            return not left.deep_equals(right)
    operands = mask_selection.operands(run, node)
    return any(_has_axes(run, part) for part in operands) if operands else bool(value.shape)


def run_delete(run: Run, env: Env, node: cst.Del) -> Env:
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
