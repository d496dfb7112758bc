"""The array that a subscript, a view or a method changes in place, and the steps that lead to it."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.updates import Update
from ....rules.facts.values import UNKNOWN, Value, View, replace
from ....rules.numpy_table.entry import Memory
from ....rules.syntax.source_text import code
from ..state.access_paths import path_of
from ..state.index_expressions import has_slice
from ..state.interpreter_state import Run
from ..state.lattice import Env
from .later_reads import is_live, is_read, read_after
from .shared_elements import aliased_elsewhere

VIEW_FUNCTIONS = ("numpy.transpose", "numpy.swapaxes", "numpy.squeeze", "numpy.reshape", "numpy.ravel")
VIEW_METHODS = ("reshape", "ravel", "transpose", "swapaxes", "squeeze", "view")


def locate(
    run: Run, env: Env, node: cst.CSTNode, base: cst.BaseExpression, steps: tuple[cst.BaseExpression, ...], value: Value
) -> Update:
    chain: list[cst.BaseExpression] = []
    root: cst.BaseExpression = base
    while True:
        key = path_of(root)
        current = run.values.get(root, UNKNOWN)
        if key is not None and (key in env or isinstance(root, cst.Name)):
            break
        if isinstance(root, cst.Subscript):
            inner = run.values.get(root.value, UNKNOWN)
            if inner.kind is Kind.ARRAY:
                if current.view is None and not (current.memory & inner.memory):
                    return problem(node, f"`{code(root)}` is a copy, so NumPy loses this change", "NJ205", value)
                if not (inner.memory and current.memory <= inner.memory):
                    return problem(node, f"`{code(root)}` may be a copy or a view", "NJ203", value)
                chain.append(root)
                root = root.value
                continue
            if inner.kind in (Kind.DICT, Kind.LIST) and simple(root):
                return element_path(run, env, node, root, (*reversed(chain), *steps), current, value)
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
            return Update(node, "", None, (), value)  # a temporary: the change cannot be observed
        return problem(node, f"the array that `{code(root)}` returns is changed in place, but has no name", "NJ203", value)
    key = path_of(root)
    assert key is not None
    current = env.get(key) or run.values.get(root, value)
    full = (*reversed(chain), *steps)
    target = root
    place_value = current
    written = key
    if current.view is not None and current.view.base != key and only_name(run, env, key, current):
        place_value = env[key] = replace(current, view=None)
    elif current.view is not None and current.view.base != key:
        base_value = env.get(current.view.base)
        if base_value is None:
            return problem(node, f"`{key}` is a view of an array that no longer has a name", "NJ203", value)
        full = (*current.view.steps, *full)
        target = parse_path(current.view.base)
        key, place_value = current.view.base, base_value
    if isinstance(node, cst.AugAssign) and not full_of_items(run, current, full, steps):
        return problem(node, f"np2jax cannot tell whether `{code(base)}` is a number or a row of an array", "NJ203", value)
    if why := parts_of_complex(full, place_value):
        return problem(node, why, "NJ203", value)
    for step in full:
        if why := not_a_view(run, step, last=step is full[-1]):
            return problem(node, why, "NJ203", value)
    return check(run, env, node, key, target, full, place_value, written)


def only_name(run: Run, env: Env, key: str, current: Value) -> bool:
    """Whether a variable is a view of an array that was allocated here, and the only variable through which that array is read
    from now on."""
    made_here = bool(current.memory) and all(m.startswith(("new:", "old:")) for m in current.memory)
    if current.view is None or not key.isidentifier() or not made_here:
        return False
    return not any(other != key and value.memory & current.memory and is_live(run, other) for other, value in env.items())


def not_a_view(run: Run, step: cst.BaseExpression, last: bool) -> str:
    """Why a write through this step may not reach the base; "" if it certainly does."""
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
    """Whether the axes of a transpose are literals, none of them negative, so that it can be inverted."""
    arguments = [a.value for a in step.args]
    if (run.scopes.qualname(step.func) or "").startswith("numpy."):
        arguments = arguments[1:]
    if len(arguments) == 1 and isinstance(arguments[0], (cst.Tuple, cst.List)):
        arguments = [e.value for e in arguments[0].elements]
    return all(isinstance(a, cst.Integer) for a in arguments)


def parts_of_complex(steps: tuple[cst.BaseExpression, ...], path: Value) -> str:
    """Why the real or the imaginary part cannot be written; "" if it can."""
    names = {s.attr.value for s in steps if isinstance(s, cst.Attribute)} & {"real", "imag"}
    if not names or category(path.dtype) == 3 or (names == {"real"} and category(path.dtype) >= 0):
        return ""
    return "np2jax cannot tell whether the array that is updated is complex"


def element_path(
    run: Run,
    env: Env,
    node: cst.CSTNode,
    root: cst.Subscript,
    steps: tuple[cst.BaseExpression, ...],
    current: Value,
    value: Value,
) -> Update:
    """The update of an array in a dict or a list: the item is rebound."""
    key = code(root)
    container = path_of(root.value)
    if container is None:
        return problem(node, f"`{key}` is not a plain variable, attribute or element", "NJ203", value)
    owner = env.get(container, UNKNOWN)
    if why := aliased_elsewhere(run, key, container, owner):
        return problem(node, why, "NJ203", value)
    for name, other in env.items():
        if name == container or name.startswith("!") or other.kind is Kind.SCALAR:
            continue
        if other.memory & owner.memory and is_read(run, node, name):
            iterates = f"`{key}` is changed while a loop iterates over it"
            why = iterates if name.startswith("<iter") else f"`{name}` may share memory with `{key}`"
            return problem(node, why, "NJ203", value)
    outside = {m for m in owner.memory if not m.startswith(("new:", "old:"))}
    if outside:
        run.constraints.impure[node] = "it changes a container"
        run.effects.items |= {m for m in outside if m.startswith("param:")}
    return Update(node, key, root, steps, value)


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
    """The update of `key`; a problem if rebinding `key` is not equivalent to NumPy's change in place."""
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
    for other, current in env.items():
        if other == key or other.startswith("!") or current.kind in (Kind.SCALAR, Kind.STRING, Kind.NONE):
            continue
        if other.startswith("<iter"):
            if current.memory & value.memory:
                return problem(node, f"`{key}` is changed while a loop iterates over it", "NJ203", value)
            continue
        if other == "<escaped>":
            if current.memory & value.memory - {"?"}:
                return problem(node, f"`{key}` was passed to something that may have stored it", "NJ203", value)
            continue
        given = other in run.params and current.holds == other  # a container of the caller, who will read it
        if not current.memory & value.memory or not (given or is_read(run, node, other)):
            continue
        if (
            current.kind is Kind.OBJECT
            and current.name in run.facts.classes
            and "." not in other
            and not _own_object(run, other, key)
        ):
            return problem(node, f"`{other}` may hold `{key}`", "NJ203", value)
        if current.kind is Kind.OBJECT and _own_object(run, other, key):
            continue
        if current.view is not None and current.view.base == key:
            if why := not_surely_a_view(run, current, other, wrote=other == written and len(steps) > len(current.view.steps)):
                return problem(node, why, "NJ203", value)
            if not steps and maybe_number(run, node, current, value):
                return problem(
                    node, f"np2jax cannot tell whether `{key}`, which `{other}` is too, is a number or an array", "NJ203", value
                )
            refresh.append((other, current.view))
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


