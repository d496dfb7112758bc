"""Operations that take longer than one pass over their operands."""

from __future__ import annotations

import libcst as cst

from ..analysis.state.interpreter_state import Run

PRODUCTS = frozenset(
    f"numpy.{name}"
    for name in "convolve corrcoef correlate cov dot einsum histogram histogram2d inner interp kron matmul outer tensordot".split()
)


def is_product(node: cst.CSTNode, run: Run) -> bool:
    """Whether an operation takes longer than one pass over its operands."""
    if isinstance(node, cst.Call):
        name = run.scopes.qualname(node.func) or ""
        return name.startswith(("numpy.linalg.", "numpy.fft.")) or name in PRODUCTS
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply)
