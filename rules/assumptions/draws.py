"""Nothing depends on the very numbers that are drawn: JAX draws others than NumPy, of the same distribution."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from .jax_operands import quoted

kind = ConditionKind(
    "draw", 'nothing: compare distributions; `np2jax verify` does, or keep NumPy\'s generators (`random = "host"`)'
)


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    if not ctx.program.random_on_host and ctx.random.drawn(node) is not None:
        yield Assumption(node, f"other numbers of the same distribution will do for {quoted(node.func)}")