def not_surely_a_view(run: Run, current: Value, name: str, wrote: bool) -> str:
    """Why a variable may be a copy of a part of an array, so that it must not be read again from the array; "" if it is a view.

    `wrote`: an element of it is assigned, so that it is an array, not a number.
    """
    assert current.view is not None
    for step in current.view.steps:
        if why := not_a_view(run, step, last=True):
            return f"`{name}` is read after the change, and {why}"
        if not wrote and current.rank <= 0 and isinstance(step, cst.Subscript) and only_integers(run, step):
            return f"np2jax cannot tell whether `{name}`, which is read after the change, is a number or a row of an array"
    return ""


def maybe_number(run: Run, node: cst.CSTNode, alias: Value, value: Value) -> bool:
    """Whether `op=`, or a function of the project, may operate on a number, which it cannot change: a result of unknown rank."""
    unsure = value.rank < 0 or (value.rank == 0 and value.number)
    computed = unsure and bool(value.memory) and all(m.startswith(("new:", "old:")) for m in value.memory)
    given = isinstance(node, cst.Call) and not (run.scopes.qualname(node.func) or "").startswith("numpy.")
    return computed and alias.view is not None and not alias.view.steps and (isinstance(node, cst.AugAssign) or given)


def full_of_items(run: Run, current: Value, full: tuple[cst.BaseExpression, ...], steps: tuple[cst.BaseExpression, ...]) -> bool:
    """Whether `op=` certainly changes an array: an element is assigned, or the target cannot be a number."""
    return bool(steps) or current.rank > 0 or not any(isinstance(s, cst.Subscript) and only_integers(run, s) for s in full)


def may_be_item(run: Run, call: cst.CSTNode, argument: cst.BaseExpression, value: Value) -> bool:
    """Whether an argument that `op=` changes in the called function may be a number, which remains unchanged."""
    steps = next((u.steps for u in run.effects.updates.get(call, ()) if u.argument is argument), ())
    since = max((at for at, step in enumerate(steps) if has_slice(step)), default=-1) + 1  # a number cannot be sliced
    return value.rank <= 0 and any(isinstance(s, cst.Subscript) and only_integers(run, s) for s in steps[since:])


def only_integers(run: Run, step: cst.Subscript) -> bool:
    """Whether a subscript returns a number (a copy) if it has as many indices as the array has dimensions, otherwise a view."""
    parts = [p.slice for p in step.slice]
    if len(parts) == 1 and isinstance(parts[0], cst.Index) and isinstance(parts[0].value, cst.Tuple):
        return not any(isinstance(e.value, cst.Ellipsis) for e in parts[0].value.elements)
    return all(isinstance(p, cst.Index) and not isinstance(p.value, cst.Ellipsis) for p in parts)


def _own_object(run: Run, other: str, key: str) -> bool:
    return key.startswith(other + ".")


def _shared(env: Env, value: Value, run: Run, key: str, node: cst.CSTNode) -> bool:
    read = read_after(run, node)
    return any(current.memory & value.memory and name != key and read(name) for name, current in env.items())


def problem(node: cst.CSTNode, why: str, code: str, value: Value) -> Update:
    return Update(node, "", None, (), value, problem=why, code=code)


def simple(node: cst.BaseExpression) -> bool:
    """Whether an expression consists of names, attributes, literals and subscripts only, so that the output may repeat it."""
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
