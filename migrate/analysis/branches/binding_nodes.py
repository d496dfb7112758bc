"""The nodes of a unit that bind each of its variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from ....rules.syntax.tree import remembered, walk
from ...syntax.names import bound_by, targets_of
from ..state.interpreter_state import Run

BINDING = (
    cst.Assign,
    cst.AugAssign,
    cst.AnnAssign,
    cst.NamedExpr,
    cst.With,
    cst.Try,
    cst.TryStar,
    cst.Match,
    cst.Del,
    cst.FunctionDef,
    cst.ClassDef,
    cst.Import,
    cst.ImportFrom,
    cst.Global,
    cst.Nonlocal,
)


def bindings(run: Run, name: str) -> Sequence[cst.CSTNode]:
    """The nodes that bind a variable of a unit: assignments and other binding statements, and loops."""
    return () if run.unit.owner is None else _binders(run.unit.owner).get(name, ())


@remembered
def _binders(unit: cst.CSTNode) -> Mapping[str, Sequence[cst.CSTNode]]:
    """The nodes that bind each variable of a unit."""
    found: dict[str, list[cst.CSTNode]] = {}
    for node, _parent in walk(unit):
        names = bound_by(node) if type(node) in BINDING else targets_of(node) if type(node) is cst.For else ()
        for name in names:
            found.setdefault(name, []).append(node)
    return found
