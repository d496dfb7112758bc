"""The axes of the values in one statement, where slices of varying length and selections are combined.

An axis that is sliced to a varying length is a DynamicSlice of positions, or a Stride over them. Operands of the same operation
must have the same number of positions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import integer
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.source_text import code
from ...syntax.source import children
from ..state.index_expressions import flat
from ..state.interpreter_state import Run
from ..state.ranks import rank_of
from .mask_selection import Selection
from .meeting_axes import Axes, Axis, MeetingAxes, turned, value_of
from .slice_bounds import ONE
from .slice_reads import is_reversal
from .sliced_axes import DynamicSlice, Unclear, Unlike, Varying

NORM = "linalg.norm"
FILLS = {
    "sum": "0",
    "prod": "1",
    "any": "False",
    "all": "True",
    "count_nonzero": "0",
    "mean": "where",
    "std": "where",
    "var": "where",
    "nansum": "0",
    "nanprod": "1",
    "nanmean": "where",
    "nanstd": "where",
    "nanvar": "where",
    NORM: "0",
}
EXTREMA = {"max": "-inf", "amax": "-inf", "min": "inf", "amin": "inf"}
NEUTRAL = {"max": "nanmin", "amax": "nanmin", "min": "nanmax", "amin": "nanmax"}  # of the whole array, whatever its dtype is
POSITIONS = {"argmax": "amax", "argmin": "amin"}  # of the first extremum, in a slice that is read as it is
PRODUCTS = ("dot", "matmul", "inner", "vdot")
SAME = ("copy", "astype", "conj", "conjugate")
FLIPS = {"flip": None, "flipud": 0, "fliplr": 1}
ALL, SOME, NEW, NUMBER = "all", "some", "new", "number"  # parts of a subscript


@dataclass(slots=True)
class Shapes(MeetingAxes):
    """The axes of the values of one statement, or why they are not known."""

    @abstractmethod
    def align(self, node: cst.BaseExpression, required: Axes) -> None:
        """Read the slices in an expression so that the positions on its axes are those of `required`."""

    def shape(self, node: cst.BaseExpression) -> Axes | None:
        """The axes of a value, None where their number is not known. Raises Unclear."""
        if node not in self.shapes:
            self.shapes[node] = self._shape(node) if node in self.touched else self.plain(node)
        return self.shapes[node]

    def plain(self, node: cst.BaseExpression) -> Axes | None:
        value = value_of(self.run, node)
        if value.kind is Kind.SCALAR:
            return ()
        if isinstance(node, cst.Subscript) and not (value.kind is Kind.ARRAY and value.rank >= 0):
            return self._selected(node)
        rank, _certain = rank_of(self.run, node, self.ranks)
        if rank < 0 and (operands := self.operands(node)):
            return self._meeting(operands)
        return None if rank < 0 else (None,) * rank

    def _selected(self, node: cst.Subscript) -> Axes | None:
        """The axes of a subscript of an array whose rank is known from its use only."""
        whole, certain = rank_of(self.run, node.value, self.ranks)
        rank = whole
        for part in flat(node):
            if isinstance(part, cst.Index):
                if value_of(self.run, part.value).kind is not Kind.SCALAR:
                    return None
                rank -= 1
        if not certain:
            self.supposed[node] = node.value, whole
        return None if rank < 0 else (None,) * rank

    def _shape(self, node: cst.BaseExpression) -> Axes | None:
        if node in self.selection:
            ahead, behind = self.selection[node].surrounding or (0, 0)
            return (None,) * ahead + (self.selection[node],) + (None,) * behind
        if node in self.named:
            return self.named[node].axes
        if (counted := self.counted(node)) is not None:
            self.plan.counts[node] = counted.mask
            return ()
        match node:
            case cst.Subscript() if node in self.sliced_subscripts:
                return self._axes(node)
            case cst.Subscript() if (index := self.looked_up_by(node)) is not None:
                return self.shape(index)
            case cst.Subscript() if (flipped := self.flipped(node)) is not None:
                return self._turned(*flipped)
            case cst.Attribute(value=base, attr=cst.Name(value="T")) if base in self.touched:
                return None if (axes := self.along(base)) is None else axes[::-1]
            case cst.Subscript(value=base) if (parts := plain_parts(self.run, node)) is not None and base in self.touched:
                return self._parts_of(base, parts)
            case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left, right=right):
                return self._product(left, right)
            case cst.Call():
                if (pair := self.factors(node)) is not None:
                    return self._product(*pair)
                if (pair := self.outer(node)) is not None:
                    return (*(self.shape(pair[0]) or ()), *(self.shape(pair[1]) or ()))
                if (reduced := self.reduction(node)) is not None:
                    return self._reduced(*reduced)
                if (flipped := self.flipped(node)) is not None:
                    return self._turned(*flipped)
        if operands := self.operands(node):
            return self._meeting(operands)
        self.consumed(node)
        return self.plain(node)

    def counted(self, node: cst.BaseExpression) -> Selection | None:
        """The masked selection, where only its number of elements is used: `len(x[mask])`, `x[mask].size`."""
        match node:
            case cst.Call(func=func, args=[cst.Arg(value=inner, keyword=None, star="")]):
                found = self._first(inner)
                return found if self.run.scopes.qualname(func) == "builtins.len" else None
            case cst.Subscript(
                value=cst.Attribute(value=inner, attr=cst.Name(value="shape")),
                slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))],
            ):
                return self._first(inner)
            case cst.Attribute(value=inner, attr=cst.Name(value="size")):
                found = self.selection.get(inner)
                vector = found is not None and found.surrounding == (0, 0) and not found.rank and found.vector is None
                if found is not None and not vector:
                    if found.surrounding is not None and not found.same:
                        raise Unclear("the number of axes besides the masked one is unknown")
                    self.alike(found)
                return found
        return None

    def _first(self, node: cst.BaseExpression) -> Selection | None:
        """The selection, where its first axis is the one along which the mask selects."""
        found = self.selection.get(node)
        return found if found is not None and (found.surrounding is None or not found.surrounding[0]) else None

    def along(self, node: cst.BaseExpression) -> Axes | None:
        """The axes of a value, each of which is an axis of the array."""
        axes = self.shape(node)
        if axes is not None and any(isinstance(a, Selection) and a.surrounding is None for a in axes):
            raise Unclear("the rank of the mask is unknown")
        return axes

    def _parts_of(self, base: cst.BaseExpression, parts: Sequence[str]) -> Axes:
        """The axes of a subscript of a value with whole axes, static slices, new axes and numbers."""
        axes = self.along(base)
        if axes is None or len(axes) < sum(part != NEW for part in parts):
            raise Unclear(f"the number of dimensions of `{code(base)}` is not known")
        own, made = list(axes), list[Axis]()
        for part in parts:
            axis = ONE if part == NEW else own.pop(0)
            if part in (SOME, NUMBER) and isinstance(axis, (Varying, Selection)):
                raise Unclear("an axis of varying length is sliced")
            made += [] if part == NUMBER else [axis]
        return (*made, *own)

    def _axes(self, node: cst.Subscript) -> Axes:
        for part in flat(node):
            if isinstance(part, cst.Index):
                self.whole(part.value)
        return self.sliced_subscripts[node].axes

    def looked_up_by(self, node: cst.Subscript) -> cst.BaseExpression | None:
        """The index of an elementwise lookup in a vector, where the index has as many elements as a slice."""
        parts = flat(node)
        if node.value in self.touched or len(parts) != 1 or not isinstance(parts[0], cst.Index):
            return None
        index = parts[0].value
        if index not in self.touched or value_of(self.run, node.value).kind is not Kind.ARRAY:
            return None
        axes = self.shape(index)
        alone = axes is not None and len(axes) == 1 and isinstance(axes[0], DynamicSlice)
        return index if alone and rank_of(self.run, node.value, self.ranks)[0] == 1 else None

    def whole(self, node: cst.BaseExpression) -> None:
        """Require that a value has no axis of varying length: it is used by an operation that is not known here."""
        if node not in self.touched:
            return
        axes = self.shape(node)
        if axes is not None and any(isinstance(a, (Varying, Selection)) for a in axes):
            raise Unclear(f"what uses `{code(node)}`, of varying length, may not accept a mask")
        self.align(node, axes or ())

    def consumed(self, node: cst.CSTNode) -> None:
        for child in children(node):
            if isinstance(child, cst.BaseExpression):
                self.whole(child)
            elif child in self.touched:
                self.consumed(child)

    def operands(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The elementwise operands of an operation; empty for any other operation."""
        match node:
            case cst.BinaryOperation(operator=operator, left=left, right=right):
                return [] if isinstance(operator, cst.MatrixMultiply) else [left, right]
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus() | cst.BitInvert(), expression=inner):
                return [inner]
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                return [] if isinstance(operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)) else [left, right]
            case cst.Call(func=cst.Attribute(value=base, attr=cst.Name(value=name))) if name in SAME and base in self.touched:
                return [base] if not any(a.value in self.touched for a in node.args) else []
            case cst.Call(args=args) if not any(a.keyword is not None or a.star for a in args):
                name = self.run.scopes.qualname(node.func) or ""
                entry = numpy_table.function(name) if name.startswith("numpy.") else None
                if name == "numpy.where" and len(args) == 3:
                    return [a.value for a in args]
                if entry is not None and entry.ufunc and len(args) == entry.ufunc:
                    return [a.value for a in args]
        return []

    def factors(self, call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The two operands of a call that multiplies and sums (a contraction)."""
        if any(a.keyword is not None or a.star for a in call.args):
            return None
        name = self.run.scopes.qualname(call.func) or ""
        if name.removeprefix("numpy.") in PRODUCTS and name.startswith("numpy.") and len(call.args) == 2:
            left, right = call.args[0].value, call.args[1].value
            flat_only = name in ("numpy.inner", "numpy.vdot")
            if flat_only and any(len(self.shape(side) or ()) != 1 for side in (left, right)):
                return None
            return left, right
        match call:
            case cst.Call(func=cst.Attribute(value=left, attr=cst.Name(value="dot")), args=[argument]) if not name:
                return left, argument.value
        return None

    def outer(self, call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The operands of an outer product of vectors."""
        match call:
            case cst.Call(args=[cst.Arg(value=left, keyword=None), cst.Arg(value=right, keyword=None)]):
                if self.run.scopes.qualname(call.func) in ("numpy.outer", "numpy.multiply.outer"):
                    one = all(len(self.shape(side) or ()) == 1 for side in (left, right))
                    return (left, right) if one else None
        return None

    def _turned(self, operand: cst.BaseExpression, reverse: tuple[int, ...]) -> Axes:
        axes = self.shape(operand)
        assert axes is not None
        return tuple(turned(a) if k in reverse else a for k, a in enumerate(axes))

    def flipped(self, call: cst.Call | cst.Subscript) -> tuple[cst.BaseExpression, tuple[int, ...]] | None:
        """The operand of np.flip, or that of `x[:i][::-1]`, and the axes that are reversed."""
        if isinstance(call, cst.Subscript):
            inner = call.value
            if inner not in self.touched or not is_reversal(call) or not (axes := self.shape(inner)):
                return None
            return (inner, (0,)) if isinstance(axes[0], DynamicSlice) else None
        name = self.run.scopes.qualname(call.func) or ""
        short = name.removeprefix("numpy.")
        if short not in FLIPS or not name.startswith("numpy.") or not call.args or call.args[0].keyword is not None:
            return None
        operand = call.args[0].value
        axes = self.shape(operand)
        if axes is None:
            return None
        if short == "flip" and len(call.args) == 1 and len(axes) == 1:
            return operand, (0,)
        if short == "flip" and len(call.args) == 2 and (axis := integer(call.args[1].value)) is not None:
            one = (axis % len(axes),) if -len(axes) <= axis < len(axes) else ()
            return (operand, one) if one and isinstance(axes[one[0]], DynamicSlice) else None
        fixed = FLIPS[short]
        return (operand, (fixed,)) if fixed is not None and len(axes) > fixed and isinstance(axes[fixed], DynamicSlice) else None

    def reduction(self, call: cst.Call) -> tuple[cst.BaseExpression, tuple[int, ...], str] | None:
        """The operand of a reduction, the axes that it reduces, and its name."""
        name = self.run.scopes.qualname(call.func) or ""
        args = list(call.args)
        if name.startswith("numpy."):
            short = name.removeprefix("numpy.")
            if not args or args[0].keyword is not None or args[0].star:
                return None
            operand, args = args[0].value, args[1:]
        elif isinstance(call.func, cst.Attribute) and not name:
            short, operand = call.func.attr.value, call.func.value
        else:
            return None
        if short in POSITIONS and not args and operand in self.touched and len(self.shape(operand) or ()) == 1:
            return operand, (0,), short
        if short not in FILLS and short not in EXTREMA:
            return None
        if short == NORM and any(a.keyword is None for a in args):  # of another order
            return None
        axes = self.shape(operand)
        if axes is None:
            raise Unclear(f"the number of dimensions of `{code(operand)}` is not known")
        along: tuple[int, ...] = tuple(range(len(axes)))
        for position, argument in enumerate(args):
            keyword = argument.keyword.value if argument.keyword is not None else "axis" if position == 0 else ""
            if keyword == "axis" and code(argument.value) != "None":
                axis = integer(argument.value)
                if axis is None or not -len(axes) <= axis < len(axes):
                    raise Unclear("the axis is not written there")
                # code rarely names the only axis of a vector
                if len(axes) == 1 and isinstance(axes[0], Varying) and axes[0].rank:
                    raise Unclear(f"the number of dimensions of `{axes[0].array}` is not known")
                along = (axis % len(axes),)
                if (
                    any(isinstance(a, Selection) and a.surrounding is None for a in axes)
                    and keyword == "axis"
                    and args[position + 1 :]
                ):
                    raise Unclear("an axis of a masked selection is named before others")
            elif keyword not in ("axis", "dtype", "ddof"):
                raise Unclear(f"`{short}` has more arguments than an axis")
        return operand, along, short

    def axis_argument(self, call: cst.Call) -> int | None:
        """The position of the argument of a reduction that names an axis."""
        positional = 0 if call.func in self.touched else 1
        for position, argument in enumerate(call.args):
            named = argument.keyword.value == "axis" if argument.keyword is not None else position == positional
            if named and code(argument.value) != "None":
                return position
        return None

    def _reduced(self, operand: cst.BaseExpression, along: tuple[int, ...], name: str) -> Axes:
        axes = self.shape(operand)
        assert axes is not None
        return tuple(a for k, a in enumerate(axes) if k not in along)

    def _meeting(self, operands: Sequence[cst.BaseExpression]) -> Axes | None:
        """The broadcast axes of the operands of an elementwise operation."""
        shapes = [self.shape(o) for o in operands]
        if not operands:
            return None
        known = [s for s in shapes if s is not None]
        selected = [a for s in known for a in s if isinstance(a, Selection)]
        if selected:
            self.say_supposed(operands)
        if any(a.surrounding is None for a in selected):
            return self._same_selection(shapes)
        if selected and len(known) < len(shapes):
            raise Unclear("a masked selection is combined with something of unknown shape")
        if not selected and not any(isinstance(a, Varying) for s in known for a in s):
            made = self._broadcast(known)
            return made if made or len(known) == len(shapes) else None
        made = self._broadcast(known)
        if self.keeps_length(made):
            self.meets(operands, len(known) == len(shapes))
        return made

    def _product(self, left: cst.BaseExpression, right: cst.BaseExpression) -> Axes:
        a, b = self.shape(left), self.shape(right)
        if not a or not b or len(a) > 2 or len(b) > 2:
            raise Unclear("the ranks of the factors are unknown")
        x, y = a[-1], b[-2] if len(b) == 2 else b[0]
        if isinstance(x, Selection) or isinstance(y, Selection):
            self._product_of_selected(x, y)
        if isinstance(x, Varying) != isinstance(y, Varying):
            raise Unlike("a slice of a length that varies is multiplied by one that does not")
        if isinstance(x, Varying) and isinstance(y, Varying):
            self.unified([x, y])
            self.proven.add(x.array)  # with more dimensions, other axes would be contracted, of which only one varies
            # a matrix in place of a vector would be contracted with x along the same axis
            if len(b) == 2 and not isinstance(b[-1], Varying):
                self.proven.add(y.array)
        elif len(b) == 2 and isinstance(b[-1], Varying):
            self.proven.add(b[-1].array)
        return (*a[:-1], *b[:-2], *(b[-1:] if len(b) == 2 else ()))


def plain_parts(run: Run, node: cst.Subscript) -> list[str] | None:
    """The kind of each part of a subscript: all of an axis, some of it, a new axis, or a number; None where one is something
    else.
    """
    found = []
    for part in flat(node):
        if isinstance(part, cst.Slice):
            found.append(ALL if part.lower is part.upper is part.step is None else SOME)
            continue
        value = value_of(run, part.value) if isinstance(part, cst.Index) else UNKNOWN
        if value.kind is not Kind.NONE and not (value.kind is Kind.SCALAR and category(value.dtype) == 1):
            return None
        found.append(NEW if value.kind is Kind.NONE else NUMBER)
    return found
