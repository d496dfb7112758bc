"""What a slice selects along one axis: its section, its stride, and how the subscript around it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from ....rules.facts.dynamic_slices import Bounds, Window
from ....rules.facts.values import UNKNOWN, replace
from ..state.interpreter_state import Run
from ..symbolic.affine import Affine
from ..symbolic.lower_bounds import Form


class Unclear(Exception):
    """Why a slice with varying bounds cannot be expressed in JAX."""


class Unlike(Unclear):
    """A slice is combined with an operand that is not known to have the same length. Where one of them is truncated by the end of
    its array, NumPy raises.
    """


@dataclass(frozen=True, slots=True)
class DynamicSlice:
    """The positions `low`, ..., `high - 1` along an axis of an array, in this or the reverse order.

    `lower` and `upper` are the bounds in the text, None at the ends of the axis. `inside`: `high` is at most the size. `rank`:
    the rank of the array where only its use shows it, else 0. `fixed`: `high` does not vary.
    """

    array: str
    axis: int
    low: Form
    high: Form
    size: Form
    lower: cst.BaseExpression | None
    upper: cst.BaseExpression | None
    inside: bool
    rank: int
    fixed: bool
    backward: bool = False
    wraps: bool = False  # a bound may be negative, as far as is known

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.array, self.axis, self.lower, self.upper, self.rank, wraps=self.wraps)

    @property
    def length(self) -> Affine:
        return self.high.known - self.low.known


@dataclass(frozen=True, slots=True)
class Stride:
    """Every `step`-th position of a dynamic slice, from its first one on; the step is positive. `by`: the step in resolved form.

    The first position determines all others: it is not negative, and must not be clamped to the start of the axis.
    """

    span: DynamicSlice
    step: cst.BaseExpression
    by: Affine
    moves: bool  # the step varies between iterations

    @property
    def array(self) -> str:
        return self.span.array

    @property
    def rank(self) -> int:
        return self.span.rank

    @property
    def bounds(self) -> Bounds:
        return replace(self.span.bounds, step=self.step)


Varying = DynamicSlice | Stride  # the positions of an axis that is sliced to a varying length
Axis = Varying | str | None  # of a value: of a varying length, of length 1 (ONE), any other
Axes = tuple[Axis, ...]


@dataclass(frozen=True, slots=True)
class SlicedSubscript:
    """A subscript with a varying slice: the axes of the result, and the part of the subscript that each comes from (-1: none)."""

    axes: Axes
    parts: tuple[int, ...]
    windows: Mapping[int, Window]
    signs: frozenset[Form] = frozenset()  # what must not be negative for it to select this


def varies(run: Run, node: cst.BaseExpression | None) -> bool:
    """Whether an expression is unknown when JAX traces, where its loops are compiled."""
    if node is None:
        return False
    value = run.values.get(node, UNKNOWN)
    return value.traced or any(d.startswith("loop:") for d in value.deps)


def slices(part: cst.Slice) -> tuple[cst.BaseExpression | None, ...]:
    return part.lower, part.upper, part.step


@dataclass(frozen=True, slots=True)
class How:
    """A strategy for slices. `windowed`: slices of constant length become windows. `supposed`: no iteration is supposed to have a
    negative bound. `inside`: no slice of constant length is supposed to end beyond the array. `guarded`: code on the host tests what is
    supposed, and runs the original otherwise.
    """

    windowed: bool = True
    supposed: bool = False
    inside: bool = False
    guarded: bool = False
