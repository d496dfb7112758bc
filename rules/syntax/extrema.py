"""Python's `max` and `min` of several operands: `max(a, b)`, `max((a, b))`, `max([a, b])`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst


def extremum_operands(call: cst.Call) -> Sequence[cst.BaseExpression]:
    """The operands, at least two; none where their number is not known, or a keyword changes what is compared."""
    if any(argument.star or argument.keyword for argument in call.args):
        return ()
    operands: Sequence[cst.BaseExpression] = [argument.value for argument in call.args]
    match operands:
        case [cst.Tuple(elements=elements) | cst.List(elements=elements)]:
            if any(isinstance(element, cst.StarredElement) for element in elements):
                return ()
            operands = [element.value for element in elements]
    return operands if len(operands) > 1 else ()
