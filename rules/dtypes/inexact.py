"""Which expressions certainly are floating-point or complex, of whatever width: a quotient, a mean, a sum with a float."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from .. import numpy_table
from ..core.dtypes import category
from ..facts.values import Value

RULES = ("float", "size", "mean", "complex", "float64")  # of `Entry.dtype`: results that are not integers
SAME = ("flat", "T", "copy")  # attributes and methods of arrays with the same dtype


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
