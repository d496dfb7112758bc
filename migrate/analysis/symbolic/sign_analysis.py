"""Whether integers are certainly positive: linear forms where they are some, products and powers of what is positive else.

Of a parameter, such as the width of a window, nothing may tell. Where a loop could be compiled otherwise were it not negative, that is
assumed, and an `assert` ahead of the loop says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ..state.index_expressions import literal_int
from ..state.interpreter_state import Run
from .affine import Affine, atom
from .inequalities import nonnegative
from .scalar_evolution import ScalarEvolution

T = TypeVar("T")


def at_least(evolution: ScalarEvolution, node: cst.BaseExpression, minimum: int, facts: Sequence[Affine]) -> bool:
    """Whether an integer expression is 0 or more, for `minimum` 0, or 1 or more, for `minimum` 1, where it stands. False may also
    mean: not found out."""
    if (form := evolution.form(node)) is not None:
        return nonnegative(form - minimum, [*facts, *evolution.counters(form, node)])
    match node:
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right):
            return all(at_least(evolution, side, minimum, facts) for side in (left, right))
        case cst.BinaryOperation(operator=cst.Add(), left=left, right=right):
            one = any(at_least(evolution, side, minimum, facts) for side in (left, right))
            return one and all(at_least(evolution, side, 0, facts) for side in (left, right))
        case cst.BinaryOperation(operator=cst.Power(), left=left, right=right):
            exponent = literal_int(right)
            return exponent is not None and exponent >= 0 and at_least(evolution, left, minimum, facts)
        case cst.BinaryOperation(operator=cst.Modulo(), right=right):
            return minimum == 0 and at_least(evolution, right, 1, facts)
        case cst.BinaryOperation(operator=cst.FloorDivide(), left=left, right=right):
            return minimum == 0 and at_least(evolution, left, 0, facts) and at_least(evolution, right, 1, facts)
    return False


def open_signs(run: Run, evolution: ScalarEvolution, forms: Iterable[Affine]) -> frozenset[str]:
    """The variables in integer forms that are numbers, and no fractions as far as that is known."""
    names = {n for form in forms for n in form.names if n.isidentifier()}
    values = [(n.value, run.values[n]) for n in run.source.below(evolution.unit) if type(n) is cst.Name and n in run.values]
    others = {n for n, value in values if value.kind is not Kind.SCALAR or (value.dtype and category(value.dtype) != 1)}
    return frozenset(names & {n for n, _value in values} - others)


def assuming(
    evolution: ScalarEvolution, names: Iterable[str], said: Collection[str], decided: Callable[[ScalarEvolution], T | None]
) -> tuple[T | None, Mapping[str, int]]:
    """What is decided with the fewest assumptions: none; that numbers are not negative; that they are positive; and the least that each
    number is taken to be. `said`: of which an `assert` says already that they are not negative."""
    evolution = evolution.where([atom(n) for n in sorted(said)])
    if (found := decided(evolution)) is not None:
        return found, {}
    for minimum in (0, 1):
        needed = sorted({*names} - ({*said} if minimum == 0 else set()))
        found = decided(evolution.where([atom(n) - minimum for n in needed])) if needed else None
        if found is None:
            continue
        for name in [*needed]:
            fewer = [n for n in needed if n != name]
            if fewer and (other := decided(evolution.where([atom(n) - minimum for n in fewer]))) is not None:
                found, needed = other, fewer
        return found, dict.fromkeys(needed, minimum)
    return None, {}
