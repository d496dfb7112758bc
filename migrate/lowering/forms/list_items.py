"""What is known of the items that a loop appends to a list: kind and dtype, and how to write them so that an array takes them."""

from __future__ import annotations

from collections.abc import Callable, Collection

import libcst as cst

from ....rules import numpy_table
from ....rules.core.dtypes import category, is_default
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ...analysis.loops.list_accumulation import is_numeric, is_python
from ...syntax.source import Source
from .form import Body

REAL = (0, 1, 2)  # the categories of dtypes: bool, integers and floats
NUMBERS = ("False", "0", "0.0")  # one of each
AS_OPERAND = ("same", "sum", "number", "real")  # of inexact operands, these are inexact, too
INEXACT = ("float", "mean", "size")  # the rules for the dtypes of results that are no integers
COMPLEX = frozenset("complex complex64 complex128 csingle cdouble imag conj conjugate angle fft roots eig eigvals".split())

Unwrapped = Callable[[cst.BaseExpression], cst.BaseExpression]


def known(item: cst.BaseExpression, lasts: Collection[cst.CSTNode], first: Value, body: Body) -> Value:
    """What is known of an item, which may be computed from the last one. `lasts`: where that is read; `first`: what is known of the item
    before the loop."""
    value = first if item in lasts else body.values.get(item, UNKNOWN)
    if value.kind is not Kind.UNKNOWN:
        return value
    if value.number and value.rank == 0 and value.traced:
        return Value(Kind.SCALAR, value.dtype, 0, value.deps, traced=True)
    match item:
        case cst.Float() | cst.Integer():
            return Value(Kind.SCALAR, "float" if isinstance(item, cst.Float) else "int")
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return known(inner, lasts, first, body)
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            sides = [known(side, lasts, first, body) for side in (left, right)]
            array = next((side for side in sides if side.kind is Kind.ARRAY), None)
            if array is not None or any(side.kind is not Kind.SCALAR for side in sides):
                return array or UNKNOWN
            if not all(map(is_python, sides)):
                return Value(Kind.SCALAR, traced=all(is_numeric(side) for side in sides))
            exact = all(side.dtype == "int" for side in sides) and not isinstance(operator, cst.Divide)
            return UNKNOWN if exact and isinstance(operator, cst.Power) else Value(Kind.SCALAR, "int" if exact else "float")
    return UNKNOWN


def category_of(item: cst.BaseExpression, value: Value, loop: cst.For, body: Body) -> int | None:
    """The category of the dtype of a number, see `dtypes.category`; None if it may be narrow or is no real number."""
    if value.kind is Kind.SCALAR and is_default(value.dtype):
        return category(value.dtype) if category(value.dtype) in REAL else None
    unknown = value.kind is Kind.SCALAR and not value.dtype and not names_complex(body.source)
    return 2 if unknown and _is_inexact(item, loop, body) else None


def names_complex(source: Source) -> bool:
    """Whether the file has complex numbers, as far as it names them."""
    names = (n.value for n in source.among(source.module, cst.Name))
    return bool(source.among(source.module, cst.Imaginary)) or not COMPLEX.isdisjoint(names)


def _is_inexact(node: cst.BaseExpression, loop: cst.For, body: Body, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an expression certainly gives no integers. `seen`: the variables that are being asked for."""
    if body.values.get(node, UNKNOWN).dtype in ("float", "float64"):
        return True
    match node:
        case cst.Float() | cst.BinaryOperation(operator=cst.Divide()):
            return True
        case cst.Subscript(value=array):
            return _is_inexact(array, loop, body, seen)
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply() | cst.MatrixMultiply(), right=right
        ):
            return _is_inexact(right, loop, body, seen) or _is_inexact(left, loop, body, seen)
        case cst.BinaryOperation(left=left, operator=cst.Power()):
            return _is_inexact(left, loop, body, seen)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return _is_inexact(inner, loop, body, seen)
        case cst.Name(value=name) if name not in seen:
            bindings = body.scopes.opened_by(body.owner).names.get(name, ())
            bound = [body.source.parents[n] for n in body.source.among(loop, cst.AssignTarget) if code(n.target) == name]
            plain = [each.value for each in bound if isinstance(each, cst.Assign)]
            updates = [n for n in body.source.among(loop, cst.AugAssign) if code(n.target) == name]  # floats stay floats
            if not plain or len(plain) + len(updates) < sum(body.source.inside(each, loop) for each in bindings):
                return False
            return all(_is_inexact(value, loop, body, seen | {name}) for value in plain)
        case cst.Call(func=func):
            entry = numpy_table.function(name) if (name := body.calls(node)).startswith("numpy.") else None
            operand = node.args[0].value if entry is not None and node.args else None
            if not name and isinstance(func, cst.Attribute):
                entry, operand = numpy_table.method(func.attr.value), func.value
            if entry is None or entry.dtype in INEXACT:
                return entry is not None
            return entry.dtype in AS_OPERAND and operand is not None and _is_inexact(operand, loop, body, seen)
    return False


def unwrapped(item: cst.BaseExpression, loop: cst.For, body: Body) -> Unwrapped | None:
    """How `float(x)`, `int(x)` and `x.item()`, which make a number one of Python, can be written without that, if `tolist` makes the same
    of an array; None for anything else."""
    match item:
        case cst.Call(func=cst.Name(), args=[cst.Arg(value=inner, keyword=None, star="")]) if (
            body.calls(item) == "builtins.float"
        ):
            if _is_inexact(inner, loop, body):
                return _argument
            known = category(body.values.get(inner, UNKNOWN).dtype)
            return None if known > 2 or names_complex(body.source) else _as_float
        case cst.Call(func=cst.Name(), args=[cst.Arg(value=inner, keyword=None, star="")]) if body.calls(item) == "builtins.int":
            return _argument if category(body.values.get(inner, UNKNOWN).dtype) == 1 else None
        case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value="item")), args=[]):
            return _receiver if body.values.get(inner, UNKNOWN).numeric else None
    return None


def _argument(call: cst.BaseExpression) -> cst.BaseExpression:
    return call.args[0].value if isinstance(call, cst.Call) else call


def _receiver(call: cst.BaseExpression) -> cst.BaseExpression:
    return call.func.value if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) else call


def _as_float(call: cst.BaseExpression) -> cst.BaseExpression:
    return cst.BinaryOperation(builders.operand(_argument(call)), cst.Multiply(), cst.Float("1.0"))
