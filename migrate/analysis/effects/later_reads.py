"""Whether an array is read after it was changed."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ....rules.facts.values import NOTHING
from ....rules.syntax.tree import children
from ..state.interpreter_state import Run
from ..state.lattice import Env


def read_then(run: Run, env: Env, node: cst.CSTNode) -> frozenset[str]:
    """The memory that may be read after `node` has changed something; the next iteration of a loop reads the iterable."""
    read = read_after(run, node)
    return NOTHING.union(
        *(v.memory for name, v in env.items() if v.memory and (name.startswith("<iter") or (name[0] not in "!<" and read(name))))
    )


def is_read(run: Run, node: cst.CSTNode, name: str) -> bool:
    """Whether a variable may be read after `node`, a statement or a call in one, has changed something."""
    return read_after(run, node)(name)


def read_after(run: Run, node: cst.CSTNode) -> Callable[[str], bool]:
    """The same as a predicate on names: the statement is searched only once."""
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
    """The variables that an assignment binds, whose previous values are lost."""
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
    """The names in a statement, without those that it binds and those in the call."""
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
    """Whether a variable may be read after the statement that is being interpreted."""
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
