"""How each slice is read, so that whole axes with a mask replace slices of varying length.

Among the operands of one operation, those of one of them, the reference, determine the position of each element. The other
operands are read so that they align with it. Elements outside of a dynamic slice have arbitrary values until a mask removes them:
where the axis is reduced, and where the result is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.facts.dynamic_slices import FIRST, Bounds, Mask, Product, Read, Whole
from ....rules.facts.values import replace
from ....rules.syntax.source_text import code
from ..state.index_expressions import flat
from ..state.ranks import rank_of
from ..symbolic.affine import Affine, Max, Min, text
from ..symbolic.lower_bounds import Form
from .axis_tracking import EXTREMA, FILLS, NEUTRAL, NEW, NUMBER, POSITIONS, Shapes, plain_parts
from .mask_selection import Selection
from .meeting_axes import Axes, Axis, turned, value_of
from .slice_bounds import ONE, moving_names
from .slice_reads import last, opaque, selected_by, shifted, spanned, trapping
from .sliced_axes import DynamicSlice, Stride, Unclear, Unlike, Varying


@dataclass(slots=True)
class Reader(Shapes):
    """Combines the values of one statement: first the axes of the values are determined, then how each slice is read."""

    def align(self, node: cst.BaseExpression, required: Axes) -> None:
        """Read the slices in an expression so that the positions on its axes are those of `required`."""
        if node not in self.touched:
            return
        if node in self.plan.counts:
            return
        if node in self.selection:
            self._select(node, self.selection[node])
            return
        if node in self.named:
            self._move(node, self.named[node].axes or (), required)
            return
        match node:
            case cst.Subscript() if node in self.sliced_subscripts:
                self._read(node, required)
                return
            case cst.Subscript(value=base) if (index := self.looked_up_by(node)) is not None:
                _rank, certain = rank_of(self.run, base, self.ranks)
                if not certain and isinstance(base, cst.Name):
                    self.plan.ranks[base.value] = 1
                self.align(index, required)
                return
            case cst.Subscript() if (flipped := self.flipped(node)) is not None:
                self._reverse(node, *flipped, required)
                return
            case cst.Attribute(value=base, attr=cst.Name(value="T")):
                self.align(base, required[::-1])
                return
            case cst.Subscript(value=base) if (parts := plain_parts(self.run, node)) is not None:
                rest = iter(required)
                whole: list[tuple[str, Axis]] = [(part, None if part == NUMBER else next(rest, None)) for part in parts]
                self.align(base, (*(axis for part, axis in whole if part != NEW), *rest))
                return
            case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
                self._align_product(node, left, right, required)
                return
            case cst.Call():
                if (pair := self.factors(node)) is not None:
                    self._align_product(node, *pair, required)
                    return
                if (pair := self.outer(node)) is not None:
                    self.align(pair[0], required[:1])
                    self.align(pair[1], required[1:])
                    return
                if (reduced := self.reduction(node)) is not None:
                    self._align_reduction(node, *reduced, required)
                    return
                if (flipped := self.flipped(node)) is not None:
                    self._reverse(node, *flipped, required)
                    return
        undefined, safe = trapping(self.run, node)
        for operand in self.operands(node):
            if operand in undefined and (selected := self._only(operand)) is not None:
                self.plan.masks[operand] = selected_by(*selected, safe)  # not even the derivative depends on masked elements
            self.align(operand, last(required, self.shape(operand) or ()))

    def _reverse(
        self, node: cst.Call | cst.Subscript, operand: cst.BaseExpression, reverse: tuple[int, ...], required: Axes
    ) -> None:
        self.plan.reversals.add(node)
        self.align(operand, tuple(turned(a) if k in reverse else a for k, a in enumerate(required)))

    def _move(self, node: cst.BaseExpression, axes: Axes, required: Axes) -> None:
        """Shift the value of a variable along its first axis where that is needed."""
        for k, (own, want) in enumerate(zip(axes, required, strict=True)):
            if isinstance(own, DynamicSlice) and isinstance(want, DynamicSlice) and own.backward != want.backward:
                raise Unclear("a slice in a variable runs in the opposite direction")
            if not isinstance(own, Varying) or not isinstance(want, Varying):
                continue
            offset = shifted(own, want)[1]
            if offset.known.number == 0:
                continue
            rolled = self._rolled(axes, required) if k == 0 else None
            if rolled is None or opaque(offset) or spanned(own).wraps or spanned(want).wraps:
                raise Unclear("a slice in a variable is shifted relative to the other operand")
            self._must_be_written(offset)
            self.plan.moved[node] = rolled

    def _align_product(
        self, node: cst.BaseExpression, left: cst.BaseExpression, right: cst.BaseExpression, required: Axes
    ) -> None:
        a, b = self.shape(left), self.shape(right)
        assert a and b
        x, y = a[-1], b[-2] if len(b) == 2 else b[0]
        met: Axis = None
        if isinstance(x, Varying) and isinstance(y, Varying):
            met = self.unified([x, y])
            typed = self._typed(node, left, right) if len(a) == len(b) == 1 else None
            if typed is None:
                self.masked(left, 0, met)
                self.masked(right, len(b) - 1, met)
            else:
                self.plan.products[node] = Product(left, right, Mask(((0, self.bounds(met)),)), typed)
        elif isinstance(x, Selection):
            self.plan.masks[left], self.plan.masks[right] = selected_by(x, 0, "0"), selected_by(x, len(b) - 1, "0")
            met = x
        rows = len(a) - 1
        self.align(left, (*required[:rows], met))
        self.align(right, (met, *required[rows:]))

    def _typed(self, node: cst.BaseExpression, left: cst.BaseExpression, right: cst.BaseExpression) -> tuple[str, ...] | None:
        """The variables whose dtypes determine the dtype of a product of vectors, none where a sum has it anyway; None where it
        is unknown.

        A sum of narrow integers or of bools is wider than the product that NumPy computes.
        """
        if isinstance(node, cst.Call) and (self.run.scopes.qualname(node.func) or "").endswith("vdot"):
            return None  # it conjugates
        dtypes = [value_of(self.run, side).dtype for side in (left, right)]
        if any(category(dtype) >= 2 for dtype in dtypes) or all(dtype == "int64" for dtype in dtypes):
            return ()
        arrays = []
        for side in (left, right):
            inner = self.flipped(side) if isinstance(side, (cst.Call, cst.Subscript)) else None
            array = inner[0] if inner is not None else side
            array = array.value if isinstance(array, cst.Subscript) else array
            if not isinstance(array, cst.Name):
                return None
            arrays.append(array.value)
        return tuple(dict.fromkeys(arrays))

    def _align_reduction(
        self, call: cst.Call, operand: cst.BaseExpression, along: tuple[int, ...], name: str, required: Axes
    ) -> None:
        axes = self.shape(operand)
        assert axes is not None
        if name in POSITIONS:
            self._align_positions(call, operand, axes, name)
            return
        rest = iter(required)
        aligned: list[Axis] = []
        masks: list[tuple[int, Varying]] = []
        for k, axis in enumerate(axes):
            if k not in along:
                aligned.append(next(rest, None))
            elif isinstance(axis, Selection):
                aligned.append(axis)
                mask = selected_by(axis, len(axes) - 1 - k, self.fill(call, operand, name, []))
                if axis.surrounding is None and (position := self.axis_argument(call)) is not None:
                    self.plan.axes_left_out[call] = position
                if mask.fill == "where":
                    self.plan.reductions[call] = mask
                else:
                    self.plan.masks[operand] = mask
            elif isinstance(axis, Varying):
                aligned.append(self.unified([axis]))
                masks.append((len(axes) - 1 - k, self.unified([axis])))
            else:
                aligned.append(axis)
        self.align(operand, tuple(aligned))
        if not masks:
            return
        mask = Mask(tuple((back, self.bounds(s)) for back, s in masks), self.fill(call, operand, name, masks))
        if mask.fill == "where":
            self.plan.reductions[call] = mask
        else:
            self.plan.masks[operand] = mask

    def _align_positions(self, call: cst.Call, operand: cst.BaseExpression, axes: Axes, name: str) -> None:
        """Align the operand of `argmax` or `argmin`, whose result counts from the start of the slice.

        What replaces the masked elements is no better than the first one of the slice. So if a masked one is found, none of the slice is
        better than its first one, which NumPy finds.
        """
        span = axes[0]
        if not isinstance(span, DynamicSlice) or not span.inside or span.wraps or span.backward or opaque(span.low):
            raise Unclear(f"`{name}` of it is a position in a slice that may leave the array")
        self._must_be_written(span.low)
        self.align(operand, (span,))
        start = text(span.low.written)
        direct = operand in self.sliced_subscripts and span.size.known == self.evolution.extent(span.array, 0, operand)
        fill = f"={span.array}[{start}]" if direct else NEUTRAL[POSITIONS[name]]
        self.plan.masks[operand] = Mask(((0, self.bounds(span)),), fill)
        if span.low.known.number != 0:
            match self.run.source.parents[call]:
                case cst.BinaryOperation(left=left, operator=cst.Add(), right=right) as added if (
                    code(right if left is call else left) == start
                ):
                    self.plan.starts[added] = (call, start)
                case _:
                    self.plan.starts[call] = (call, start)

    def _must_be_written(self, *forms: Form) -> None:
        """Raise Unclear where Python would have to compute a minimum or maximum of traced values in the text of a form."""
        moving = moving_names(self.run, self.evolution)
        for form in forms:
            if any(isinstance(a, (Min, Max)) and Affine(0, ((a, 1),)).names & moving for a in form.written.atoms):
                raise Unclear("a slice starts at a minimum or maximum of numbers that change in each iteration")

    def fill(self, call: cst.Call, operand: cst.BaseExpression, name: str, masks: list[tuple[int, Varying]]) -> str:
        """The value that replaces masked elements."""
        if name in FILLS:
            return FILLS[name]
        if category(value_of(self.run, operand).dtype) == 2:
            return EXTREMA[name]
        direct = operand in self.sliced_subscripts and isinstance(operand, cst.Subscript) and len(self.shape(operand) or ()) == 1
        if direct and masks and isinstance(masks[0][1], DynamicSlice):
            return FIRST
        if category(value_of(self.run, operand).dtype) != 3:
            return NEUTRAL[name]
        raise Unclear(f"the dtype of what `{name}` compares is not known")

    def masked(self, node: cst.BaseExpression, back: int, span: Varying) -> None:
        before = self.plan.masks.get(node)
        self.plan.masks[node] = Mask((*(before.axes if before else ()), (back, self.bounds(span))))

    def bounds(self, span: Varying) -> Bounds:
        bounds = span.bounds
        known = spanned(span).size.known
        is_unchanged = self.evolution.fixed(known, self.root)
        along = text(known) if is_unchanged else f"{bounds.array}.shape[{bounds.axis}]"
        return replace(bounds, along=along, rank=0 if span.array in self.proven else bounds.rank)

    def _read(self, node: cst.Subscript, required: Axes) -> None:
        found = self.sliced_subscripts[node]
        parts: dict[int, object] = {}
        for own, want, part in zip(found.axes, required, found.parts, strict=True) if required else ():
            if isinstance(own, Varying):
                assert isinstance(want, Varying)
                sign, offset = shifted(own, want)
                a, b = spanned(own), spanned(want)
                if (a.wraps or b.wraps) and (sign < 0 or offset.known.number != 0):
                    raise Unclear("a bound may be negative, and count from the end")
                # slices that both extend to the end have axes of the same length, or NumPy raises
                differ = a.size.known != b.size.known and (a.upper is not None or b.upper is not None)
                if isinstance(own, Stride) and offset.known.number == 0 and differ:
                    raise Unclear("slices with a step are combined, whose arrays may differ in length")
                if sign > 0 and offset.known.number == 0:
                    parts[part] = self._fixed_bound(a, b)
                    # arrays have one length of which the first items are read, or the same segments: bounds that an array holds
                    held = any("[" in name for name in a.low.known.names if name.startswith("<"))
                    window = a.lower is not None and b.lower is not None and not held
                    if differ and window and parts[part] is None and not self.of_one_length(a, b):
                        raise Unclear("slices are combined, whose arrays may differ in length")
                elif opaque(offset):
                    raise Unclear("slices whose bounds are products are shifted relative to each other")
                else:
                    self._must_be_written(offset)
                    parts[part] = (sign, text(offset.written), self.bounds(want))
        if len(parts) == len(flat(node)) == 1 and (roll := self._rolled(found.axes, required)) is not None:
            self.plan.reads[node] = Read({}, roll)
            return
        gathered = [p for p, how in parts.items() if isinstance(how, tuple)]
        if gathered and not self._in_place(node, gathered):
            raise Unclear("slices are shifted relative to each other along several axes")
        if parts:
            self.plan.reads[node] = Read(parts)  # type: ignore[arg-type]

    def _rolled(self, axes: Axes, required: Axes) -> tuple[int, str] | None:
        """The shift of an axis relative to one of the same length, and whether it is reversed (sign -1)."""
        own, want = axes[0], required[0]
        if not isinstance(own, DynamicSlice) or not isinstance(want, DynamicSlice) or own.size.known != want.size.known:
            return None
        sign, offset = shifted(own, want)
        if sign > 0 and offset.known.number == 0:
            return None
        return sign, text((offset + 1).written if sign < 0 else offset.written * -1)

    def _fixed_bound(self, own: DynamicSlice, want: DynamicSlice) -> cst.BaseSlice | None:
        """A bound that does not vary stays where it makes the axis as long as the axis that it is combined with."""
        if own.fixed and own.size.known != want.size.known and own.high.known == want.size.known:
            return cst.Slice(None, own.upper)
        return None

    def _in_place(self, node: cst.Subscript, gathered: list[int]) -> bool:
        """Whether array indices preserve the order of the axes."""
        arrays = [k for k, p in enumerate(flat(node)) if k in gathered or isinstance(p, cst.Index)]
        return len(gathered) == 1 and (arrays[-1] - arrays[0] + 1 == len(arrays) or gathered[0] == 0)

    def _only(self, node: cst.BaseExpression) -> tuple[Selection, int] | None:
        """A masked selection, and the number of axes of the value behind it."""
        axes = self.shape(node) or ()
        return next(((a, len(axes) - 1 - k) for k, a in enumerate(axes) if isinstance(a, Selection)), None)

    def _select(self, node: cst.BaseExpression, selection: Selection) -> None:
        """Read the whole array; it must have as many dimensions as the mask."""
        source = selection.subscript.value
        self.whole(source)
        self.plan.selected[node] = None if selection.named else Whole(selection.subscript, selection.part)
        if selection.surrounding is not None:
            self._must_fit(selection)
        else:
            self.alike(selection)

    def stored_where(self, target: cst.BaseExpression, selection: Selection, value: cst.BaseExpression) -> None:
        """`x[mask] = value`, `x[mask] op= value`."""
        shape = self.shape(value)
        axes = self.shape(target) or ()
        if shape is None or len(shape) > len(axes) or (shape and self._broadcast([axes, shape]) != axes):
            raise Unclear("a masked selection is assigned a value of another length")
        self.say_supposed([value])
        if selection.surrounding is not None:
            self._must_fit(selection)
        else:
            self.alike(selection)
        assert isinstance(target, cst.Subscript)
        self.plan.stores[target] = selected_by(selection, (selection.surrounding or (0, 0))[1], "0")
        if len(flat(target)) > 1:
            self.plan.reads[target] = Read({selection.part: None})
        self.align(value, shape)

    def _must_fit(self, selection: Selection) -> None:
        """Require that array and mask have the ranks with which the mask selects along one axis."""
        array = selection.subscript.value
        if selection.rank:
            self.fit(array, selection.rank)
        if selection.vector is not None:
            self.fit(selection.vector, 1)

    def looked_up(self, node: cst.Subscript) -> bool:
        """Whether the only moving slice of a subscript is short."""
        windows = self.sliced_subscripts[node].windows
        return all(w.short for w in windows.values()) and len(windows) == 1 and self._in_place(node, list(windows))

    # --- stores ---

    def stored(self, targets: Sequence[cst.Subscript], value: cst.BaseExpression) -> None:
        """Align `target = value` or `target op= value`: the value at the positions of the target."""
        shape = self.shape(value) if value in self.touched else self.plain(value)
        first: Axes | None = None
        for target in targets:
            axes, windows = self._axes(target), self.sliced_subscripts[target].windows
            self.plan.targets.add(target)
            if windows and (len(windows) > 1 or not self._in_place(target, list(windows))):
                raise Unclear("the indices of the target would bring its axes into another order")
            spans = tuple((len(axes) - 1 - k, a) for k, a in enumerate(axes) if isinstance(a, Varying))
            if not spans and value not in self.touched:
                continue
            if any(isinstance(s, DynamicSlice) and s.backward for _k, s in spans):
                raise Unclear("it is stored backwards")
            if shape is not None:
                self._fits(shape, axes)
            if self.keeps_length(axes):
                self.meets([value], shape is not None)
            if len(targets) > 1 and any(isinstance(s, Stride) for _k, s in spans):
                raise Unclear("several stores to it have a step")
            if first is not None and [spanned(a).low.known for a in first if isinstance(a, Varying)] != [
                spanned(s).low.known for _k, s in spans
            ]:
                raise Unclear("it is stored at several positions")
            first = axes if first is None else first
            if spans:
                self.plan.stores[target] = Mask(tuple((back, self.bounds(s)) for back, s in spans))
                found = self.sliced_subscripts[target]
                self.plan.reads[target] = Read(
                    {p: None for p, a in zip(found.parts, axes, strict=True) if isinstance(a, Varying)}
                )
        if value in self.touched:
            assert first is not None
            self.align(value, last(first, shape or ()))

    def _fits(self, value: Axes, target: Axes) -> None:
        if len(value) > len(target):
            raise Unclear("a value of more dimensions is stored")
        for back in range(1, len(value) + 1):
            own, place = value[-back], target[-back]
            if own == ONE or (own is None and place is None):
                continue
            if not isinstance(own, Varying) or not isinstance(place, Varying):
                raise Unlike("a slice of a length that varies meets an axis of another length")
            self.unified([place, own])
            if back == 1 and (own.array in self.proven or not own.rank):
                self.proven.add(place.array)  # the axes of an array of more dimensions would align differently with this value
