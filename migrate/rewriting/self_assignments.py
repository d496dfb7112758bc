"""Removes `x = x`, which remains of `x = x.copy()` where arrays are immutable."""

from __future__ import annotations

from collections.abc import Container

import libcst as cst

from ..syntax.source import new_statements


def left_out(module: cst.Module, known: Container[cst.CSTNode]) -> cst.Module:
    """The module without new assignments of variables to themselves. `known`: the nodes of the original file."""
    found = set[cst.CSTNode]()
    for node in new_statements(module, known):
        if isinstance(node, cst.IndentedBlock):
            lines = [line for line in node.body if line not in known and _says_nothing(line)]
            found.update(lines if len(lines) < len(node.body) else ())
    if not found:
        return module
    made = module.visit(_Leaving(found))
    assert isinstance(made, cst.Module)
    return made


def _says_nothing(line: cst.BaseStatement) -> bool:
    match line:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Name(value=value))]
        ):
            comments = [line.trailing_whitespace.comment, *(above.comment for above in line.leading_lines)]
            return name == value and not any(comment is not None for comment in comments)
    return False


class _Leaving(cst.CSTTransformer):
    def __init__(self, lines: set[cst.CSTNode]) -> None:
        super().__init__()
        self.lines = lines

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node in self.lines else updated_node
