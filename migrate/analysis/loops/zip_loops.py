"""Arrays that `zip` iterates over together: which of them must be truncated to the number of rows of the shortest.

Python stops at the end of the shortest; operands of a JAX map or scan must have the same length.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace, integer
from ....rules.facts.loops import Zipped
from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run
from ..symbolic.affine import Affine, atom, size
from ..symbolic.scalar_evolution import ScalarEvolution


def zipped(run: Run, evolution: ScalarEvolution, clause: cst.For | cst.CompFor, at: cst.CSTNode) -> Zipped | None:
    """How the operands of a zipped loop get the same length, by the state at `at`; None for a single array."""
    return measured(run, evolution, clause, at)[0]


def measured(
    run: Run, evolution: ScalarEvolution, clause: cst.For | cst.CompFor, at: cst.CSTNode
) -> tuple[Zipped | None, Affine | None]:
    """The result of `zipped`, and the trip count; a negative number where there are no iterations, None where it is not known."""
    leaves = [*run.scopes.iteration_space(clause).leaves]
    if len(leaves) < 2:
        return None, None
    operands = tuple(leaf.iterable for leaf in leaves)
    lengths = _lengths(run, evolution, leaves, at)
    kept: dict[cst.BaseExpression, Affine | None] = {}  # no other one is certainly as short, or shorter
    for operand, length in zip(operands, lengths, strict=True):
        differences = {k: _difference(length, other) for k, other in kept.items()}
        if any(d is not None and d >= 0 for d in differences.values()):
            continue
        kept = {k: other for k, other in kept.items() if differences[k] is None}
        kept[operand] = length
    if len(kept) > 1:
        return Zipped(operands, None, tuple(kept)), None
    ((shortest, minimum),) = kept.items()
    assert minimum is not None  # the difference of two lengths is unknown where one of them is
    return Zipped(operands, tuple(_difference(length, minimum) or 0 for length in lengths), (shortest,)), minimum


def rows_of(run: Run, evolution: ScalarEvolution, space: IterationSpace, at: cst.CSTNode) -> Affine | None:
    """The number of rows of an array, or of values of a range; a negative number where there are none. None where it is not
    known.
    """
    if space.is_range:
        return evolution.form(space.bounds[0], at) if len(space.bounds) == 1 else None
    base, skipped = _rows_of(space.iterable)
    if base is None:
        return None
    if run.values.get(base, UNKNOWN).kind is Kind.ARRAY:
        return evolution.extent(base.value, 0, at) - skipped
    return atom(size(f"<{base.value}>", 0)) - skipped  # perhaps a list of numbers: a variable has the same length as itself


def sliced_rows(node: cst.BaseExpression) -> tuple[cst.Name, tuple[cst.SubscriptElement, ...]] | None:
    """A variable, and the subscript that slices its rows in order; () where all of them are read."""
    match node:
        case cst.Name():
            return node, ()
        case cst.Subscript(value=cst.Name() as base, slice=parts):
            match parts[0].slice:
                case cst.Slice(step=None):
                    return base, tuple(parts)
    return None


def _lengths(run: Run, evolution: ScalarEvolution, leaves: Sequence[IterationSpace], at: cst.CSTNode) -> list[Affine | None]:
    """The length of each operand. Operands of the same shape have the same length."""
    found: list[Affine | None] = []
    by_shape: dict[str, Affine] = {}
    for leaf in leaves:
        value = run.values.get(leaf.iterable, UNKNOWN)
        length = rows_of(run, evolution, leaf, at)
        if value.kind is Kind.ARRAY and value.shape:
            length = by_shape.setdefault(value.shape, atom(size(f"<{value.shape}>", 0)) if length is None else length)
        found.append(length)
    return found


def _difference(one: Affine | None, other: Affine | None) -> int | None:
    """The number of rows by which one is longer than the other, None where that is not known."""
    return None if one is None or other is None else (one - other).number


def _rows_of(node: cst.BaseExpression) -> tuple[cst.Name | None, int]:
    """The variable whose rows an expression selects, and the number of rows that it omits at both ends."""
    found = sliced_rows(node)
    if found is None:
        return None, 0
    base, parts = found
    if not parts:
        return base, 0
    assert isinstance(parts[0].slice, cst.Slice)
    first, last = (0 if bound is None else integer(bound) for bound in (parts[0].slice.lower, parts[0].slice.upper))
    if first is None or last is None or first < 0 or last > 0 or (last == 0 and parts[0].slice.upper is not None):
        return None, 0
    return base, first - last
