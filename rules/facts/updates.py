"""Arrays that are changed in place."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from .values import Value, View


class Update(NamedTuple):
    """One change of an array in place: what the statement or call `node` does to `place`.

    `place` is the variable, attribute path or item that must be bound again ("x", "self.w", 'params["w"]'); `target` its
    syntax. `steps` lead from it to the part that changes. `refresh`: other live names that are views of the place, to be made
    again. `param`: the parameter whose memory it is, to be handed back. `problem`: why it cannot be rewritten, "" if it can.
    `number`: it may be a number of NumPy's, which `x += y` binds again.
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
    argument: cst.BaseExpression | None = None  # the argument of a call through which it is changed
    number: bool = False
