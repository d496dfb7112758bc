"""Access paths: the name of a variable, or of an attribute reached from one."""

from __future__ import annotations

import libcst as cst


def path_of(node: cst.CSTNode | None) -> str | None:
    """The access path of a node: a name, or an attribute path of a name of depth one or two."""
    if type(node) is cst.Name:
        return node.value
    if type(node) is cst.Attribute:
        above = path_of(node.value)
        return None if above is None or above.count(".") >= 2 else f"{above}.{node.attr.value}"
    return None
