"""Literal integers of more than 64 bits, which Python has and JAX does not: `0xcbf29ce484222325` and `2**64` of hash functions and of random
number generators."""

from __future__ import annotations

import libcst as cst

from ....rules.facts.values import Value
from ..state.interpreter_state import Run
from ..state.lattice import STATIC_INT, Env

LARGEST = 2**63 - 1
MOST_BITS = 4096  # of a power that is computed here
TOO_BIG = "it is an integer of more than 64 bits, which JAX does not have"


def integer(run: Run, _env: Env, node: cst.Integer) -> Value:
    """Evaluate a literal. As an argument it is for the callee to say: `np.uint64(2**64 - 1)` is an unsigned integer."""
    refuse_big(run, node)
    return STATIC_INT


def refuse_big(run: Run, node: cst.BaseExpression) -> None:
    """Refuse to compile code that computes with an integer that is too big."""
    value = _literal(node)
    if value is None or abs(value) <= LARGEST:
        return
    parent = run.source.parents.get(node)
    while isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation)):
        parent = run.source.parents.get(parent)
    if not isinstance(parent, cst.Arg):
        run.constraints.impure[node] = TOO_BIG


def _literal(node: cst.CSTNode) -> int | None:
    """The value of a literal, or of a power of two of them."""
    match node:
        case cst.Integer():
            return node.evaluated_value
        case cst.BinaryOperation(
            left=cst.Integer() as base, operator=cst.Power() | cst.LeftShift() as operator, right=cst.Integer() as by
        ):
            power = isinstance(operator, cst.Power)
            bits = by.evaluated_value * (base.evaluated_value.bit_length() if power else 1)
            if bits > MOST_BITS:
                return LARGEST + 1
            return base.evaluated_value**by.evaluated_value if power else base.evaluated_value << by.evaluated_value
    return None
