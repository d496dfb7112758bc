"""What a converted function asserts holds.

Some loops and slices are compiled for arrays of one rank only, or for a width that is not negative. An `assert` tests that, and
raises AssertionError where NumPy would go on.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from .jax_operands import quoted

kind = ConditionKind("assertion", "test it before the call: `assert x.ndim == 1`; the converted function tests it as well")


@kind.on(cst.For, cst.While, cst.If, cst.SimpleStatementLine)
def statement(node: cst.For | cst.While | cst.If | cst.SimpleStatementLine, ctx: Context) -> Iterator[Assumption]:
    if ctx.unit.moved:
        return  # its function tests it, and runs NumPy otherwise
    for sign in ctx.slices.signs(node):
        yield Assumption(node, f"`{sign}`")
    made = [(bounds.array, bounds.rank) for _name, bounds in ctx.slices.positions_made(node) if bounds.rank]
    for array, rank in dict.fromkeys([*made, *ctx.slices.ranks_asserted(node)]):
        yield Assumption(node, f"`{array}` has {_dimensions(rank)}")
    for fit in ctx.slices.fits(node):
        if isinstance(fit.rank, int):
            yield Assumption(node, f"{quoted(fit.array)} has {_dimensions(fit.rank)}")
        elif fit.axes is not None:
            yield Assumption(node, f"{quoted(fit.array)} is as long as {quoted(fit.rank)}")
        else:
            yield Assumption(node, f"{quoted(fit.array)} has as many dimensions as {quoted(fit.rank)}")


def _dimensions(rank: int) -> str:
    return f"{rank} dimension{'s'[: rank != 1]}"
