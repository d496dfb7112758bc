"""Arrays that are changed in place."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from .values import Value, View


class Update(NamedTuple):
    """One in-place change of an array: the effect of the statement or call `node` on `access_path`.

    `access_path` is the variable, attribute path or element that must be bound again ("x", "self.w", 'params["w"]'); `target` is
    its syntax.
    `steps` lead from it to the part that changes.
    `refresh`: other live names that are views of it, to be computed again.
    `param`: the parameter whose memory it is, which must be returned.
    `problem`: why it cannot be rewritten, "" if it can.
    `number`: it may be a NumPy scalar, which `x += y` rebinds.
    """

    node: cst.CSTNode
    access_path: str
    target: cst.BaseExpression | None
    steps: tuple[cst.BaseExpression, ...]
    value: Value
    refresh: tuple[tuple[str, View], ...] = ()
    param: str = ""
    problem: str = ""
    code: str = "NJ203"
    argument: cst.BaseExpression | None = None  # the argument through which a call changes it
    number: bool = False
