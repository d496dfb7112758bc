"""The first of the positions where a condition holds: `np.where(c)[0][0]`. The number of positions is not needed."""

from __future__ import annotations

import libcst as cst

from ....rules.facts.iteration_space import integer
from ..state.interpreter_state import Run

BY_AXIS = ("numpy.nonzero",)  # returns the positions along each axis
OTHERS = ("numpy.flatnonzero", "numpy.argwhere")


def taken(run: Run, node: cst.Call, name: str) -> int:
    """How many of the positions that a call returns are needed if one is selected by a literal index; else 0."""
    if len(node.args) != 1 or node.args[0].keyword is not None or node.args[0].star:
        return 0
    found = _item(run, node) if name in BY_AXIS else node if name in OTHERS else None
    item = None if found is None else _item(run, found)
    number = -1 if item is None else _number(item)
    return number + 1 if number >= 0 else 0


def _item(run: Run, node: cst.BaseExpression) -> cst.Subscript | None:
    """The subscript of an expression by a literal index that is not negative; None for any other."""
    above = run.source.parents[node]
    return above if isinstance(above, cst.Subscript) and above.value is node and _number(above) >= 0 else None


def _number(node: cst.Subscript) -> int:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=index))]:
            number = integer(index)
            return -1 if number is None else number
    return -1
