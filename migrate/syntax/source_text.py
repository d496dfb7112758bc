"""The text of single nodes."""

from __future__ import annotations

import libcst as cst


def code(node: cst.CSTNode) -> str:
    text = cst.Module([]).code_for_node(node)
    return " ".join(text.split())
