"""The text of single nodes, and nodes from texts."""

from __future__ import annotations

import libcst as cst

from .tree import remembered


@remembered
def verbatim(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def code(node: cst.CSTNode) -> str:
    """The text of a node on one line."""
    return " ".join(verbatim(node).split())


def line(text: str) -> cst.SimpleStatementLine:
    """A line of small statements."""
    return cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
