"""A complex operand of a product, a quotient, a power or an extremum has finite parts.

XLA and NumPy give other combinations of NaN and infinities: `abs(complex(inf, nan))` is inf in NumPy and NaN in JAX.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..context import Context
from ..core.assumptions import Assumption, ConditionKind
from ..core.dtypes import category
from ..core.findings import Kind
from .jax_operands import candidates, known_dtype, runs_in_jax, subject

kind = ConditionKind("complex", "annotate a real dtype (`x: NDArray[np.float64]`), or test `np.isfinite(x).all()`")
OPERATORS = (cst.Multiply, cst.Divide, cst.Power, cst.MatrixMultiply)
UPDATES = (cst.MultiplyAssign, cst.DivideAssign, cst.PowerAssign, cst.MatrixMultiplyAssign)
FUNCTIONS = frozenset(
    "absolute abs sign sqrt square reciprocal exp2 arctan atan divide true_divide multiply float_power power pow maximum minimum fmax "
    "fmin max min amax amin nanmax nanmin ptp prod nanprod cumprod nancumprod dot vdot inner outer matmul tensordot einsum kron convolve "
    "correlate cross".split()
)


@kind.on(cst.BinaryOperation)
def operator(node: cst.BinaryOperation, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, OPERATORS):
        yield from _combined(node, [node.left, node.right], ctx)


@kind.on(cst.AugAssign)
def augmented(node: cst.AugAssign, ctx: Context) -> Iterator[Assumption]:
    if isinstance(node.operator, UPDATES):
        yield from _combined(node, [node.target, node.value], ctx)


@kind.on(cst.Call)
def called(node: cst.Call, ctx: Context) -> Iterator[Assumption]:
    name = ctx.qualname(node.func) or ""
    arguments = [a.value for a in node.args if a.keyword is None and not a.star]
    if name.startswith("numpy."):
        if name.rpartition(".")[2] in FUNCTIONS and not ctx.host.on_host(node):
            yield from _each(node, arguments, ctx)
    elif name == "builtins.abs":
        yield from _each(node, arguments, ctx)
    elif isinstance(node.func, cst.Attribute) and node.func.attr.value in FUNCTIONS and not name:
        yield from _each(node, [node.func.value], ctx)


def _combined(node: cst.CSTNode, operands: list[cst.BaseExpression], ctx: Context) -> Iterator[Assumption]:
    """A product with a real number of Python, or a quotient by it, is the same in both."""
    plain = [category(known_dtype(operand, ctx)) in (0, 1, 2) for operand in operands]
    power = isinstance(getattr(node, "operator", None), (cst.Power, cst.PowerAssign))
    if not any(plain) or power or (plain[0] and isinstance(getattr(node, "operator", None), cst.Divide)):
        yield from _each(node, operands, ctx)


def _each(node: cst.CSTNode, operands: Sequence[cst.BaseExpression], ctx: Context) -> Iterator[Assumption]:
    if not any(ctx.kind(o) in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN) and runs_in_jax(ctx, o) for o in operands):
        return
    for operand in operands:
        if ctx.kind(operand) in (Kind.ARRAY, Kind.SCALAR, Kind.UNKNOWN) and 3 in map(category, candidates(operand, ctx)):
            certain = " if it is complex" if not known_dtype(operand, ctx) else ""
            yield Assumption(node, f"{subject(operand, ctx=ctx, verbs=('has', 'have'))} no NaN and no infinity{certain}")
