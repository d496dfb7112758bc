"""An array compared with None or with text.

In NumPy, `x == None` compares each element and gives an array of False; in JAX it gives a single False. Use `x is None` if that
is meant. Until then the function is left as NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Kind
from ..core.registry import Rule

rule = Rule(__name__, "NJ606")


@rule.on(cst.Comparison)
def check(node: cst.Comparison, ctx: Context) -> Iterator[Finding]:
    match node.comparisons:
        case [cst.ComparisonTarget(operator=cst.Equal() | cst.NotEqual(), comparator=right)]:
            kinds = {ctx.kind(node.left), ctx.kind(right)}
            other = "None" if Kind.NONE in kinds else "text" if Kind.STRING in kinds else ""
            if not other:
                return
            message = f"an array compared with {other} is one False in JAX, and an array of them in NumPy"
            if Kind.ARRAY in kinds:
                yield Finding(node, message + ("; write `is None`" if other == "None" else ""), blocks=True)
            elif other == "None" and Kind.UNKNOWN in kinds:
                yield Finding(node, message + ": this differs where it is an array; write `is None`")
