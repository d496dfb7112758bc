"""Whether integers are certainly positive: by their affine forms, or else as products and powers of positive integers.

Nothing may be known of a parameter, such as the width of a window. Where a loop could be compiled differently if the parameter
were not negative, that is assumed, and an `assert` before the loop states it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ..state.interpreter_state import Run
from .affine import Affine, atom
from .inequalities import nonnegative
from .scalar_evolution import ScalarEvolution

T = TypeVar("T")


def at_least(evolution: ScalarEvolution, node: cst.BaseExpression, minimum: int, facts: Sequence[Affine]) -> bool:
    """Whether an integer expression is at least `minimum` (0 or 1) at its node. False may also mean: not found out."""
    if (form := evolution.form(node)) is not None:
        return nonnegative(form - minimum, [*facts, *evolution.counters(form, node)])
    match node:
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right):
            return all(at_least(evolution, side, minimum, facts) for side in (left, right))
        case cst.BinaryOperation(operator=cst.Add(), left=left, right=right):
            one = any(at_least(evolution, side, minimum, facts) for side in (left, right))
            return one and all(at_least(evolution, side, 0, facts) for side in (left, right))
        case cst.BinaryOperation(operator=cst.Power(), left=left, right=right):
            exponent = integer(right)
            return exponent is not None and exponent >= 0 and at_least(evolution, left, minimum, facts)
        case cst.BinaryOperation(operator=cst.Modulo(), right=right):
            return minimum == 0 and at_least(evolution, right, 1, facts)
        case cst.BinaryOperation(operator=cst.FloorDivide(), left=left, right=right):
            return minimum == 0 and at_least(evolution, left, 0, facts) and at_least(evolution, right, 1, facts)
    return False


def open_signs(run: Run, evolution: ScalarEvolution, forms: Iterable[Affine]) -> frozenset[str]:
    """The variables in integer forms that are scalars, and not floating-point as far as that is known."""
    names = {n for form in forms for n in form.names if n.isidentifier()}
    values = [(n.value, run.values[n]) for n in run.source.below(evolution.unit) if type(n) is cst.Name and n in run.values]
    others = {n for n, value in values if value.kind is not Kind.SCALAR or (value.dtype and category(value.dtype) != 1)}
    return frozenset(names & {n for n, _value in values} - others)


def assuming(
    evolution: ScalarEvolution, names: Iterable[str], said: Collection[str], decided: Callable[[ScalarEvolution], T | None]
) -> tuple[T | None, Mapping[str, int]]:
    """The decision under the fewest assumptions (none; that numbers are not negative; that they are positive), and the minimum
    that is assumed of each number. `said`: the numbers that an `assert` already states to be non-negative.
    """
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
