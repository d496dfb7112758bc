"""Places by name: a variable, or an attribute path of one."""

from __future__ import annotations

import libcst as cst


def path_of(node: cst.CSTNode) -> str | None:
    """The key of a place: a name, or an attribute path of a name of depth one or two."""
    match node:
        case cst.Name(value=name):
            return name
        case cst.Attribute(value=base, attr=cst.Name(value=attr)):
            above = path_of(base)
            return None if above is None or above.count(".") >= 2 else f"{above}.{attr}"
    return None
