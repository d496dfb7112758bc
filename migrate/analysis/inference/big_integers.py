"""Constants of more than 64 bits, which Python has and JAX does not: `0xcbf29ce484222325` and `2**64` of hash functions and of random
number generators."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import BIG, Value
from ..state.interpreter_state import Run
from ..state.lattice import STATIC_INT, Env

LARGEST = 2**63 - 1
MOST_BITS = 4096  # of an integer that is computed here
DEEPEST = 5  # operations in a constant, as in `2 * (2**64 - 1)`
TOO_BIG = "it is an integer of more than 64 bits, which JAX does not have"
BIG_INT = Value(Kind.SCALAR, "int", 0, name=BIG)


def integer(run: Run, _env: Env, node: cst.Integer) -> Value:
    """Evaluate a literal."""
    return checked(run, node, STATIC_INT)


def checked(run: Run, node: cst.BaseExpression, value: Value) -> Value:
    """The value of a literal or of an operation, which may be a constant that is too big."""
    return refuse(run, node, BIG_INT) if is_big(node) else value


def refuse(run: Run, node: cst.BaseExpression, value: Value) -> Value:
    """Refuse to compile code that computes with an integer that is too big. As an argument it is for the callee to say:
    `np.uint64(2**64 - 1)` is an unsigned integer."""
    if value.name == BIG:
        parent = run.source.parents.get(node)
        while isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation)):
            parent = run.source.parents.get(parent)
        if not isinstance(parent, cst.Arg):
            run.constraints.impure[node] = TOO_BIG
    return value


def is_big(node: cst.BaseExpression) -> bool:
    value = _constant(node)
    return value is not None and abs(value) > LARGEST


def _constant(node: cst.BaseExpression, depth: int = 0) -> int | None:
    """The value of an expression of literal integers, or one that is too big for 64 bits."""
    match node:
        case cst.Integer():
            return node.evaluated_value
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner) if depth < DEEPEST:
            value = _constant(inner, depth + 1)
            return None if value is None else -value
        case cst.BinaryOperation(left=left, operator=operator, right=right) if depth < DEEPEST:
            other = _constant(right, depth + 1)
            one = None if other is None else _constant(left, depth + 1)
            return None if one is None or other is None else _computed(one, operator, other)
    return None


def _computed(left: int, operator: cst.BaseBinaryOp, right: int) -> int | None:
    match operator:
        case cst.Add():
            return left + right
        case cst.Subtract():
            return left - right
        case cst.Multiply():
            return left * right
        case cst.Power() if right >= 0:
            return left**right if right * left.bit_length() <= MOST_BITS else LARGEST + 1
        case cst.LeftShift() if right >= 0:
            return left << right if right <= MOST_BITS else LARGEST + 1
    return None
