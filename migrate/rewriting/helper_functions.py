"""Functions that JAX lacks: inserted once into the module that calls them, after its imports and before any code that may call
them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import libcst as cst

from ...rules.definitions import needed
from ...rules.syntax.tree import walk
from .imports import BLANK, import_lines, insertion_point, sets_float64


class Names(Protocol):
    def defined(self, name: str) -> str: ...
    def definition(self, name: str) -> str: ...


def insert(changed: cst.Module, called: Collection[str], names: Names) -> cst.Module:
    """The module with these functions and those that they call, unless it defines them already."""
    own = {s.name.value for s in changed.body if type(s) is cst.FunctionDef}
    missing = [name for name in needed(called) if names.defined(name) not in own]
    if not missing:
        return changed
    body: list[Any] = list(changed.body)
    at = _after_imports(body)
    made = [cst.parse_module(_named(name, names)).body[0].with_changes(leading_lines=[BLANK, BLANK]) for name in missing]
    if not at:
        made[0] = made[0].with_changes(leading_lines=())
    if at < len(body):
        blank = len([line for line in body[at].leading_lines if line.comment is None])
        body[at] = body[at].with_changes(leading_lines=[*[BLANK] * (2 - blank), *body[at].leading_lines])
    body[at:at] = made
    return changed.with_changes(body=body)


def _named(name: str, names: Names) -> str:
    text = names.definition(name)
    return text.replace(f"def {name}(", f"def {names.defined(name)}(", 1)


def _after_imports(body: Sequence[cst.CSTNode]) -> int:
    """The index after the last import that is preceded only by simple statements without calls."""
    at = position = insertion_point(body)
    while position < len(body) and not _does_something(body[position]):
        position += 1
        if any(isinstance(node, (cst.Import, cst.ImportFrom)) for node, _parent in walk(body[position - 1])):
            at = position
    return at


def _does_something(statement: cst.CSTNode) -> bool:
    if import_lines(statement) or sets_float64(statement):
        return False
    return any(
        isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Call, cst.For, cst.While, cst.With)) for node, _ in walk(statement)
    )
