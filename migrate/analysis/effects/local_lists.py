"""Lists that a function makes, fills, and keeps to itself until it returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from ....rules.syntax.tree import remembered, walk
from ..state.interpreter_state import Run

FILLING = frozenset({"append", "extend", "insert", "pop", "clear", "reverse", "sort"})
READING = frozenset({"array", "asarray", "stack", "vstack", "hstack", "concatenate", "column_stack", "mean", "sum", "max", "min"})
FUNCTIONS = (cst.FunctionDef, cst.Lambda)


def stays_local(run: Run, name: str) -> bool:
    """Whether a variable of a unit holds a list of its own, to which nothing else holds a reference: nothing stores it, and calls only make
    arrays of it."""
    owner, numpy = run.unit.owner, run.scopes.name_of("numpy")
    if not isinstance(owner, cst.FunctionDef) or not numpy:
        return False
    uses = _names(owner).get(name, ())
    made = any(isinstance(run.source.parents[use], cst.AssignTarget) for use in uses)
    return made and all(
        next(n for n in run.source.above(use) if isinstance(n, FUNCTIONS)) is owner and _is_harmless(run, use, numpy)
        for use in uses
    )


@remembered
def _names(owner: cst.CSTNode) -> Mapping[str, Sequence[cst.Name]]:
    """The names in a function, by their texts."""
    found: dict[str, list[cst.Name]] = {}
    for node, _parent in walk(owner):
        if isinstance(node, cst.Name):
            found.setdefault(node.value, []).append(node)
    return found


def _is_harmless(run: Run, node: cst.CSTNode, numpy: str) -> bool:
    """Whether a mention of a list stores no reference to it."""
    parent, above, further, *_others = (*run.source.above(node), None, None)
    match parent, above:
        case cst.AssignTarget(), cst.Assign(targets=[_], value=value):
            return isinstance(value, cst.List) or (
                isinstance(value, cst.Call) and not value.args and run.scopes.qualname(value.func) == "builtins.list"
            )
        case cst.Attribute(value=base, attr=cst.Name(value=method)), cst.Call(func=func):
            return base is node and func is parent and method in FILLING
        case cst.Arg(keyword=None, star=""), cst.Call(func=cst.Name(value="len")):
            return True
        case cst.Arg(keyword=None, star=""), cst.Call(
            func=cst.Attribute(value=cst.Name(value=module), attr=cst.Name(value=name))
        ):
            return module == numpy and name in READING
        case cst.Subscript(value=base), _:
            return base is node and not isinstance(above, (cst.AssignTarget, cst.AugAssign, cst.Del))
        case cst.Return(), _:
            return True
        case cst.Element(), cst.Tuple():
            return isinstance(further, cst.Return)
    return False
