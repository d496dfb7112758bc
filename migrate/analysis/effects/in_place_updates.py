"""Changes of arrays in place: which variable must be bound again, and whether anything else would notice."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.updates import Update
from ....rules.facts.values import NOTHING, UNKNOWN, Value, View, covers, may_be_mask, replace
from ....rules.numpy_table.entry import Memory
from ....rules.syntax.tree import children
from ..inference.numpy_scalars import may_be_number
from ..state.access_paths import path_of
from ..state.evaluation import KEY, need
from ..state.index_expressions import effects, has_slice, inner
from ..state.interpreter_state import Run
from ..state.lattice import Env, parameters_in
from ..state.node_facts import MASKED
from ..state.project_facts import SHARED
from ..state.views import with_place
from . import aliases

VIEW_FUNCTIONS = ("numpy.transpose", "numpy.swapaxes", "numpy.squeeze", "numpy.reshape", "numpy.ravel")
LOOKING = frozenset(
    "copy count get index items keys values __contains__ __getitem__ __iter__ __len__ __reversed__".split()
)  # the methods of lists and dicts that change nothing
VIEW_METHODS = ("reshape", "ravel", "transpose", "swapaxes", "squeeze", "view")


def written_argument(
    run: Run, env: Env, node: cst.CSTNode, expression: cst.BaseExpression, value: Value, parameter: str = ""
) -> None:
    """A call changes the array that this argument is."""
    if value.kind is Kind.SCALAR and not parameter:
        run.constraints.blocks[node] = ("NJ202", f"`{code(expression)}`, which is changed in place, looks like a number")
    if value.kind in (Kind.SCALAR, Kind.NONE, Kind.STRING, Kind.DTYPE):
        return
    if value.kind is Kind.UNKNOWN and not parameter and isinstance(expression, (cst.Name, cst.Attribute)):
        value = replace(value, kind=Kind.ARRAY)  # NumPy writes into arrays only
    record(run, env, node, expression, (), value, expression)


def subscript_store(run: Run, env: Env, node: cst.CSTNode, target: cst.Subscript, stored: Value, given: Value) -> None:
    """`x[i] = v` and `x[i] op= v`."""
    base = run.values.get(target.value, UNKNOWN)
    key = path_of(target.value)
    if base.kind is Kind.UNKNOWN and isinstance(node, cst.AugAssign) and given.kind is Kind.ARRAY and len(target.slice) > 1:
        base = replace(base, kind=Kind.ARRAY)  # an array is put into a part of it
    if base.kind is Kind.ARRAY and not isinstance(node, (cst.Assign, cst.AugAssign)):
        run.writes_into(base)
        run.effects.touched |= base.memory
        run.constraints.blocks[node] = ("NJ212", f"`{code(target)}` is bound by a statement other than an assignment")
    elif base.kind is Kind.ARRAY:
        record(run, env, node, target.value, (target,), with_place(base, key))
        for part in target.slice:
            mask = run.values.get(part.slice.value, UNKNOWN) if isinstance(part.slice, cst.Index) else UNKNOWN
            bools = category(mask.dtype) == 0 or (mask.kind is Kind.ARRAY and may_be_mask(mask))
            if (
                mask.kind in (Kind.ARRAY, Kind.UNKNOWN)
                and bools
                and not (mask.dtype and where_able(run.effects.updates[node], base, mask, given))
            ):
                run.constraints.impure[node] = MASKED
    elif base.kind in (Kind.LIST, Kind.DICT, Kind.TUPLE, Kind.OBJECT, Kind.STRING) or _string_key(target):
        if base.kind is Kind.DICT:
            for part in target.slice:
                if isinstance(part.slice, cst.Index):
                    need(run, part, run.values.get(part.slice.value, UNKNOWN), KEY)
        if key is not None:
            held = env.get(key, base)
            elements = (*held.elements, stored) if held.kind is Kind.DICT and held.elements is not None else None
            twice = (
                frozenset({f"{SHARED}{key}"})
                if held_apart(stored) and stored.memory and stored.memory <= held.memory
                else NOTHING
            )
            env[key] = replace(
                held,
                memory=held.memory | stored.memory | twice,
                elements=elements,
                deps=held.deps | stored.deps,
                traced=held.traced or stored.traced,
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


def where_able(found: list[Update], base: Value, mask: Value, given: Value) -> bool:
    """Whether a change through a mask is a `jnp.where`: one number, a mask of the array's own shape."""
    return given.kind is Kind.SCALAR and covers(mask, base) and all(len(u.steps) == 1 for u in found)


