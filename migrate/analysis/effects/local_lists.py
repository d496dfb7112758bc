"""Lists that a function makes, fills, and keeps to itself until it returns them."""

from __future__ import annotations

import libcst as cst

from ....rules.syntax.tree import remembered
from ...syntax.source import walk
from ..state.interpreter_state import Run

FILLING = frozenset({"append", "extend", "insert", "pop", "clear", "reverse", "sort"})
READING = frozenset({"array", "asarray", "stack", "vstack", "hstack", "concatenate", "column_stack", "mean", "sum", "max", "min"})


def local_lists(run: Run) -> frozenset[str]:
    """The variables of a unit that hold a list of its own, of which nothing else holds a reference: nothing stores it, and calls only make
    arrays of it."""
    owner, numpy = run.unit.owner, run.scopes.name_of("numpy")
    return _held(owner, numpy) if isinstance(owner, cst.FunctionDef) and numpy else frozenset()


@remembered
def _uses(owner: cst.CSTNode) -> tuple[dict[str, list[tuple[cst.CSTNode, ...]]], frozenset[str]]:
    """The names in a function, each with the nodes around it, innermost first; and those in functions nested in it."""
    found, nested = dict[str, list[tuple[cst.CSTNode, ...]]](), set[str]()
    parents = dict(walk(owner))
    for node, parent in parents.items():
        if type(node) is not cst.Name or parent is None:
            continue
        above = [parent]
        while (further := parents.get(above[-1])) is not None:
            above.append(further)
        found.setdefault(node.value, []).append((node, *above))
        if any(isinstance(each, (cst.FunctionDef, cst.Lambda)) and each is not owner for each in above):
            nested.add(node.value)
    return found, frozenset(nested)


def _held(owner: cst.FunctionDef, numpy: str) -> frozenset[str]:
    uses, nested = _uses(owner)
    own = {name for name, each in uses.items() if any(isinstance(use[1], cst.AssignTarget) for use in each)} - nested
    return frozenset(name for name in own if all(_is_harmless(use, numpy) for use in uses[name]))


def _is_harmless(use: tuple[cst.CSTNode, ...], numpy: str) -> bool:
    """Whether a mention of a list stores no reference to it."""
    node, parent, above = (*use, None)[:3]
    match parent, above:
        case cst.AssignTarget(), cst.Assign(targets=[_], value=value):
            return isinstance(value, cst.List) or (isinstance(value, cst.Call) and not value.args and _names(value.func, "list"))
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
            return isinstance(use[3], cst.Return)
    return False


def _names(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
