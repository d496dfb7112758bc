"""In-place changes of arrays: which variable must be rebound, and whether anything else would notice."""

from __future__ import annotations

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.updates import Update
from ....rules.facts.values import NOTHING, UNKNOWN, Value, covers, may_be_mask, replace
from ....rules.syntax.source_text import code
from ..inference.numpy_scalars import may_be_number
from ..state.access_paths import path_of
from ..state.evaluation import KEY, need
from ..state.index_expressions import effects, inner
from ..state.interpreter_state import Run
from ..state.lattice import Env, parameters_in
from ..state.node_facts import MASKED
from ..state.project_facts import SHARED
from ..state.views import read_through
from . import aliases
from .later_reads import is_live, read_then
from .local_lists import stays_local
from .shared_elements import may_be_array, same_twice
from .update_targets import locate, problem

LOOKING = frozenset(
    "copy count get index items keys values __contains__ __getitem__ __iter__ __len__ __reversed__".split()
)  # methods of lists and dicts that change nothing


def written_argument(
    run: Run, env: Env, node: cst.CSTNode, expression: cst.BaseExpression, value: Value, parameter: str = ""
) -> None:
    """Record that a call changes an argument, an array, in place."""
    if value.kind is Kind.SCALAR and not parameter:
        run.constraints.blocks[node] = ("NJ202", f"`{code(expression)}`, which is changed in place, looks like a number")
    if value.kind in (Kind.SCALAR, Kind.NONE, Kind.STRING, Kind.DTYPE):
        return
    if value.kind is Kind.UNKNOWN and not parameter and isinstance(expression, (cst.Name, cst.Attribute)):
        value = replace(value, kind=Kind.ARRAY)  # NumPy writes only into arrays
    record(run, env, node, expression, (), value, expression)


def subscript_store(run: Run, env: Env, node: cst.CSTNode, target: cst.Subscript, stored: Value, assigned: Value) -> None:
    """Record `x[i] = v` or `x[i] op= v`. `stored`: the new value of the element; `assigned`: the right-hand side."""
    base = run.values.get(target.value, UNKNOWN)
    key = path_of(target.value)
    if base.kind is Kind.UNKNOWN and isinstance(node, cst.AugAssign) and assigned.kind is Kind.ARRAY and len(target.slice) > 1:
        base = replace(base, kind=Kind.ARRAY)  # an array is stored in a part of it
    if base.kind is Kind.ARRAY and not isinstance(node, (cst.Assign, cst.AugAssign)):
        run.writes_into(base)
        run.effects.touched |= base.memory
        run.constraints.blocks[node] = ("NJ212", f"`{code(target)}` is bound by a statement other than an assignment")
    elif base.kind is Kind.ARRAY:
        record(run, env, node, target.value, (target,), read_through(base, key))
        for part in target.slice:
            mask = run.values.get(part.slice.value, UNKNOWN) if isinstance(part.slice, cst.Index) else UNKNOWN
            bools = category(mask.dtype) == 0 or (mask.kind is Kind.ARRAY and may_be_mask(mask))
            if (
                mask.kind in (Kind.ARRAY, Kind.UNKNOWN)
                and bools
                and not (mask.dtype and where_able(run.effects.updates[node], base, mask, assigned))
            ):
                run.constraints.impure[node] = MASKED
    elif base.kind in (Kind.LIST, Kind.DICT, Kind.TUPLE, Kind.OBJECT, Kind.STRING) or _string_key(target):
        if base.kind is Kind.DICT:
            for part in target.slice:
                if isinstance(part.slice, cst.Index):
                    need(run, part, run.values.get(part.slice.value, UNKNOWN), KEY)
        if key is not None:
            current = env.get(key, base)
            elements = (*current.elements, stored) if current.kind is Kind.DICT and current.elements is not None else None
            twice = (
                frozenset({f"{SHARED}{key}"})
                if may_be_array(stored) and stored.memory and stored.memory <= current.memory
                else NOTHING
            )
            env[key] = replace(
                current,
                memory=current.memory | stored.memory | twice,
                elements=elements,
                deps=current.deps | stored.deps,
                traced=current.traced or stored.traced,
                dtype="",
            )
        else:
            run.escape(env, stored)
        container_changed(run, env, node, key, base, stored)
    else:
        run.writes_into(base)
        run.host.host_uses |= base.origin
        run.effects.touched |= base.memory
        shown = cst.Module([]).code_for_node(target.value)
        run.constraints.blocks[node] = ("NJ202", f"np2jax cannot tell whether `{shown}`, which is changed in place, is an array")


def where_able(found: list[Update], base: Value, mask: Value, assigned: Value) -> bool:
    """Whether a masked update can be a `jnp.where`: the value is a scalar, and the mask has the shape of the array, or is one truth
    value."""
    return assigned.kind is Kind.SCALAR and (mask.rank == 0 or covers(mask, base)) and all(len(u.steps) == 1 for u in found)


