"""Arrays that are presumably as long as a mask: an `assert` before the code that relies on it states this."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import TOGETHER, UNKNOWN
from .form import Body

CAME = ("param:", "attr:")  # shapes of arguments of the function
MAKERS = ("zeros", "ones", "empty", "full", "arange", "linspace", "eye", "identity")
PRODUCTS = ("numpy.dot", "numpy.matmul")
ROWS_OF = ("numpy.linalg.norm", *(f"numpy.{name}" for name in "sum mean max min any all argmax argmin std".split()))
MOST_STEPS = 8  # from variable to variable


class Lookup(NamedTuple):
    """`array[..., i, ...]`, where i is the index along `axis`."""

    subscript: cst.Subscript
    array: cst.Name
    axis: int


@dataclass(slots=True)
class Lengths:
    """What must be asserted about the length of the mask in a variable. `vector`: its rank is 1; `first`: arrays with the same
    length; `other`: sizes equal to it; `whole`: arrays of the same shape."""

    mask: str
    vector: bool = False
    first: dict[str, None] = field(default_factory=dict)
    other: dict[str, None] = field(default_factory=dict)
    whole: dict[str, None] = field(default_factory=dict)

    def require(self, lookup: Lookup, whole: bool, mask: cst.BaseExpression, body: Body) -> bool:
        """Require that the mask is as long as the axis of an array, or has its shape; False if one of the two does not come from
        arguments."""
        array = lookup.array.value
        if not _came(lookup.array, body) or not _came(mask, body):
            return False
        if whole:
            self.whole[array] = None
        elif lookup.axis:
            self.other[f"{array}.shape[{lookup.axis}]"] = None
        else:
            self.first[array] = None
        return True

    def said(self) -> list[cst.SimpleStatementLine]:
        """The assertions of these requirements."""
        tests = [f"{self.mask}.ndim == 1"] if self.vector else []
        if self.first or self.other:
            tests.append(" == ".join([f"len({self.mask})", *(f"len({a})" for a in self.first), *self.other]))
        tests += [f"{array}.shape == {self.mask}.shape" for array in self.whole]
        lines = [cst.parse_statement(f"assert {test}") for test in tests]
        return [line for line in lines if isinstance(line, cst.SimpleStatementLine)]


def unchanged_since(array: cst.Name, ahead: Collection[cst.CSTNode], body: Body) -> bool:
    """Whether a variable is a parameter, or bound only by the statements in `ahead`."""
    if array.value in body.captured:
        return False
    for node in body.source.among(body.owner, cst.Name):
        if node.value == array.value and _binds(node, body) and not any(body.source.inside(node, s) for s in ahead):
            return False
    return True


def _binds(node: cst.Name, body: Body) -> bool:
    at, above = body.with_tuple(node)
    match above:
        case cst.AssignTarget() | cst.NamedExpr() | cst.AsName() | cst.Del():
            return not isinstance(above, cst.NamedExpr) or above.target is at
        case cst.AugAssign(target=target) if target is at:
            return body.values.get(node, UNKNOWN).kind is not Kind.ARRAY  # an array keeps its shape
        case cst.AnnAssign(target=target) | cst.For(target=target) | cst.CompFor(target=target):
            return target is at
    return False


def _came(node: cst.BaseExpression, body: Body, steps: int = MOST_STEPS) -> bool:
    """Whether an array presumably has the length of an argument of the function, judged by the expressions bound to it."""
    if _shape_came(node, body):
        return True
    match node:
        case cst.Name(value=name) if steps:
            bound = _bound_to(name, body)
            return bool(bound) and all(_came(value, body, steps - 1) for value in bound)
        case cst.Subscript(value=array, slice=parts) if _is_row(parts, body):
            return _came(array, body, steps)
        case cst.BinaryOperation(operator=cst.MatrixMultiply(), left=left):
            return _came(left, body, steps)
        case cst.BinaryOperation(left=left, right=right):
            return _came(left, body, steps) or _came(right, body, steps)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(comparator=right)]):
            return _came(left, body, steps) or _came(right, body, steps)
        case cst.UnaryOperation(expression=inner):
            return _came(inner, body, steps)
        case cst.Call(args=args) if _is_ufunc(node, body):
            return any(_came(a.value, body, steps) for a in args)
        case cst.Call(args=[cst.Arg(value=array), *rest]) if body.calls(node) in PRODUCTS or (
            body.calls(node) in ROWS_OF and any(_is_last_axis(a) for a in rest)
        ):
            return _came(array, body, steps)
        case cst.Call(args=[cst.Arg(value=first), *_others]) if body.calls(node).removeprefix("numpy.") in MAKERS:
            size = first.elements[0].value if isinstance(first, cst.Tuple) and first.elements else first
            return _is_length(size, body, steps)
    return False


def _is_row(parts: Sequence[cst.SubscriptElement], body: Body) -> bool:
    """Whether the first axis of what an index selects is an axis of the array: all of `x[:, ...]`, and of `x[i, :]` for a number i."""
    for part in parts:
        match part.slice:
            case cst.Slice(lower=None, upper=None, step=None):
                return True
            case cst.Index(value=index) if body.values.get(index, UNKNOWN).kind is Kind.SCALAR:
                continue
        return False
    return False


def _is_ufunc(call: cst.Call, body: Body) -> bool:
    called = body.calls(call)
    entry = numpy_table.function(called) if called.startswith("numpy.") else None
    return entry is not None and bool(entry.ufunc)


def _is_last_axis(argument: cst.Arg) -> bool:
    """Whether an argument names the last axis of a matrix."""
    named = argument.keyword is not None and argument.keyword.value == "axis"
    return named and cst.Module([]).code_for_node(argument.value) in ("1", "-1")


def _shape_came(node: cst.BaseExpression, body: Body) -> bool:
    return any(part.startswith(CAME) for part in body.values.get(node, UNKNOWN).shape.split(TOGETHER))


def _is_length(node: cst.BaseExpression, body: Body, steps: int) -> bool:
    """Whether a number is the length of an argument of the function."""
    match node:
        case cst.Call(args=[cst.Arg(value=array)]) if body.calls(node) == "builtins.len":
            return _came(array, body, steps)
        case cst.Subscript(
            value=cst.Attribute(value=array, attr=cst.Name(value="shape")),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))],
        ):
            return _came(array, body, steps)
        case cst.Attribute(value=array, attr=cst.Name(value="size")):
            return _came(array, body, steps)
        case cst.Name(value=name) if steps:
            if (bound := _bound_to(name, body)) and all(_is_length(value, body, steps - 1) for value in bound):
                return True
            return any(_came(array, body, steps - 1) for array in _first_of_shape(name, body))
    return False


def _bound_to(name: str, body: Body) -> list[cst.BaseExpression]:
    found = []
    for node in body.source.among(body.owner, cst.Assign):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value) if target == name:
                found.append(value)
    return found


def _first_of_shape(name: str, body: Body) -> list[cst.BaseExpression]:
    """The arrays `x` of `n, d = x.shape` for the name n."""
    found = []
    for node in body.source.among(body.owner, cst.Assign):
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Tuple(elements=[cst.Element(value=cst.Name(value=target)), *_rest]))],
                value=cst.Attribute(value=array, attr=cst.Name(value="shape")),
            ) if target == name:
                found.append(array)
    return found
