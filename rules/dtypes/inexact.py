"""Which expressions certainly are floating-point or complex, of whatever width: a quotient, a mean, a sum with a float."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from .. import numpy_table
from ..core.dtypes import category
from ..core.findings import Kind
from ..facts.values import Value

RULES = ("float", "size", "mean", "complex", "float64")  # of `Entry.dtype`: results that are not integers
SAME = ("flat", "T", "copy")  # attributes and methods of arrays with the same dtype


def perhaps_exact(
    one: cst.BaseExpression,
    other: cst.BaseExpression,
    value: Callable[[cst.BaseExpression], Value],
    qualname: Callable[[cst.BaseExpression], str | None],
) -> cst.BaseExpression | None:
    """The one of two expressions that may be an integer, while the other is a float: `X[0]` beside `X[m].mean(axis=0)`."""
    floats = [_is_mean_of_array(each, value) or is_inexact(each, value, qualname) for each in (one, other)]
    exact = other if floats[0] else one
    unknown = not value(exact).dtype and value(exact).kind in (Kind.ARRAY, Kind.UNKNOWN)
    return exact if floats[0] is not floats[1] and unknown else None


def _is_mean_of_array(node: cst.BaseExpression, value: Callable[[cst.BaseExpression], Value]) -> bool:
    match node:
        case cst.Call(func=cst.Attribute(value=base)):
            return value(base).kind is Kind.ARRAY and is_mean(node)
    return False


def is_mean(node: cst.Call) -> bool:
    """Whether a call is that of a method of arrays which gives floats for integers, `x.mean()`, and names no dtype."""
    entry = numpy_table.method(node.func.attr.value) if isinstance(node.func, cst.Attribute) else None
    asked = any(a.keyword is not None and a.keyword.value == "dtype" for a in node.args)
    return entry is not None and entry.dtype == "mean" and not asked


def is_inexact(
    node: cst.BaseExpression,
    value: Callable[[cst.BaseExpression], Value],
    qualname: Callable[[cst.BaseExpression], str | None],
    definition: Callable[[cst.Name], cst.BaseExpression | None] = lambda _: None,
) -> bool:
    """`value` and `qualname`: what is known of expressions. `definition`: the only value that is assigned to a variable."""

    seen = set[str]()

    def of(node: cst.BaseExpression) -> bool:
        if category(value(node).dtype) >= 2:
            return True
        match node:
            case cst.BinaryOperation(operator=cst.Divide()):
                return True
            case cst.BinaryOperation(left=left, right=right):
                return of(left) or of(right)
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner) | cst.Subscript(value=inner):
                return of(inner)
            case cst.Call(func=func, args=args):
                entry = numpy_table.function(qualname(func) or "")
                asked = any(a.keyword is not None and a.keyword.value == "dtype" for a in args)
                return of(func) if entry is None else entry.dtype in RULES and entry.kind == "array" and not asked
            case cst.Attribute(value=base, attr=cst.Name(value=name)) if name in SAME:
                return of(base)
            case cst.Name(value=name) if name not in seen:
                seen.add(name)
                assigned = definition(node)
                return assigned is not None and of(assigned)
        return False

    return of(node)
