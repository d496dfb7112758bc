"""Arrays that `zip` goes through together: which of them are cut, so that all have as many rows as the shortest.

Python stops where the first of them ends; what JAX maps or scans must be of one length.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.loops import Zipped
from ....rules.facts.values import UNKNOWN
from ..state.index_expressions import literal_int
from ..state.interpreter_state import Run
from ..symbolic.affine import Affine, atom, size
from ..symbolic.scalar_evolution import ScalarEvolution


def zipped(run: Run, evolution: ScalarEvolution, clause: cst.For | cst.CompFor, at: cst.CSTNode) -> Zipped | None:
    """How what a loop goes through together becomes equally long, as things stand at `at`; None for a single array."""
    return measured(run, evolution, clause, at)[0]


def measured(
    run: Run, evolution: ScalarEvolution, clause: cst.For | cst.CompFor, at: cst.CSTNode
) -> tuple[Zipped | None, Affine | None]:
    """The same, and how many iterations there are, or a number below 0 where there are none; None where it is not known."""
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
    assert minimum is not None  # two lengths of which one is not known differ by nobody knows how much
    return Zipped(operands, tuple(_difference(length, minimum) or 0 for length in lengths), (shortest,)), minimum


def rows_of(run: Run, evolution: ScalarEvolution, space: IterationSpace, at: cst.CSTNode) -> Affine | None:
    """How many rows an array has, or the numbers of a range; a number below 0 where there are none."""
    if space.is_range:
        return evolution.form(space.bounds[0], at) if len(space.bounds) == 1 else None
    base, skipped = _rows_of(space.iterable)
    if base is None:
        return None
    if run.values.get(base, UNKNOWN).kind is Kind.ARRAY:
        return evolution.extent(base.value, 0, at) - skipped
    return atom(size(f"<{base.value}>", 0)) - skipped  # a list of numbers, perhaps: one variable is as long as itself


def sliced_rows(node: cst.BaseExpression) -> tuple[cst.Name, tuple[cst.SubscriptElement, ...]] | None:
    """A variable, and the subscript that takes its rows from one to another one in their order; () where it takes all of them."""
    match node:
        case cst.Name():
            return node, ()
        case cst.Subscript(value=cst.Name() as base, slice=parts):
            match parts[0].slice:
                case cst.Slice(step=None):
                    return base, tuple(parts)
    return None


def _lengths(run: Run, evolution: ScalarEvolution, leaves: Sequence[IterationSpace], at: cst.CSTNode) -> list[Affine | None]:
    """How long each operand is. What has the shape of another one is as long as that."""
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
    """By how many rows one is longer than another one, None where that is not known."""
    return None if one is None or other is None else (one - other).number


def _rows_of(node: cst.BaseExpression) -> tuple[cst.Name | None, int]:
    """The variable whose rows an expression takes, and how many of them it leaves out at its ends."""
    found = sliced_rows(node)
    if found is None:
        return None, 0
    base, parts = found
    if not parts:
        return base, 0
    assert isinstance(parts[0].slice, cst.Slice)
    first, last = (0 if bound is None else literal_int(bound) for bound in (parts[0].slice.lower, parts[0].slice.upper))
    if first is None or last is None or first < 0 or last > 0 or (last == 0 and parts[0].slice.upper is not None):
        return None, 0
    return base, first - last