def container_changed(run: Run, env: Env, node: cst.CSTNode, key: str | None, container: Value, *stored: Value) -> None:
    """A list, a dict or an object gets other contents: those who hold it see them, and hold what is put into it."""
    outside = {m for m in container.memory if not m.startswith(("new:", "old:"))}
    if not (container.fresh and run.flow.depth == 0) and (outside or key is None or not container.memory):
        run.constraints.impure[node] = "it changes a container"
    if outside:
        run.escape(env, *(without_new(v) if container.holds else v for v in stored))
        run.effects.touched |= {m for m in outside if m.startswith(("global:", "attr:"))}
    if key is not None and run.name.endswith(".<module>"):
        run.effects.touched.add(f"global:{run.source.name}.{key.partition('.')[0]}")


def may_change(container: Value, method: str) -> bool:
    """Whether a method of a list or a dict may give it other contents."""
    return container.kind in (Kind.LIST, Kind.DICT) and method not in LOOKING


def without_new(value: Value) -> Value:
    """What is put into a caller's container, but for what was made here: nobody has that, but through the container."""
    return replace(value, memory=frozenset(m for m in value.memory if not m.startswith(("new:", "old:"))))


def item_rebound(
    run: Run, env: Env, node: cst.CSTNode, target: cst.Subscript, container: Value, before: Value, sure: bool
) -> None:
    """`d[k] += v` where d[k] may be an array: NumPy changes the array itself, JAX binds the item. Who else holds the array?

    Where it is not `sure` that it is one, only what was put into a container of the function's own stands against it.
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
            run.effects.items.add(token)  # the caller's container: its items are bound anew; the callers look whether that is all
        elif (sure or made) and not token.startswith(("new:", "old:")):
            block(run, node, f"the array in `{code(target)}` may have another owner", before)
            return
    for other, held in env.items():
        if (
            other != own
            and not other.startswith(("!", "<iter"))
            and held.memory & before.memory
            and is_live(run, other)
            and held.kind is not Kind.SCALAR
            and (sure or held.kind is Kind.ARRAY or (made and held.kind in (Kind.UNKNOWN, Kind.LIST, Kind.DICT, Kind.TUPLE)))
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
    """Find the place that a write through `base` reaches, and whoever shares its memory."""
    run.writes_into(value)
    run.host.host_uses |= value.origin
    run.effects.touched |= value.memory
    number = not steps and type(node) is cst.AugAssign and may_be_number(run, value)
    update = replace(locate(run, env, node, base, steps, value), argument=argument, number=number)
    if not update.problem and (why := evaluated_otherwise(run, node, update)):
        update = problem(node, why, "NJ203", value)
    if update.problem:
        run.effects.touched_held |= value.memory
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
    place = env.get(update.place)
    if update.place and not update.problem:
        if place is not None:
            device = True
            if isinstance(node, cst.AugAssign) and not update.steps:  # x = x + y: NumPy's where both are
                device = place.device or run.values.get(node.value, UNKNOWN).device
            env[update.place] = replace(place, kind=Kind.ARRAY, device=device, traced=True, elements=None)
        if update.param:
            env["!" + update.param] = UNKNOWN


def evaluated_otherwise(run: Run, node: cst.CSTNode, update: Update) -> str:
    """Why the indices may not be evaluated twice, or before the value; "" when they may."""
    found = effects(run, [i for step in update.steps for i in inner(step)])
    if not found:
        return ""
    once = isinstance(node, cst.Assign) and len(node.targets) == 1 and len(update.steps) == 1 and ":=" not in found
    if once and isinstance(node, cst.Assign) and isinstance(node.value, (cst.Name, cst.Integer, cst.Float)):
        return ""
    return f"`{found}` in an index would be evaluated more than once, or in another order"


def locate(
    run: Run, env: Env, node: cst.CSTNode, base: cst.BaseExpression, steps: tuple[cst.BaseExpression, ...], value: Value
) -> Update:
    chain: list[cst.BaseExpression] = []
    root: cst.BaseExpression = base
    while True:
        key = path_of(root)
        held = run.values.get(root, UNKNOWN)
        if key is not None and (key in env or isinstance(root, cst.Name)):
            break
        if isinstance(root, cst.Subscript):
            inner = run.values.get(root.value, UNKNOWN)
            if inner.kind is Kind.ARRAY:
                if held.view is None and not (held.memory & inner.memory):
                    return problem(node, f"`{code(root)}` is a copy, so NumPy loses this change", "NJ205", value)
                if not (inner.memory and held.memory <= inner.memory):
                    return problem(node, f"`{code(root)}` may be a copy or a view", "NJ203", value)
                chain.append(root)
                root = root.value
                continue
            if inner.kind in (Kind.DICT, Kind.LIST) and simple(root):
                return item_place(run, env, node, root, (*reversed(chain), *steps), held, value)
            return problem(node, f"np2jax cannot tell what `{code(root)}` is", "NJ202", value)
        if isinstance(root, cst.Attribute) and root.attr.value in ("T", "real", "imag", "flat", "mT"):
            inner = run.values.get(root.value, UNKNOWN)
            if inner.kind is Kind.ARRAY:
                chain.append(root)
                root = root.value
                continue
        if isinstance(root, cst.Call) and isinstance(root.func, cst.Attribute) and root.func.attr.value in VIEW_METHODS:
            inner = run.values.get(root.func.value, UNKNOWN)
            if inner.kind is Kind.ARRAY:
                chain.append(root)
                root = root.func.value
                continue
        if isinstance(root, cst.Call) and run.scopes.qualname(root.func) in VIEW_FUNCTIONS and root.args:
            inner = run.values.get(root.args[0].value, UNKNOWN)
            if inner.kind is Kind.ARRAY and root.args[0].keyword is None and not root.args[0].star:
                chain.append(root)
                root = root.args[0].value
                continue
        call = isinstance(node, cst.Call)
        if call and value.memory and all(m.startswith("new:") for m in value.memory) and not _shared(env, value, run, "", node):
            return Update(node, "", None, (), value)  # a temporary: nobody sees the change
        return problem(node, f"the array that `{code(root)}` returns is changed in place, but has no name", "NJ203", value)
    key = path_of(root)
    assert key is not None
    held = env.get(key) or run.values.get(root, value)
    full = (*reversed(chain), *steps)
    target = root
    place_value = held
    written = key
    if held.view is not None and held.view.base != key and only_name(run, env, key, held):
        place_value = env[key] = replace(held, view=None)
    elif held.view is not None and held.view.base != key:
        base_value = env.get(held.view.base)
        if base_value is None:
            return problem(node, f"`{key}` is a view of an array that no longer has a name", "NJ203", value)
        full = (*held.view.steps, *full)
        target = parse_path(held.view.base)
        key, place_value = held.view.base, base_value
    if isinstance(node, cst.AugAssign) and not full_of_items(run, held, full, steps):
        return problem(node, f"np2jax cannot tell whether `{code(base)}` is a number or a row of an array", "NJ203", value)
    if why := parts_of_complex(full, place_value):
        return problem(node, why, "NJ203", value)
    for step in full:
        if why := not_a_view(run, step, last=step is full[-1]):
            return problem(node, why, "NJ203", value)
    return check(run, env, node, key, target, full, place_value, written)


def only_name(run: Run, env: Env, key: str, held: Value) -> bool:
    """Whether a variable is the only one through which an array that was made here, or the part of one that it is a view of, is
    read from now on."""
    made_here = bool(held.memory) and all(m.startswith(("new:", "old:")) for m in held.memory)
    if held.view is None or not key.isidentifier() or not made_here:
        return False
    return not any(other != key and value.memory & held.memory and is_live(run, other) for other, value in env.items())


def not_a_view(run: Run, step: cst.BaseExpression, last: bool) -> str:
    """Why a write through this step does not certainly reach the base, "" when it does."""
    if isinstance(step, cst.Call) and isinstance(step.func, cst.Attribute):
        name = step.func.attr.value
        entry = numpy_table.method(name)
        if name == "transpose" and not literal_axes(run, step):
            return f"the axes of `{code(step)}` are not written out"
        if name in ("reshape", "ravel", "view", "transpose", "swapaxes", "squeeze") and entry is not None:
            return (
                ""
                if entry.memory is Memory.VIEW or name in ("transpose", "swapaxes", "squeeze")
                else f"`.{name}()` may be a copy or a view"
            )
        return f"`{code(step)}` may be a copy"
    if isinstance(step, cst.Call):
        return f"`{code(step)}` may be a copy or a view"
    return ""


def literal_axes(run: Run, step: cst.Call) -> bool:
    """Whether the axes of a transpose are numbers in the source, none of them negative, so that it can be undone."""
    arguments = [a.value for a in step.args]
    if (run.scopes.qualname(step.func) or "").startswith("numpy."):
        arguments = arguments[1:]
    if len(arguments) == 1 and isinstance(arguments[0], (cst.Tuple, cst.List)):
        arguments = [e.value for e in arguments[0].elements]
    return all(isinstance(a, cst.Integer) for a in arguments)


def parts_of_complex(steps: tuple[cst.BaseExpression, ...], place: Value) -> str:
    """Why the real or the imaginary part cannot be written, "" when it can."""
    names = {s.attr.value for s in steps if isinstance(s, cst.Attribute)} & {"real", "imag"}
    if not names or category(place.dtype) == 3 or (names == {"real"} and category(place.dtype) >= 0):
        return ""
    return "np2jax cannot tell whether the array that is updated is complex"


def item_place(
    run: Run, env: Env, node: cst.CSTNode, root: cst.Subscript, steps: tuple[cst.BaseExpression, ...], held: Value, value: Value
) -> Update:
    """An array in a dict or a list: the item is bound again."""
    key = code(root)
    container = path_of(root.value)
    if container is None:
        return problem(node, f"`{key}` is not a plain variable, attribute or element", "NJ203", value)
    owner = env.get(container, UNKNOWN)
    if why := held_elsewhere(run, key, container, owner):
        return problem(node, why, "NJ203", value)
    for name, other in env.items():
        if name == container or name.startswith("!") or other.kind is Kind.SCALAR:
            continue
        if other.memory & owner.memory and is_read(run, node, name):
            return problem(node, f"`{name}` may share memory with `{key}`", "NJ203", value)
    outside = {m for m in owner.memory if not m.startswith(("new:", "old:"))}
    if outside:
        run.constraints.impure[node] = "it changes a container"
        run.effects.items |= {m for m in outside if m.startswith("param:")}
    return Update(node, key, root, steps, value)


def items_elsewhere(run: Run, env: Env, expression: cst.BaseExpression, container: Value) -> str:
    """Why binding items of a container again is not all that NumPy's change of its arrays does: somebody else holds one."""
    key = path_of(expression)
    shown = key or code(expression)
    if same_twice(container):
        return f"an array may be in `{shown}` more than once"
    for token in sorted(container.memory):
        if token == "?" or token.startswith(SHARED):
            return f"arrays in `{shown}` may be aliased by an unknown object"
        if token.startswith("param:") and container.holds != token[6:]:
            return f"an array in `{shown}` may be the caller's `{token[6:]}`"
        if token.startswith("global:") and not run.name.endswith(".<module>"):
            return f"an array in `{shown}` is in a variable of a module"
    for name, held in env.items():
        if name == key or name.startswith("!") or not held.memory & container.memory:
            continue
        if name.startswith("<"):
            return f"an array in `{shown}` was passed to something that may have stored it"
        same = held.view is not None and not held.view.steps and held.view.base == key
        same = same or (container.view is not None and not container.view.steps and container.view.base == name)
        if not same and held.kind not in (Kind.SCALAR, Kind.OBJECT, Kind.STRING, Kind.NONE) and is_live(run, name):
            return f"a caller has an array in `{shown}` as `{name}`"
    return ""


