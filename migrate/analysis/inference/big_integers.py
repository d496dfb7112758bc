"""Constants of more than 64 bits, which Python has and JAX does not: `0xcbf29ce484222325` and `2**64` of hash functions and of random
number generators."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import BIG, WIDE, Value
from ..state.interpreter_state import Run
from ..state.lattice import STATIC_INT, Env

SMALL = 2**32
LARGEST = 2**63 - 1
MOST_BITS = 4096  # of an integer that is computed here
DEEPEST = 5  # operations in a constant, as in `2 * (2**64 - 1)`
TOO_BIG = "it is an integer of more than 64 bits, which JAX does not have"
TOO_LARGE = "a product of Python's integers has more than 64 bits, which JAX does not have"
BIG_INT = Value(Kind.SCALAR, "int", 0, name=BIG)
WIDE_INT = Value(Kind.SCALAR, "int", 0, name=WIDE)


def integer(run: Run, _env: Env, node: cst.Integer) -> Value:
    """Evaluate a literal."""
    return checked(run, node, STATIC_INT)


def checked(run: Run, node: cst.BaseExpression, value: Value) -> Value:
    """The value of a literal or of an operation, which may be a constant that is too big."""
    constant = large(node)
    return value if constant is None else refuse(run, node, constant)


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


def refuse_product(run: Run, node: cst.BinaryOperation, modulus: Value) -> None:
    """Refuse to compile a product of Python's integers whose remainder 64 bits do not give: `h * 1000003 % (2**61 - 1)`. Modulo powers
    of two, it does not matter that the product overflows."""
    if not isinstance(node.operator, cst.Modulo) or not _may_be_integer(modulus):
        return
    factors = [side for product in run.source.among(node.left, cst.BinaryOperation) for side in _factors(product)]
    values = [run.values.get(side, STATIC_INT) for side in factors]
    if not factors or not all(map(_may_be_integer, values)):
        return
    known = _constant(node.right)
    power = known is not None and known > 0 and known & (known - 1) == 0
    if modulus.name == WIDE or (not power and any(v.name == WIDE for v in values)):
        run.constraints.impure[node] = TOO_LARGE


def _may_be_integer(value: Value) -> bool:
    """Whether a value may be an integer of Python."""
    return value.kind in (Kind.SCALAR, Kind.UNKNOWN) and value.dtype in ("", "int")


def _factors(node: cst.BinaryOperation) -> tuple[cst.BaseExpression, ...]:
    return (node.left, node.right) if isinstance(node.operator, cst.Multiply) else ()


def large(node: cst.BaseExpression) -> Value | None:
    """The value of a constant of many bits; None for any other expression."""
    value = _constant(node)
    if value is None or abs(value) <= SMALL:
        return None
    power = value & (value - 1) == 0
    return BIG_INT if abs(value) > LARGEST else None if power else WIDE_INT


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
