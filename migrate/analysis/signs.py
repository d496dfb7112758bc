"""Whether integers are certainly positive: linear forms where they are some, products and powers of what is positive else."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from .affine import Affine, nonnegative
from .indices import literal_int
from .places import Places


def at_least(places: Places, node: cst.BaseExpression, least: int, facts: Sequence[Affine]) -> bool:
    """Whether an integer expression is 0 or more, for `least` 0, or 1 or more, for `least` 1, where it stands. False may also
    mean: not found out."""
    if (form := places.form(node)) is not None:
        return nonnegative(form - least, [*facts, *places.counters(form, node)])
    match node:
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right):
            return all(at_least(places, side, least, facts) for side in (left, right))
        case cst.BinaryOperation(operator=cst.Add(), left=left, right=right):
            one = any(at_least(places, side, least, facts) for side in (left, right))
            return one and all(at_least(places, side, 0, facts) for side in (left, right))
        case cst.BinaryOperation(operator=cst.Power(), left=left, right=right):
            exponent = literal_int(right)
            return exponent is not None and exponent >= 0 and at_least(places, left, least, facts)
        case cst.BinaryOperation(operator=cst.Modulo(), right=right):
            return least == 0 and at_least(places, right, 1, facts)
        case cst.BinaryOperation(operator=cst.FloorDivide(), left=left, right=right):
            return least == 0 and at_least(places, left, 0, facts) and at_least(places, right, 1, facts)
    return False