def held_elsewhere(run: Run, item: str, container: str, owner: Value) -> str:
    """Why an array in a container may be held by somebody that no variable tells of, "" when nobody does."""
    if same_twice(owner):
        return f"an array may be in `{container}` more than once, so that not only `{item}` changes"
    for token in sorted(owner.memory):
        if token.startswith("param:") and owner.holds != token[6:]:
            return f"`{item}` may be the caller's `{token[6:]}`"
        if token == "?" or token.startswith("shared:") or (token.startswith("attr:") and "." not in container):
            return f"`{item}` may be aliased by an unknown object"
        if token.startswith("global:") and not run.name.endswith(".<module>"):
            return f"`{item}` is in a variable of a module, which is changed in a function"
    return ""


def held_apart(value: Value) -> bool:
    """Whether a value may be an array itself, not a container of arrays."""
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN)


def same_twice(container: Value) -> bool:
    """Whether two elements of a display share memory: `[x, x]`."""
    seen: set[str] = set()
    for element in container.elements or ():
        if element.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE):
            continue
        if seen & element.memory:
            return True
        seen |= element.memory
    return False


def check(
    run: Run,
    env: Env,
    node: cst.CSTNode,
    key: str,
    target: cst.BaseExpression,
    steps: tuple[cst.BaseExpression, ...],
    value: Value,
    written: str,
) -> Update:
    """Whether binding `key` again is all that NumPy's change in place does."""
    name = key.partition(".")[0]
    if run.flow.depth and name not in run.flow.local_now:
        return problem(node, f"`{key}` of an outer function is changed in a nested one", "NJ206", value)
    if "." not in key and key not in run.unit.local and key not in run.flow.local_now:
        return problem(node, f"the module's variable `{key}` is changed in a function", "NJ206", value)
    owner, _dot, attr = key.rpartition(".")
    if owner and attr in run.facts.hierarchy.frozen:
        whose = env.get(owner, UNKNOWN)
        if whose.kind is not Kind.OBJECT or whose.name not in run.facts.classes or whose.name in run.facts.hierarchy.frozen:
            return problem(node, f"`{key}` may be a field that cannot be bound again", "NJ203", value)
    refresh: list[tuple[str, View]] = []
    through = env.get(written)
    if not steps and written != key and through is not None and maybe_number(run, node, through, value):
        why = f"np2jax cannot tell whether `{key}`, which `{written}` is too, is a number or an array"
        return problem(node, why, "NJ203", value)
    for other, held in env.items():
        if other == key or other.startswith("!") or held.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE):
            continue
        if other.startswith("<iter"):
            if held.memory & value.memory:
                return problem(node, f"`{key}` is changed while a loop iterates over it", "NJ203", value)
            continue
        if other == "<escaped>":
            if held.memory & value.memory - {"?"}:
                return problem(node, f"`{key}` was passed to something that may have stored it", "NJ203", value)
            continue
        given = other in run.params and held.holds == other  # a container of the caller's, who will read it
        if not held.memory & value.memory or not (given or is_read(run, node, other)):
            continue
        if held.kind is Kind.OBJECT and held.name in run.facts.classes and "." not in other and not _own_object(run, other, key):
            return problem(node, f"`{other}` may hold `{key}`", "NJ203", value)
        if held.kind is Kind.OBJECT and _own_object(run, other, key):
            continue
        if held.view is not None and held.view.base == key:
            if why := not_surely_a_view(run, held, other, wrote=other == written and len(steps) > len(held.view.steps)):
                return problem(node, why, "NJ203", value)
            if not steps and maybe_number(run, node, held, value):
                return problem(
                    node, f"np2jax cannot tell whether `{key}`, which `{other}` is too, is a number or an array", "NJ203", value
                )
            refresh.append((other, held.view))
        else:
            return problem(node, f"`{other}` may share memory with `{key}`, which is changed in place", "NJ203", value)
    param = ""
    for token in sorted(value.memory):
        if token.startswith("param:"):
            param = token[6:]
            if value.holds != param or key != param:
                return problem(node, f"`{key}` may be the caller's `{param}` or a copy of it", "NJ203", value)
        elif token.startswith("shared:"):
            return problem(node, f"the array of `{key}` may have another owner", "NJ218", value)
        elif token == "?":
            return problem(node, f"`{key}` may share memory with an unknown array", "NJ203", value)
        elif token.startswith("global:") and run.name != f"{token[7:].rpartition('.')[0]}.<module>":
            return problem(node, f"`{key}` is a variable of a module, which is changed in a function", "NJ206", value)
        elif token.startswith("attr:") and "." not in key:
            return problem(node, f"`{key}` may be an attribute of an object", "NJ203", value)
    return Update(node, key, target, steps, value, tuple(refresh), param)


