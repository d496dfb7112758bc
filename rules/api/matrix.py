"""`numpy.matrix`, record arrays and memory-mapped files.

For a NumPy matrix, `*` is the matrix product; a JAX array multiplies element by element. Record arrays and memory maps have no
equivalent. The function is left as NumPy. Use two-dimensional arrays and `@` instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding
from ..core.registry import Rule
from ..syntax.annotations import in_annotation

rule = Rule(__name__, "NJ111")
TYPES = {
    "numpy.matrix": "`*` of matrices is their product, and of JAX's arrays that of their elements",
    "numpy.mat": "`*` of matrices is their product, and of JAX's arrays that of their elements",
    "numpy.recarray": "JAX has no record arrays",
    "numpy.memmap": "JAX has no maps of files",
    "numpy.rec.array": "JAX has no record arrays",
    "numpy.char.array": "JAX has no arrays of text",
    "numpy.chararray": "JAX has no arrays of text",
}


@rule.on_numpy
def check(node: cst.Name | cst.Attribute, ctx: Context) -> Iterator[Finding]:
    name = ctx.qualname(node) or ""
    if name in TYPES and not in_annotation(node, ctx):
        yield Finding(node, f"`{name}`: {TYPES[name]}", blocks=True)