def container_changed(run: Run, env: Env, node: cst.CSTNode, key: str | None, container: Value, *stored: Value) -> None:
    """Record that the contents of a list, a dict or an object change: its aliases see that, and reach the values stored in it."""
    own = container.fresh and key is not None and stays_local(run, key)  # its memory is that of its items, which stay as they are
    outside = {m for m in container.memory if not (own or m.startswith(("new:", "old:")))}
    if not (container.fresh and run.flow.depth == 0) and (outside or key is None or not container.memory):
        run.constraints.impure[node] = "it changes a container"
    if outside:
        run.escape(env, *(without_new(v) if container.holds else v for v in stored))
        run.effects.touched |= {m for m in outside if m.startswith(("global:", "attr:"))}
    if key is not None and run.name.endswith(".<module>"):
        run.effects.touched.add(f"global:{run.source.name}.{key.partition('.')[0]}")


def may_change(container: Value, method: str) -> bool:
    """Whether a method of a list or a dict may change its contents."""
    return container.kind in (Kind.LIST, Kind.DICT) and method not in LOOKING


def without_new(value: Value) -> Value:
    """A value stored in a caller's container, without the memory allocated here, which is reached only through the container."""
    return replace(value, memory=frozenset(m for m in value.memory if not m.startswith(("new:", "old:"))))


def item_rebound(
    run: Run, env: Env, node: cst.CSTNode, target: cst.Subscript, container: Value, before: Value, sure: bool
) -> None:
    """Record `d[k] += v` where `d[k]` may be an array: NumPy changes the array, JAX rebinds the item. An alias of it blocks this.

    Unless it is `sure` to be an array, only what was stored in a container that the function made itself blocks this.
    """
    if not sure and before.number and before.rank == 0:
        return
    own = path_of(target.value)
    made = container.fresh or container.copied
    if same_twice(container) and sure:
        block(run, node, f"an array may be in `{own}` more than once, so that not only `{code(target)}` changes", before)
        return
    for token in sorted(before.memory):
        if token.startswith("param:") and token in container.memory and container.holds == token[6:]:
            run.effects.touched.add(token)
            run.effects.items.add(token)  # items of the caller's container are rebound; its aliases are checked at the call
        elif (sure or made) and not token.startswith(("new:", "old:")):
            block(run, node, f"the array in `{code(target)}` may have another owner", before)
            return
    for other, current in env.items():
        if (
            other != own
            and not other.startswith(("!", "<iter"))
            and current.memory & before.memory
            and is_live(run, other)
            and current.kind is not Kind.SCALAR
            and (
                sure or current.kind is Kind.ARRAY or (made and current.kind in (Kind.UNKNOWN, Kind.LIST, Kind.DICT, Kind.TUPLE))
            )
        ):
            block(run, node, f"`{other}` may share memory with `{code(target)}`, which is changed in place", before)
            return


def block(run: Run, node: cst.CSTNode, why: str, changed: Value) -> None:
    run.writes_into(changed)
    run.effects.touched |= changed.memory
    run.constraints.blocks[node] = ("NJ203", why)


def _string_key(target: cst.Subscript) -> bool:
    match target.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() | cst.FormattedString() | cst.ConcatenatedString()))]:
            return True
    return False


def record(
    run: Run,
    env: Env,
    node: cst.CSTNode,
    base: cst.BaseExpression,
    steps: tuple[cst.BaseExpression, ...],
    value: Value,
    argument: cst.BaseExpression | None = None,
) -> None:
    """Find the access path that a write through `base` reaches, and the aliases of its memory."""
    run.writes_into(value)
    if node not in run.call_graph.calls:  # project_calls knows whether the statement binds it again
        run.host.host_uses |= value.origin
    run.effects.write(value.memory, node)
    number = not steps and type(node) is cst.AugAssign and may_be_number(run, value)
    update = replace(locate(run, env, node, base, steps, value), argument=argument, number=number)
    if not update.problem and (why := evaluated_otherwise(run, node, update)):
        update = problem(node, why, "NJ203", value)
    if update.problem:
        run.effects.mutated_aliased |= value.memory
    found = run.effects.updates.setdefault(node, [])
    for position, other in enumerate(found):
        same = other.argument is argument if argument is not None else other.steps[-1:] == update.steps[-1:]
        if same:
            found[position] = update
            break
    else:
        found.append(update)
    changed = parameters_in(value.memory)
    if value.memory:
        seen = read_then(run, env, node)
        inside = path_of(base) or ""
        aliases.note_changed(run, value.memory | {f"attr:?.{inside.rpartition('.')[2]}"} if "." in inside else value.memory, seen)
        run.effects.read_later |= {(c, p) for c in changed for p in parameters_in(seen)}
    path = env.get(update.access_path)
    if update.access_path and not update.problem:
        if path is not None:
            device = True
            if isinstance(node, cst.AugAssign) and not update.steps:  # x = x + y: on the host if both operands are
                device = path.device or run.values.get(node.value, UNKNOWN).device
            env[update.access_path] = replace(path, kind=Kind.ARRAY, device=device, traced=True, elements=None)
        if update.param:
            env["!" + update.param] = UNKNOWN


def evaluated_otherwise(run: Run, node: cst.CSTNode, update: Update) -> str:
    """Why the indices must not be evaluated twice, or before the value; "" if they may be."""
    found = effects(run, [i for step in update.steps for i in inner(step)])
    if not found:
        return ""
    once = isinstance(node, cst.Assign) and len(node.targets) == 1 and len(update.steps) == 1 and ":=" not in found
    if once and isinstance(node, cst.Assign) and isinstance(node.value, (cst.Name, cst.Integer, cst.Float)):
        return ""
    return f"`{found}` in an index would be evaluated more than once, or in another order"
