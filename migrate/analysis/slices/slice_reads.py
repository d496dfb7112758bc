"""How slices are read: shifted, with opaque bounds, and by operations that are not defined everywhere."""

from __future__ import annotations

import libcst as cst

from ....rules.facts.dynamic_slices import Mask
from ..state.interpreter_state import Run
from ..symbolic.lower_bounds import Form
from .mask_selection import Selection
from .meeting_axes import Axes
from .slice_bounds import DynamicSlice, Stride, Unclear, Varying

PARTIAL = frozenset("sqrt log log2 log10 log1p arcsin arccos arccosh arctanh reciprocal power divide tan".split())


def selected_by(selection: Selection, behind: int, fill: str) -> Mask:
    return Mask((), fill, selection.mask, behind)


def trapping(run: Run, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The operands for which an operation is not defined everywhere."""
    match node:
        case cst.BinaryOperation(operator=cst.Divide() | cst.FloorDivide() | cst.Modulo(), right=right):
            return [right]
        case cst.BinaryOperation(operator=cst.Power(), left=left):
            return [left]
        case cst.Call(args=args) if (run.scopes.qualname(node.func) or "").removeprefix("numpy.") in PARTIAL:
            return [a.value for a in args]
    return []


def last(required: Axes, axes: Axes) -> Axes:
    """As many of the axes wanted of a result as an operand has; its own where the result's are not known."""
    return required[len(required) - len(axes) :] if len(required) >= len(axes) else axes


def spanned(axis: Varying) -> DynamicSlice:
    """The positions that a slice goes over, whatever its step is."""
    return axis.span if isinstance(axis, Stride) else axis


def opaque(form: Form) -> bool:
    """Whether a form mentions what is only known to be the same where the same is written."""
    return any(name.startswith("<") for name in form.known.names | form.written.names)


def shifted(own: Varying, want: Varying) -> tuple[int, Form]:
    """The position of `own` that meets the position n of `want`: n times the sign, plus the offset.

    Raises Unclear where what is turned round may end beyond the array: its first position is nearer then. They are of one length,
    so that both end where they say when one does.
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
