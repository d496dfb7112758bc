"""Which values of unknown rank may be NumPy scalars, `np.float64(2.5)`, rather than arrays.

What NumPy computes from arrays of rank 0 is a scalar. `x += y` rebinds a scalar, with the dtype of the result; it writes into an
array of any rank, which retains its dtype.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN, Value, replace
from ..state.access_paths import path_of
from ..state.interpreter_state import Run

# ranks that may be 0 though the arguments have axes
COMPUTED = ("", "matmul", "dot", "inner", "einsum", "minus:2", "reduce", "reduce:0", "reduce:-1")
MAKERS = ("numpy.array", "numpy.asarray", "numpy.asanyarray", "numpy.squeeze")  # these return arrays, possibly of rank 0


def may_be_number(run: Run, value: Value) -> bool:
    """Whether what seems to be an array may be a NumPy scalar."""
    return value.rank < 0 and _made_of_numbers(run, value, set())


def is_made_of_items(run: Run, value: Value) -> bool:
    """Whether such a value is computed in this unit, from elements, sums and the like, not by functions of unknown results."""
    seen = set[cst.CSTNode]()
    if value.rank >= 0 or not _made_of_numbers(run, value, seen) or not (value.item or seen):
        return False
    return not any(_gives_anything(run, call) for node in seen for call in run.source.among(node, cst.Call))


def _gives_anything(run: Run, node: cst.Call) -> bool:
    """Whether a call may return anything: of a function outside NumPy and builtins that is not a method of an array."""
    method = isinstance(node.func, cst.Attribute) and run.values.get(node.func.value, UNKNOWN).kind is Kind.ARRAY
    return not method and not (run.scopes.qualname(node.func) or "").startswith(("numpy.", "builtins."))


def resolve(run: Run, nodes: Iterable[cst.CSTNode]) -> None:
    """After a whole unit was interpreted: rule out scalars for variables that are used as only an array can be."""
    if not any(u.number for found in run.effects.updates.values() for u in found):
        return
    axes = {(path_of(part), token) for node in nodes for part in _with_axes(run, node) for token in _memory(run.values.get(part))}
    for found in run.effects.updates.values():
        found[:] = [
            replace(u, number=False) if u.number and any((u.access_path, t) in axes for t in _memory(u.value)) else u
            for u in found
        ]


def _memory(value: Value | None) -> Iterable[str]:
    """The memory of an array, whichever iteration of a loop allocated it."""
    return (m.replace("old:", "new:") for m in value.memory) if value is not None and value.kind is Kind.ARRAY else ()


def _with_axes(run: Run, node: cst.CSTNode) -> Sequence[cst.BaseExpression]:
    """The expressions whose use in `node` shows that they have axes."""
    match node:
        case cst.Subscript(value=cst.Attribute(value=inner, attr=cst.Name(value="shape"))):
            return (inner,)
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Ellipsis() | cst.Tuple(elements=[])))]):
            return ()
        case cst.Subscript(value=inner) | cst.For(iter=inner):
            return (inner,)
        case cst.BinaryOperation(left=left, operator=cst.MatrixMultiply(), right=right):
            return left, right
        case cst.Call(func=func, args=args) if any(a.keyword is not None and a.keyword.value == "axis" for a in args):
            return (func.value if isinstance(func, cst.Attribute) and run.scopes.qualname(func) is None else args[0].value,)
    return ()


def _made_of_numbers(run: Run, value: Value, seen: set[cst.CSTNode]) -> bool:
    """Whether all that a value is computed from may be scalars. `seen`: the visited nodes (values in loops are cyclic)."""
    if value.item:
        return True  # an element has the memory of the whole array
    if value.holds and run.unit.evidence.get(value.holds, UNKNOWN).kind is Kind.ARRAY:
        return False  # a parameter itself; a row of one may be a number
    for node, token in run.effects.tokens.items():
        if (token in value.memory or f"old:{token[4:]}" in value.memory) and node not in seen:
            seen.add(node)
            if not _may_be_number(run, node, seen):
                return False
    return True


def _may_be_number(run: Run, node: cst.CSTNode, seen: set[cst.CSTNode]) -> bool:
    value = run.values.get(node, UNKNOWN)
    if value.rank > 0:
        return False
    if value.kind is Kind.SCALAR:
        return True
    match node:
        case cst.Name():
            return _made_of_numbers(run, value, seen)
        case cst.BinaryOperation(operator=cst.MatrixMultiply()):
            return True
        case cst.BinaryOperation(left=left, right=right) | cst.BooleanOperation(left=left, right=right):
            return all(_may_be_number(run, side, seen) for side in (left, right))
        case cst.UnaryOperation(expression=inner) | cst.Attribute(value=inner):
            return _may_be_number(run, inner, seen)
        case cst.Comparison(left=left, comparisons=comparisons):
            return all(_may_be_number(run, side, seen) for side in (left, *(c.comparator for c in comparisons)))
        case cst.Subscript(slice=parts):
            return all(isinstance(part.slice, cst.Index) for part in parts)
        case cst.Call():
            return _called(run, node, seen)
    return True


def _called(run: Run, node: cst.Call, seen: set[cst.CSTNode]) -> bool:
    """Whether a call may return a scalar: of NumPy's functions, those that compute."""
    name = run.scopes.qualname(node.func) or ""
    entry = numpy_table.function(name)
    given = [a.value for a in node.args]
    if entry is None and isinstance(node.func, cst.Attribute) and run.values.get(node.func.value, UNKNOWN).kind is Kind.ARRAY:
        entry = numpy_table.method(node.func.attr.value)
        given = [node.func.value]
    if name in MAKERS or name.startswith("numpy.random."):
        return False
    if entry is None or entry.rank in COMPUTED:
        return True
    same = given if entry.ufunc or entry.rank == "broadcast" else given[:1] if entry.rank == "same" else []
    return bool(same) and all(_may_be_number(run, each, seen) for each in same)
