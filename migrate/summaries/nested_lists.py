"""Parameters that a function uses item by item, `x[i]` and `for v in x`, or `x[i][j]`: they may be lists of numbers, or lists of those.

What the code does with an item, it does with a number. That holds for an array of the same depth, but for no list that is deeper: there
`x[i] * 2` repeats an item.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.state.interpreter_state import Run
from .array_likes import TAKING_SEQUENCES, accepts, converted, is_read, open_parameters, parts
from .units import Module, Unit

ITERATING = frozenset(f"builtins.{name}" for name in ("enumerate", "reversed", "zip", "sum", "max", "min"))
DEEPEST = 2


def list_depths(module: Module, unit: Unit, run: Run) -> Mapping[str, int]:
    """The parameters of a function that may be nested lists of one depth, with that depth, 1 or 2. Whether the project functions to which it
    passes them accept these, too, is for the linker to say."""
    if not isinstance(unit.node, cst.FunctionDef) or unit.cls:
        return {}
    open_ = open_parameters(unit)
    cut = parts(module, unit, open_)
    depths: dict[str, set[int]] = {name: set() for name in open_}
    alike, refuted = set[str](), set[str]()
    for node in module.nodes[unit.name]:
        if type(node) is not cst.Name:
            continue
        name = cut.get(node.value, node.value)
        if name not in open_ or not is_read(module, node) or _is_cut(module, node, cut):
            continue
        depth, varies = _depth(module, run, node)
        if depth:
            depths[name].add(depth)
            alike |= {name} if varies else set()
        elif depth is None and not _accepts(module, unit, run, node):
            refuted.add(name)
    return {
        name: found.pop()
        for name, found in depths.items()
        if len(found) == 1 and name in alike and name not in refuted and max(found) <= DEEPEST
    }


def _is_cut(module: Module, node: cst.Name, cut: Mapping[str, str]) -> bool:
    """Whether a use of a parameter binds a variable to a part of it, whose uses are looked at as well."""
    part = module.source.parents[node]
    match module.source.parents.get(part) if part is not None else None:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if value is part:
            return cut.get(name) == node.value
    return False


def _accepts(module: Module, unit: Unit, run: Run, node: cst.Name) -> bool:
    parent = module.source.parents.get(node)
    if isinstance(parent, cst.Subscript) and parent.value is node:  # a part of a list is a list
        return converted(module, unit, run, parent)
    return accepts(module, unit, run, node)


def _depth(module: Module, run: Run, node: cst.Name) -> tuple[int | None, bool]:
    """The number of indices that select an item of a parameter, 0 where only the length of a list is asked for, None for another use; and
    whether the code goes through all items, which are alike then."""
    at: cst.BaseExpression = node
    depth, varies = 0, False
    while True:
        parent = module.source.parents.get(at)
        match parent:
            case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]) if base is at:
                value = run.values.get(index, UNKNOWN)
                if isinstance(index, (cst.Tuple, cst.Ellipsis)) or (value.kind is Kind.ARRAY and not value.number):
                    return None, False  # a list accepts integers alone
                depth, varies = depth + 1, varies or bool(module.source.among(index, cst.Name))
                at = parent
            case cst.For(iter=base) | cst.CompFor(iter=base) if base is at:
                return depth + 1, True
            case cst.Arg(star="", keyword=None):
                call = module.source.parents.get(parent)
                name = run.scopes.qualname(call.func) or "" if isinstance(call, cst.Call) else ""
                if name == "builtins.len":
                    return 0, False
                if name in ITERATING and (name in TAKING_SEQUENCES or (isinstance(call, cst.Call) and len(call.args) == 1)):
                    return depth + 1, True
                break
            case cst.AssignTarget() | cst.AugAssign() | cst.Del() | cst.Subscript():
                return None, False
            case _:
                break
    return depth or None, varies
