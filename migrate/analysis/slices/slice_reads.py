"""How slices are read: shifted, with opaque bounds, and by operations that may trap."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.core.trapping import SAFE_OPERANDS
from ....rules.facts.dynamic_slices import Mask
from ....rules.facts.iteration_space import integer
from ..state.interpreter_state import Run
from ..symbolic.lower_bounds import Form
from .mask_selection import Selection
from .meeting_axes import Axes
from .sliced_axes import DynamicSlice, Stride, Unclear, Varying

ANY = (0, "1")  # the safe operand where all of them matter


def selected_by(selection: Selection, behind: int, fill: str) -> Mask:
    return Mask((), fill, selection.mask, behind)


def trapping(run: Run, node: cst.BaseExpression) -> tuple[Sequence[cst.BaseExpression], str]:
    """The operands of an operation for some values of which it is undefined, and a value for which it is not."""
    match node:
        case cst.BinaryOperation(operator=cst.Divide() | cst.FloorDivide() | cst.Modulo(), right=right):
            return [right], "1"
        case cst.BinaryOperation(operator=cst.Power(), left=left):
            return [left], "1"
        case cst.Call(func=func, args=args):
            owner, _dot, short = (run.scopes.qualname(func) or "").rpartition(".")
            if owner == "numpy" and short in SAFE_OPERANDS:
                return [a.value for a in args], (SAFE_OPERANDS[short] or ANY)[1]
    return (), ""


def is_reversal(node: cst.Subscript) -> bool:
    """Whether a subscript is `[::-1]`."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Slice(lower=None, upper=None, step=step))] if step is not None:
            return integer(step) == -1
    return False


def last(required: Axes, axes: Axes) -> Axes:
    """The last axes of the required ones, as many as an operand has; the operand's axes where there are too few required ones."""
    return required[len(required) - len(axes) :] if len(required) >= len(axes) else axes


def spanned(axis: Varying) -> DynamicSlice:
    """The dynamic slice of positions, without the step."""
    return axis.span if isinstance(axis, Stride) else axis


def opaque(form: Form) -> bool:
    """Whether a form mentions a bound that is only known to be equal to one with the same text."""
    return any(name.startswith("<") for name in form.known.names | form.written.names)


def shifted(own: Varying, want: Varying) -> tuple[int, Form]:
    """The position of `own` that corresponds to the position n of `want`: n times the sign, plus the offset.

    Raises Unclear where a reversed slice may end beyond the array: its first position would be closer then. Both slices have one
    length, so that both have their nominal ends when one has.
    """
    if isinstance(own, Stride) or isinstance(want, Stride):
        if not (isinstance(own, Stride) and isinstance(want, Stride) and own.by == want.by):
            raise Unclear("slices with different steps meet")
        return 1, own.span.low - want.span.low
    alike = own.backward == want.backward and own.high.known == want.high.known and own.size.known == want.size.known
    if (own.backward or want.backward) and not alike and not (own.inside or want.inside):
        raise Unclear("a reversed slice may end beyond the array")
    if own.backward:
        return (1, own.high - want.high) if want.backward else (-1, own.high - 1 + want.low)
    return (-1, own.low + want.high - 1) if want.backward else (1, own.low - want.low)
