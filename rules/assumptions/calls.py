"""A function that is called equals NumPy under the conditions that it has itself.

The engine finds the calls of project functions, once the conditions of all functions are known. Nothing is known of a function that is
passed as an argument.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.findings import Kind
from .jax_operands import quoted

kind = ConditionKind("call", "see the conditions of the function that is called")


@kind.on(cst.Call)
def given(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    """A call of a parameter, or of a method of one whose class is not known."""
    func = node.func.value if isinstance(node.func, cst.Attribute) else node.func
    value = ctx.value(func)
    unknown = value.kind in (Kind.UNKNOWN, Kind.FUNCTION) if func is node.func else value.kind is Kind.OBJECT
    if unknown and value.holds and ctx.calls.callee(node) is None:
        yield Assumption(node, f"{quoted(node.func)} computes the same with arrays of JAX")