def not_surely_a_view(run: Run, held: Value, name: str, wrote: bool) -> str:
    """Why a variable may hold a copy of a part of an array, so that it must not be read again from the array; "" if it is a view.

    `wrote`: an item of it is assigned, so that it is an array, not a number.
    """
    assert held.view is not None
    for step in held.view.steps:
        if why := not_a_view(run, step, last=True):
            return f"`{name}` is read after the change, and {why}"
        if not wrote and held.rank <= 0 and isinstance(step, cst.Subscript) and only_integers(run, step):
            return f"np2jax cannot tell whether `{name}`, which is read after the change, is a number or a row of an array"
    return ""


def maybe_number(run: Run, node: cst.CSTNode, alias: Value, value: Value) -> bool:
    """Whether `op=`, or a function of the project, may be given a number, which it does not change: a result of unknown rank."""
    unsure = value.rank < 0 or (value.rank == 0 and value.number)
    computed = unsure and bool(value.memory) and all(m.startswith(("new:", "old:")) for m in value.memory)
    given = isinstance(node, cst.Call) and not (run.scopes.qualname(node.func) or "").startswith("numpy.")
    return computed and alias.view is not None and not alias.view.steps and (isinstance(node, cst.AugAssign) or given)


def full_of_items(run: Run, held: Value, full: tuple[cst.BaseExpression, ...], steps: tuple[cst.BaseExpression, ...]) -> bool:
    """Whether what `op=` changes is certainly an array: an item of it, or a part that is no number."""
    return bool(steps) or held.rank > 0 or not any(isinstance(s, cst.Subscript) and only_integers(run, s) for s in full)


