"""Axes that are combined in one statement: operands must have the same number of positions, also where slices and masks vary."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ....rules.facts.dynamic_slices import Fit, Ragged
from ....rules.facts.values import UNKNOWN, Value, replace
from ....rules.syntax.source_text import code
from ...syntax.source import walk
from ..state.interpreter_state import Run
from ..state.ranks import rank_of
from ..symbolic.scalar_evolution import ScalarEvolution
from . import mask_selection
from .mask_selection import Selection, compared
from .slice_bounds import ONE, moving_names
from .sliced_axes import DynamicSlice, SlicedSubscript, Stride, Unclear, Unlike, Varying

Axis = Varying | Selection | str | None  # of a value: of a varying length, selected by a mask, of length 1 (ONE), any other
Axes = tuple[Axis, ...]


class SliceAlias(NamedTuple):
    """The value of a variable that is read later: its axes, and the slices from which it is computed."""

    axes: Axes | None
    sliced: Sequence[cst.Subscript]


@dataclass(slots=True)
class MeetingAxes(ABC):
    """The axes that are combined in one statement: the one that determines the positions, and the conditions for it."""

    root: cst.CSTNode
    run: Run
    evolution: ScalarEvolution
    ranks: dict[str, int]
    touched: frozenset[cst.CSTNode]  # nodes that contain a slice with varying bounds
    sliced_subscripts: Mapping[cst.Subscript, SlicedSubscript]
    selection: Mapping[cst.CSTNode, Selection]  # masked selections, and variables that are bound to them
    named: Mapping[cst.CSTNode, SliceAlias]
    plan: Ragged
    proven: set[str]  # arrays whose rank a product determines
    shapes: dict[cst.CSTNode, Axes | None] = field(default_factory=dict)
    # parts of arrays that are supposed to have this rank
    supposed: dict[cst.CSTNode, tuple[cst.BaseExpression, int]] = field(default_factory=dict)

    def alike(self, selection: Selection) -> None:
        """Require that a mask that selects from all axes of an array has the rank of the array; this is asserted where it is not
        certain.
        """
        if selection.same:
            return
        array, mask = selection.subscript.value, selection.mask
        own, given = value_of(self.run, array).rank, value_of(self.run, mask).rank
        if mask_selection.made_otherwise(self.run, array, mask):
            raise Unclear("the mask is computed from the array, but not element by element")
        several = max(own, rank_of(self.run, array, self.ranks)[0]) > 1  # the mask may as well select along one of the axes
        if several or (own < 0 and not isinstance(array, cst.Name)):
            raise Unclear("np2jax cannot tell whether the mask has as many dimensions as the array")
        like = compared(self.run, mask)
        if own >= 0 and isinstance(array, cst.Attribute):  # the project's code binds one of this rank; other code may not
            self.fit(array, like)
        elif own >= 0:
            self.fit(like, own)
        else:
            self.fit(array, like if given < 0 else given)

    def fit(self, array: cst.BaseExpression, rank: int | cst.BaseExpression) -> None:
        other = str(rank) if isinstance(rank, int) else code(rank)
        self.plan.fits[f"{code(array)} {other}"] = Fit(array, rank)

    def keeps_length(self, axes: Axes) -> bool:
        """Whether a slice with varying bounds has the same length in all iterations."""
        moving = moving_names(self.run, self.evolution)
        fixed = (isinstance(a, DynamicSlice) and not a.length.names & moving for a in axes)
        return any(fixed) or any(isinstance(a, Stride) and not a.moves for a in axes)

    def meets(self, operands: Sequence[cst.BaseExpression], known: bool) -> None:
        """A slice of constant length is combined with operands: one of unknown shape may have the length of the slice, where a
        mask would need the length of the whole axis.
        """
        if not known:
            raise Unclear("a slice of constant length is combined with something of unknown shape")
        self.say_supposed(operands)

    def say_supposed(self, operands: Sequence[cst.BaseExpression]) -> None:
        """Assert the ranks of parts of arrays that are known from their use only: with more axes they would not be scalars."""
        for operand in operands:
            for node, _above in walk(operand):
                if node in self.supposed:
                    self.fit(*self.supposed[node])

    def _same_selection(self, shapes: Sequence[Axes | None]) -> Axes:
        """The axes where a masked selection is combined with scalars, and with selections by the same mask from other arrays."""
        found = {a.text: a for s in shapes for a in s or () if isinstance(a, Selection)}
        if len(found) > 1 or any(s is None or not (s == () or (len(s) == 1 and isinstance(s[0], Selection))) for s in shapes):
            raise Unclear("a masked selection is combined with something other than numbers")
        return tuple(found.values())

    def _broadcast(self, shapes: Sequence[Axes]) -> Axes:
        rank = max(map(len, shapes), default=0)
        made: list[Axis] = []
        for back in range(1, rank + 1):
            met = [s[-back] for s in shapes if len(s) >= back and s[-back] != ONE]
            selected = [a for a in met if isinstance(a, Selection)]
            if selected:
                if len(selected) < len(met) or len({a.text for a in selected}) > 1:
                    raise Unclear("a masked selection is combined with something that is not under the same mask")
                made.append(selected[0])
                continue
            spans = [a for a in met if isinstance(a, Varying)]
            if not spans:
                made.append(None if met else ONE)
                continue
            if len(spans) < len(met):
                raise Unlike("a slice of a length that varies meets an axis of another length")
            made.append(self.unified(spans))
        return tuple(reversed(made))

    def unified(self, varying: Sequence[Varying]) -> Varying:
        """The axis that determines the positions, of several of the same length."""
        strides = [a for a in varying if isinstance(a, Stride)]
        spans = [a for a in varying if isinstance(a, DynamicSlice)]
        if strides and spans:
            raise Unclear("a slice with a step meets one without")
        return self._unified_strides(strides) if strides else self._unified_slices(spans)

    def _unified_strides(self, strides: Sequence[Stride]) -> Stride:
        """The stride that determines the positions. NumPy would broadcast the only element of a slice that the end of its axis
        truncates: either none is truncated, or all are in the same way.
        """
        first = strides[0]
        for other in strides[1:]:
            a, b = first.span, other.span
            both = a.length == b.length and a.inside and b.inside
            if other.by != first.by or a.wraps != b.wraps or not (both or self._same_positions(a, b)):
                raise Unclear("slices with a step are combined that may differ in length")
        if len(strides) > 1:
            self.plan.vectors.extend(s.bounds for s in strides if s.rank)
        return first

    def _same_positions(self, a: DynamicSlice, b: DynamicSlice) -> bool:
        """Whether two slices select the same positions, as far as the axes extend. These must have the same length; for arrays
        that are passed in together this is asserted where it is not known.
        """
        if a.low.known != b.low.known:
            return False
        if a.size.known == b.size.known:
            return a.high.known == b.high.known
        return not a.wraps and a.upper is None and b.upper is None and self.of_one_length(a, b)

    def of_one_length(self, a: DynamicSlice, b: DynamicSlice) -> bool:
        """Require that the axes of two arrays have one length: a slice that the end of its axis truncates to one element would be
        broadcast. Whether this can be asserted."""
        came = all(self.evolution.fixed(span.size.known, self.root) for span in (a, b))
        arrays = [
            n.value
            for span in (a, b)
            for n in self.sliced_subscripts
            if isinstance(n.value, cst.Name) and n.value.value == span.array
        ]
        if not came or len(arrays) < 2:
            return False
        self.plan.fits[f"{a.array}[{a.axis}] {b.array}[{b.axis}]"] = Fit(arrays[0], arrays[-1], (a.axis, b.axis))
        return True

    def _unified_slices(self, spans: Sequence[DynamicSlice]) -> DynamicSlice:
        first = spans[0]
        for other in spans[1:]:
            if other.length != first.length and not (other.upper is None or first.upper is None):
                raise Unlike("slices are combined that may differ in length")
        if len(spans) > 1:
            self.plan.vectors.extend(s.bounds for s in spans if s.rank)  # with more dimensions, other axes would be combined
        forward = [s for s in spans if not s.backward] or [turned(s) for s in spans]  # type: ignore[misc]
        return next((s for s in forward if s.inside), forward[0])

    def _product_of_selected(self, x: Axis, y: Axis) -> None:
        alike = isinstance(x, Selection) and isinstance(y, Selection) and x.text == y.text
        if not alike or not all(isinstance(s, Selection) and s.surrounding is not None for s in (x, y)):
            raise Unclear("a masked selection is multiplied by something other than a vector under the same mask")


def value_of(run: Run, node: cst.CSTNode) -> Value:
    return run.values.get(node, UNKNOWN)


def turned(axis: Axis) -> Axis:
    """The same positions in reverse order."""
    return replace(axis, backward=not axis.backward) if isinstance(axis, DynamicSlice) else axis
