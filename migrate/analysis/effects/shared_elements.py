"""Whether the elements of containers are aliased elsewhere, or occur twice in one container."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import Value
from ....rules.syntax.source_text import code
from ..state.access_paths import path_of
from ..state.interpreter_state import Run
from ..state.lattice import Env
from ..state.project_facts import SHARED
from .later_reads import is_live


def items_elsewhere(run: Run, env: Env, expression: cst.BaseExpression, container: Value) -> str:
    """Why rebinding items of a container is not equivalent to NumPy's change of its arrays: an item has an alias; "" if it is."""
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
    for name, current in env.items():
        if name == key or name.startswith("!") or not current.memory & container.memory:
            continue
        if name.startswith("<"):
            return f"an array in `{shown}` was passed to something that may have stored it"
        same = current.view is not None and not current.view.steps and current.view.base == key
        same = same or (container.view is not None and not container.view.steps and container.view.base == name)
        if not same and current.kind not in (Kind.SCALAR, Kind.OBJECT, Kind.STRING, Kind.NONE) and is_live(run, name):
            return f"a caller has an array in `{shown}` as `{name}`"
    return ""


def aliased_elsewhere(run: Run, item: str, container: str, owner: Value) -> str:
    """Why an array in a container may have an alias that is not a variable of this unit; "" if it has none."""
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


def may_be_array(value: Value) -> bool:
    """Whether a value may be an array, not a container of arrays."""
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