def may_be_item(run: Run, call: cst.CSTNode, argument: cst.BaseExpression, value: Value) -> bool:
    """Whether an argument that `op=` changes in the function that is called may be a number, which stays as it is."""
    steps = next((u.steps for u in run.effects.updates.get(call, ()) if u.argument is argument), ())
    since = max((at for at, step in enumerate(steps) if has_slice(step)), default=-1) + 1  # a number cannot be sliced
    return value.rank <= 0 and any(isinstance(s, cst.Subscript) and only_integers(run, s) for s in steps[since:])


def only_integers(run: Run, step: cst.Subscript) -> bool:
    """Whether a subscript gives a number (a copy), if it has as many indices as the array has dimensions, and else a view."""
    parts = [p.slice for p in step.slice]
    if len(parts) == 1 and isinstance(parts[0], cst.Index) and isinstance(parts[0].value, cst.Tuple):
        return not any(isinstance(e.value, cst.Ellipsis) for e in parts[0].value.elements)
    return all(isinstance(p, cst.Index) and not isinstance(p.value, cst.Ellipsis) for p in parts)


def _own_object(run: Run, other: str, key: str) -> bool:
    return key.startswith(other + ".")


def _shared(env: Env, value: Value, run: Run, key: str, node: cst.CSTNode) -> bool:
    read = read_after(run, node)
    return any(held.memory & value.memory and name != key and read(name) for name, held in env.items())


