"""What may be computed speculatively in both arms of a branch: what is cheap, and defined for every value.

`jnp.where` computes both arms. An arm that is expensive should not be computed when it is not selected. One that is undefined
where it is not selected (a root, a logarithm, a quotient) has the right value, but its derivative is infinite or NaN there, and
times the zero cotangent of `where` it is NaN: https://docs.jax.dev/en/latest/faq.html, "Gradients contain NaN where using where".
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.core.trapping import SAFE_OPERANDS
from ....rules.facts.values import UNKNOWN
from ..state.interpreter_state import Run

CHEAP = frozenset(
    "zeros_like ones_like full_like empty_like zeros ones full empty where asarray array sum prod min max amin amax mean any all "
    "clip abs absolute real imag conj size shape ndim transpose reshape ravel astype copy count_nonzero".split()
)
LENGTH = ("numpy.linalg", "norm")
BUILTINS = frozenset("abs min max float int bool round len".split())
COSTING = (cst.For, cst.While, cst.ListComp, cst.GeneratorExp, cst.Call, cst.BinaryOperation, cst.AugAssign)
OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation, cst.Call)
FEW = 3  # operations on arrays that may be done in vain
UNDEFINED = (cst.Call, cst.BinaryOperation, cst.AugAssign)  # what may be undefined for some values


def expensive(run: Run, nodes: Iterable[cst.CSTNode], lengths: bool = True) -> str:
    """Why only the selected arm may be computed, "" where both may. `lengths`: norms of vectors count as expensive, too."""
    found = (node for root in nodes for node in run.source.among(root, *COSTING) if lengths or not _is_length(run, node))
    return next((why for node in found if (why := _expensive(run, node))), "")


def trapping(run: Run, nodes: Iterable[cst.CSTNode]) -> int:
    """The number of operations that are undefined for some values: roots, logarithms, quotients."""
    return sum(_partial(run, node) for root in nodes for node in run.source.among(root, *UNDEFINED))


def _is_length(run: Run, node: cst.CSTNode) -> bool:
    """Whether a node is `np.linalg.norm(d)`, without another order."""
    if not isinstance(node, cst.Call) or (run.scopes.qualname(node.func) or "") != ".".join(LENGTH):
        return False
    return not any(a.keyword is None or a.keyword.value == "ord" for a in node.args[1:])


def calls(run: Run, node: cst.BaseExpression) -> bool:
    """Whether an expression contains an expensive call."""
    return any(_call(run, part) for part in run.source.among(node, cst.Call))


def _expensive(run: Run, node: cst.CSTNode) -> str:
    match node:
        case cst.For() | cst.While() | cst.ListComp() | cst.GeneratorExp():
            return "it contains a loop"
        case cst.Call():
            return _call(run, node)
        case cst.BinaryOperation(operator=cst.MatrixMultiply()) | cst.AugAssign(operator=cst.MatrixMultiplyAssign()):
            return "it multiplies matrices"
    return ""


def _partial(run: Run, node: cst.CSTNode) -> bool:
    match node:
        case cst.Call(func=func, args=args):
            owner, _dot, short = (run.scopes.qualname(func) or "").rpartition(".")
            if (owner, short) == LENGTH:
                return not _fixed(run, node)  # its derivative at the origin is 0 / 0
            return owner in ("numpy", "math") and short in SAFE_OPERANDS and not all(_fixed(run, a.value) for a in args)
        case (
            cst.BinaryOperation(operator=cst.Divide() | cst.FloorDivide() | cst.Modulo(), right=divisor)
            | cst.AugAssign(operator=cst.DivideAssign() | cst.FloorDivideAssign() | cst.ModuloAssign(), value=divisor)
        ):
            return not (_fixed(run, divisor) or _whole(run, node))
        case cst.BinaryOperation(operator=cst.Power(), left=base, right=exponent):
            if isinstance(exponent, cst.Integer) or _whole(run, node):
                return False
            return not (_fixed(run, base) and _fixed(run, exponent))
        case cst.AugAssign(operator=cst.PowerAssign(), value=exponent):
            return not isinstance(exponent, cst.Integer)
    return False


def _call(run: Run, node: cst.Call) -> str:
    name = run.scopes.qualname(node.func) or ""
    value = run.values.get(node, UNKNOWN)
    if value.static and not run.effects.updates.get(node):
        return ""
    owner, _dot, short = name.rpartition(".")
    if value.kind is Kind.SCALAR and _operations(run, node) > FEW:
        return "it makes a number from many operations on arrays"
    if owner == "numpy" or owner == "math":
        entry = numpy_table.function(name)
        if owner == "math" or short in SAFE_OPERANDS or short in CHEAP or (entry is not None and entry.ufunc):
            return ""
    elif owner == "builtins":
        return "" if short in BUILTINS else f"it calls `{short}`"
    elif isinstance(node.func, cst.Attribute) and node.func.attr.value in CHEAP:
        if run.values.get(node.func.value, UNKNOWN).kind in (Kind.ARRAY, Kind.SCALAR):
            return ""
    shown = cst.Module([]).code_for_node(node.func)
    return f"it calls `{shown}`"


def _operations(run: Run, node: cst.CSTNode) -> int:
    """The number of operations on arrays in an expression."""
    values = (run.values.get(n, UNKNOWN) for n in run.source.among(node, *OPERATIONS))
    return sum(value.kind is Kind.ARRAY and value.rank != 0 for value in values)


def _fixed(run: Run, node: cst.BaseExpression) -> bool:
    """Whether a number is a literal, or static."""
    return run.values.get(node, UNKNOWN).static


def _whole(run: Run, node: cst.CSTNode) -> bool:
    """Whether the result is an integer, which has no derivative."""
    made = node.target if isinstance(node, cst.AugAssign) else node
    return category(run.values.get(made, UNKNOWN).dtype) in (0, 1)
