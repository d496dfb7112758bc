"""Binding the targets of assignments: names, tuples, items, attributes."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value, View, replace
from ....rules.syntax import source_text
from ..branches import conditions
from ..effects import in_place_updates, shape_assignment
from ..loops.unpacked_items import unpacked
from ..state.access_paths import path_of
from ..state.evaluation import evaluate, need
from ..state.interpreter_state import Run
from ..state.lattice import Env, join
from ..state.memory import bind
from ..state.views import read_through, viewed
from . import builtin_calls, special_methods, subscripts


def assign(
    run: Run, env: Env, target: cst.BaseExpression, value: Value, node: cst.CSTNode, source: cst.BaseExpression | None = None
) -> None:
    """Bind a target of any kind to a value. `source`: the expression that has this value."""
    match target:
        case cst.Name(value=name):
            held = read_through(value, path_of(source) if source is not None else None)
            hint = run.unit.evidence.get(name)
            if held.kind is Kind.UNKNOWN and hint is not None:
                rank = hint.rank if hint.kind is Kind.SCALAR and held.rank < 0 else held.rank
                held = replace(held, kind=hint.kind, dtype=held.dtype or hint.dtype, rank=rank)
            if run.flow.depth == 0 and name not in run.unit.local:  # global or nonlocal
                run.constraints.impure[node] = f"it binds `{name}` outside of itself"
            bind(run, env, name, held, node)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            _unpack(run, env, elements, value, node, source)
        case cst.StarredElement(value=inner):
            assign(run, env, inner, Value(Kind.LIST, deps=value.deps, traced=value.traced, memory=value.memory), node)
        case cst.Subscript(value=base):
            owner = evaluate(run, env, base)
            if subscripts.is_number(run, env, target, owner) and source is not None:
                conditions.learn(run, source)
            subscripts.learn_array(run, target, owner)
            if special_methods.stored(run, env, target, owner, value):
                return
            in_place_updates.subscript_store(run, env, node, target, value, value)
        case cst.Attribute():
            _assign_attribute(run, env, target, value, node, source)


def _unpack(
    run: Run, env: Env, elements: Sequence[cst.BaseElement], value: Value, node: cst.CSTNode, source: cst.BaseExpression | None
) -> None:
    starred = any(isinstance(e, cst.StarredElement) for e in elements)
    bound = _paths(elements)
    if isinstance(source, (cst.Tuple, cst.List)) and len(source.elements) == len(elements) and not starred:
        for element, right in zip(elements, source.elements, strict=True):
            item = read_through(run.values.get(right.value, UNKNOWN), path_of(right.value))
            assign(run, env, element.value, replace(item, view=_still(item.view, bound)), node)
        return
    if starred and source is not None:
        unpacked(run, node, source)
    changes = [e for e in elements if isinstance(e.value, cst.Subscript) and _in_memory_of(run, env, e.value, value)]
    if changes and value.rank != 1 and (len(changes) > 1 or changes[0] is not elements[-1]):
        run.constraints.blocks[node] = (
            "NJ203",
            f"`{source_text.code(changes[0].value)}` is stored into the array that is being unpacked",
        )
    again = isinstance(node, cst.Assign) and len(node.targets) > 1  # a, b = P = ...
    held = again or any(other.memory & value.memory for other in env.values())
    alone = not held and all(m.startswith("new:") for m in value.memory) and value.view is None
    whole = None if again or source is None else read_through(value, path_of(source))
    for position, element in enumerate(elements):
        view = None
        if value.kind is Kind.DICT:
            item = replace(UNKNOWN, deps=value.deps)  # a key
        elif value.elements is not None and not starred and len(value.elements) == len(elements):
            item = value.elements[position]
        else:
            item = builtin_calls.item_of(run, env, value)
            if value.kind is Kind.ARRAY and not starred and alone:
                # rows of an array without aliases: disjoint memory
                item = replace(item, memory=frozenset(f"{m}.{position}" for m in value.memory))
            elif value.kind is Kind.ARRAY and not starred and whole is not None and source is not None:
                row = cst.Subscript(source, [cst.SubscriptElement(cst.Index(cst.Integer(str(position))))])
                view = _still(viewed(whole, row), bound)
                item = replace(item, item=True) if view is not None and item.rank < 0 else item
        assign(run, env, element.value, replace(item, view=view), node)


def _still(view: View | None, bound: set[str]) -> View | None:
    """A view, or None if it refers to what a name was bound to before the targets were bound."""
    lost = view is not None and any(_inside(name, bound) for name in (view.base, *view.names))
    return None if lost else view


def _in_memory_of(run: Run, env: Env, target: cst.Subscript, value: Value) -> bool:
    """Whether a store writes into the array that is being unpacked."""
    return value.kind is Kind.ARRAY and bool(evaluate(run, env, target.value).memory & value.memory)


def _paths(elements: Sequence[cst.BaseElement]) -> set[str]:
    """The access paths that a tuple of targets binds."""
    found = set()
    for element in elements:
        if isinstance(element.value, (cst.Tuple, cst.List)):
            found |= _paths(element.value.elements)
        elif (path := path_of(element.value)) is not None:
            found.add(path)
    return found


def _inside(path: str, bound: set[str]) -> bool:
    return any(path == bound_path or path.startswith((bound_path + ".", bound_path + "[")) for bound_path in bound)


def _assign_attribute(
    run: Run, env: Env, target: cst.Attribute, value: Value, node: cst.CSTNode, source: cst.BaseExpression | None
) -> None:
    base = evaluate(run, env, target.value)
    attr = target.attr.value
    key = path_of(target)
    if special_methods.method(run, env, target.attr, f"{attr}@setter", target.value, base, [(target, value)]):
        return
    if base.kind is Kind.ARRAY and attr in ("shape", "real", "imag", "T", "flat", "dtype", "strides"):
        if attr in ("dtype", "strides"):
            run.constraints.blocks[node] = ("NJ211", f"`.{attr}` of an array is assigned")
            return
        if attr == "shape":
            need(run, target, value, "it sets a shape")
            shape_assignment.assign_shape(run, env, node, target, value)
        else:
            in_place_updates.record(run, env, node, target.value, (target,), read_through(base, path_of(target.value)))
        return
    if base.kind is Kind.UNKNOWN and attr == "shape":
        run.constraints.blocks[node] = (
            "NJ202",
            f"np2jax cannot tell whether `{source_text.code(target.value)}`, whose shape is assigned, is an array",
        )
    store = f"{base.name}.{attr}" if base.kind in (Kind.OBJECT, Kind.CLASS) and base.name else f"?.{attr}"
    if key is not None and key.startswith(run.unit.self_name + ".") and run.unit.self_name:
        run.constraints.impure[node] = f"it binds `{key}`"
        if key.count(".") == 1:
            run.attributes.attrs[attr] = value if attr not in run.attributes.attrs else join(run.attributes.attrs[attr], value)
        else:
            run.store(store, value)
        memory = value.memory
        if run.unit.cls and key.count(".") == 1 and value.kind in (Kind.ARRAY, Kind.UNKNOWN):
            memory = memory | {f"attr:{run.facts.root(run.unit.cls)}.{attr}"}
        held = read_through(replace(value, memory=memory), path_of(source) if source is not None else None)
        bind(run, env, key, held, node)
        return
    run.constraints.impure[node] = f"it binds `{source_text.code(target)}`"
    run.escape(env, value)
    run.host.host_uses |= value.origin  # code left as NumPy may change the attribute in place, which needs a NumPy array
    if base.kind is Kind.MODULE:
        run.effects.touched.add(f"global:{base.name}.{attr}")
    run.store(store, value)
    if key is not None:
        bind(run, env, key, read_through(value, path_of(source) if source is not None else None), node)
        root = key.partition(".")[0]
        if root in env:
            env[root] = replace(env[root], memory=env[root].memory | value.memory)