def read_then(run: Run, env: Env, node: cst.CSTNode) -> frozenset[str]:
    """The memory of what may be read after `node` has changed something; the next turn of a loop reads what it goes over."""
    read = read_after(run, node)
    return NOTHING.union(
        *(v.memory for name, v in env.items() if name.startswith("<iter") or (name[0] not in "!<" and read(name)))
    )


def is_read(run: Run, node: cst.CSTNode, name: str) -> bool:
    """Whether a variable may be read after `node`, a statement or a call inside of one, has changed something."""
    return read_after(run, node)(name)


def read_after(run: Run, node: cst.CSTNode) -> Callable[[str], bool]:
    """The same for many variables: the statement is looked at once."""
    statement = run.flow.stmt
    if not isinstance(node, cst.Call) or statement is None or (isinstance(statement, cst.Expr) and statement.value is node):
        return lambda name: is_live(run, name)
    if isinstance(statement, cst.BaseCompoundStatement):
        return lambda name: True
    beside, bound = _read_beside(statement, node), _bound_by(statement)

    def read(name: str) -> bool:
        return name.partition(".")[0].partition("[")[0] in beside or (is_live(run, name) and name not in bound)

    return read


def _bound_by(statement: cst.CSTNode) -> set[str]:
    """Variables that an assignment binds: what they held before is gone."""
    return {n.value for n in _target_names(statement)}


