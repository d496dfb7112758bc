"""Calls of methods, by the kind of the receiver: arrays, containers, numbers, and unknown objects."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import python_type
from ....rules.core.findings import Kind
from ....rules.facts.values import NOTHING, PYTHON, Value, replace
from ....rules.numpy_table.entry import Verdict
from ..effects import in_place_updates, shared_elements
from ..inference.result_types import dtype_of
from ..loops.unpacked_items import unpacked
from ..random import draws
from ..state.access_paths import path_of
from ..state.arguments import Arguments, any_traced, dependencies
from ..state.evaluation import KEY, TEXT, need
from ..state.index_expressions import steady
from ..state.interpreter_state import Run
from ..state.lattice import SEQUENCES, Env, scalar
from ..state.memory import drop_paths, forget_views, immutable, new_memory
from ..state.node_facts import SHAPE_OF
from ..state.project_facts import SHARED
from ..state.views import read_through, viewed
from . import calls, dict_order, numpy_calls, scalar_casts, subscripts


def method_call(run: Run, env: Env, node: cst.Call, func: cst.Attribute, receiver: Value, function: Value) -> Value:
    """The value of `receiver.name(...)`, by the kind of the receiver."""
    name = func.attr.value
    arguments = calls.evaluate_arguments(run, env, node.args)
    location = read_through(receiver, path_of(func.value))
    if name in ("get", "pop", "setdefault"):
        for value in arguments.values()[:1]:
            dict_order.by_items(run, node, receiver, value)
    if receiver.kind is Kind.ARRAY:
        return array_method(run, env, node, func, location, arguments)
    if receiver.kind in (Kind.LIST, Kind.DICT, Kind.TUPLE, Kind.STRING):
        return _container_method(run, env, node, func, receiver, arguments)
    if receiver.kind is Kind.SCALAR:
        if name == "item" and not node.args and scalar_casts.only_item(run, node, receiver):
            return Value(Kind.SCALAR, python_type(receiver.dtype), 0, receiver.deps, True, name=PYTHON)
        if name in ("item", "tolist"):
            need(run, node, receiver, "it becomes a Python number")
        dtype = receiver.dtype
        if name == "astype" and arguments.positional:
            dtype = dtype_of(*arguments.positional[0])
        return Value(Kind.SCALAR, dtype, 0, receiver.deps | dependencies(arguments), receiver.traced, receiver.device)
    if receiver.kind is Kind.UNKNOWN and not receiver.name and numpy_table.method(name) is not None:
        entry = numpy_table.method(name)
        if entry is not None and entry.writes:
            run.writes_into(receiver)
            run.effects.touched |= receiver.memory
            run.host.host_uses |= receiver.origin
            run.constraints.blocks[node] = (
                "NJ202",
                f"`.{name}()` updates an array in place, but not a list or a jax.Array: the type of its object is unknown",
            )
    if (drawn := draws.method_call(run, env, node, func, receiver)) is not None:
        return drawn
    if receiver.kind in (Kind.UNKNOWN, Kind.OBJECT) and receiver.name.partition(".")[0] not in calls.READERS:
        run.call_graph.unresolved.add(name)
        run.call_graph.blind[node] = name
        if name in ("append", "add", "put", "insert", "extend", "setdefault", "update", "push", "appendleft"):
            key = path_of(func.value)
            if key is not None and key in env:
                env[key] = replace(env[key], memory=env[key].memory.union(*(v.memory for v in arguments.values())))
            elif key is not None:
                env[key] = Value(Kind.UNKNOWN, memory=frozenset({"?"}).union(*(v.memory for v in arguments.values())))
    if (key := path_of(func.value)) is not None:
        drop_paths(env, key)
    if receiver.kind in (Kind.UNKNOWN, Kind.OBJECT) and receiver.name.partition(".")[0] not in calls.READERS:
        run.effects.touched |= {m for m in receiver.memory if m.startswith("global:")}
    if (
        receiver.kind is Kind.UNKNOWN
        and not receiver.name
        and numpy_table.method(name) is not None
        and name not in ("get", "pop", "update")
    ):
        run.constraints.impure[node] = f"the object of `.{name}()` is not known"
        memory = receiver.memory | new_memory(run, env, node)
        deps = dependencies(arguments) | receiver.deps
        return Value(Kind.UNKNOWN, deps=deps, traced=True, memory=memory, copied=name == "copy")
    return calls.unknown(
        run,
        env,
        node,
        Value(name=receiver.name and f"{receiver.name}.{name}", memory=receiver.memory, deps=receiver.deps),
        arguments,
    )


def array_method(run: Run, env: Env, node: cst.Call, func: cst.Attribute, receiver: Value, arguments: Arguments) -> Value:
    name = func.attr.value
    entry = numpy_table.method(name)
    if entry is None:
        run.constraints.blocks[node] = ("NJ101", f"the method `.{name}()` of an array is not supported by np2jax")
        return calls.unknown(run, env, node, Value(memory=receiver.memory, deps=receiver.deps), arguments)
    if entry.verdict is Verdict.REFUSED:
        run.constraints.blocks[node] = ("NJ102", f"the method `.{name}()` has no equivalent in JAX: {entry.reason}")
    if entry.writes and immutable(receiver):
        return Value(Kind.UNKNOWN, deps=receiver.deps, traced=True)  # returns a copy, or does not exist
    if entry.writes:
        in_place_updates.written_argument(run, env, node, func.value, receiver)
        if name == "resize" and (location := path_of(func.value)) in env:
            env[location] = replace(env[location], rank=-1, shape="")
            forget_views(env, location)
    if name == "item" and not node.args and scalar_casts.only_item(run, node, receiver):
        return Value(Kind.SCALAR, python_type(receiver.dtype), 0, receiver.deps, True, name=PYTHON)
    if entry.verdict is Verdict.HOST or name in ("item", "tolist"):
        run.constraints.impure[node] = f"`.{name}()` brings values to the host"
        need(run, node, replace(receiver, traced=True), "it becomes a Python value")
    if not entry.jit:
        run.constraints.impure[node] = f"{SHAPE_OF}`.{name}()`'s result depends on values"
    if name in ("item",):
        return Value(Kind.SCALAR, python_type(receiver.dtype), 0, receiver.deps, True)
    if name == "tolist":
        return Value(Kind.LIST, deps=receiver.deps, traced=True)
    if name == "reshape":
        sizes = [v for _n, v in arguments.positional]
        for expression, value in arguments.positional:
            need(run, expression, value, "it sets a shape")
        rank = (
            len(sizes)
            if len(sizes) > 1
            else (
                len(sizes[0].elements)
                if sizes and sizes[0].elements is not None
                else 1
                if sizes and sizes[0].kind is Kind.SCALAR
                else -1
            )
        )
        fixed = steady(run, [a.value for a in node.args])
        view = viewed(receiver, node, fixed) if fixed is not None else None
        return replace(receiver, rank=rank, holds="", view=view, elements=None, shape="")
    value = numpy_calls.table_call(run, env, node, "ndarray." + name, entry, arguments, receiver)
    if name == "astype" and arguments.positional:
        asked = arguments.positional[0]
        value = replace(value, dtype=dtype_of(asked[0], asked[1]), rank=receiver.rank)
    if name == "copy":
        value = replace(value, dtype=receiver.dtype, rank=receiver.rank)
    elif not receiver.device:  # the receiver may be a NumPy array; a copy becomes a JAX array
        value = replace(value, device=False)
    return replace(value, deps=value.deps | receiver.deps)


def _container_method(run: Run, env: Env, node: cst.Call, func: cst.Attribute, receiver: Value, arguments: Arguments) -> Value:
    name = func.attr.value
    key = path_of(func.value)
    added = NOTHING.union(*(v.memory for v in arguments.values()))
    if name == "extend" and arguments.positional:
        unpacked(run, node, arguments.positional[0][0])
    if receiver.kind is Kind.DICT and name in ("get", "pop", "setdefault") and arguments.positional:
        need(run, *arguments.positional[0], KEY)
    if name in ("append", "extend", "insert", "add", "update", "setdefault", "__setitem__"):
        if key is not None:
            deps = receiver.deps | dependencies(arguments)
            twice = any(shared_elements.may_be_array(v) and v.memory and v.memory <= receiver.memory for v in arguments.values())
            if twice or (name == "update" and added & receiver.memory):
                added |= {f"{SHARED}{key}"}  # it occurs in the container twice
            env[key] = replace(
                receiver,
                memory=receiver.memory | added,
                elements=None,
                deps=deps,
                traced=receiver.traced or any_traced(arguments),
                dtype="",
                nested=receiver.nested or (name in ("append", "insert") and any(v.kind in SEQUENCES for v in arguments.values())),
            )
        else:
            run.escape(env, *arguments.values())
        in_place_updates.container_changed(run, env, func, key, receiver, *arguments.values())
    elif in_place_updates.may_change(receiver, name):
        if key is not None and key in env:
            env[key] = replace(receiver, elements=None)
        in_place_updates.container_changed(run, env, func, key, receiver)
    if receiver.kind is Kind.STRING:
        for value in arguments.values():
            need(run, func, value, TEXT)
        return Value(Kind.STRING)
    if name in ("items", "values", "keys", "popitem"):
        dict_order.goes_through(run, node, (receiver,))
    if name == "copy":
        return replace(receiver, view=None, holds="", elements=None, copied=True)
    if name in ("items", "values"):
        return replace(receiver, kind=Kind.OBJECT, view=None, holds="", elements=None)
    if name in ("index", "count"):
        need(run, node, subscripts.part_of(receiver, receiver), "Python compares its items")
        return scalar("int", receiver.deps, receiver.traced)
    return Value(
        Kind.UNKNOWN, deps=receiver.deps | dependencies(arguments), traced=receiver.traced, memory=receiver.memory | added
    )