def _target_names(statement: cst.CSTNode) -> list[cst.Name]:
    """The names among the targets of an assignment."""
    found: list[cst.Name] = []
    stack: list[cst.CSTNode] = [t.target for t in statement.targets] if isinstance(statement, cst.Assign) else []
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            found.append(item)
        elif isinstance(item, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
            stack.extend(children(item))
    return found


def _read_beside(statement: cst.CSTNode, call: cst.Call) -> set[str]:
    """Names in a statement, but for those that it binds and those that it gives to the call."""
    found: set[str] = set()
    stack = [statement]
    bound = set(_target_names(statement))
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            if item not in bound:
                found.add(item.value)
        elif item is not call:
            stack.extend(children(item))
    return found


def is_live(run: Run, name: str) -> bool:
    """Whether a variable may be read after the statement that is being run."""
    root = name.partition(".")[0].partition("[")[0]
    if name.startswith("<") or root == run.unit.self_name:
        return True
    if run.flow.stmt is None:
        return True
    if run.flow.depth:
        for nested in run.unit.nested_live.values():
            if (found := nested.after.get(run.flow.stmt)) is not None:
                return root in found or root not in run.flow.local_now
        return True
    after = run.live.after.get(run.flow.stmt)
    return after is None or root in after


def problem(node: cst.CSTNode, why: str, code: str, value: Value) -> Update:
    return Update(node, "", None, (), value, problem=why, code=code)


def simple(node: cst.BaseExpression) -> bool:
    """Names, attributes, literals and subscripts of them: may be written twice in the output."""
    match node:
        case cst.Name() | cst.Integer() | cst.SimpleString() | cst.Float():
            return True
        case cst.Attribute(value=base):
            return simple(base)
        case cst.UnaryOperation(expression=inner):
            return simple(inner)
        case cst.BinaryOperation(left=left, right=right):
            return simple(left) and simple(right)
        case cst.Subscript(value=base, slice=parts):
            return simple(base) and all(isinstance(p.slice, cst.Index) and simple(p.slice.value) for p in parts)
    return False


def parse_path(key: str) -> cst.BaseExpression:
    return cst.parse_expression(key)


def code(node: cst.CSTNode) -> str:
    text = cst.Module([]).code_for_node(node)
    return " ".join(text.split())
