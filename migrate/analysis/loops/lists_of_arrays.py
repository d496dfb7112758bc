"""Loops through variables that may be lists of arrays of different shapes, such as the weights of a network."""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.loop_codegen.lists_of_arrays import OF_ARRAYS, PASSING_ITEMS
from ....rules.syntax.builders import names
from ...syntax.source import walk
from ..state.interpreter_state import Run

PRODUCTS = frozenset({"numpy.dot", "numpy.matmul"})  # an operand is hardly ever a number


def indexed_lists(run: Run, loop: cst.For | cst.While, bound: frozenset[str]) -> tuple[str, ...]:
    """The variables from which the iterations of a loop may take arrays in a list, as from the weights and biases of a network: all
    that an iteration indexes, if it uses one of the items as an array. `bound`: what the loop binds."""
    found: dict[str, None] = {}
    certain = False
    for node, parent in walk(loop.body):
        match node:
            case cst.Subscript(value=cst.Name(value=name) as base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if name not in bound and _may_be_list(run, base) and not bound.isdisjoint(names(index)):
                    found[name] = None
                    certain = certain or _is_used_as_array(run, node, parent) or _is_bound_to_array(run, loop, parent)
    return tuple(found) if certain else ()


def _may_be_list(run: Run, node: cst.Name) -> bool:
    value = run.values.get(node, UNKNOWN)
    return value.kind is Kind.UNKNOWN and bool(value.deps) and not value.number


def _is_used_as_array(run: Run, node: cst.BaseExpression, parent: cst.CSTNode | None) -> bool:
    """Whether an expression is an array, an operand of `@`, or has an attribute such as `.T`."""
    value = run.values.get(node, UNKNOWN)
    return (value.kind is Kind.ARRAY and not value.number) or _belongs_to_array(run, parent)


def _belongs_to_array(run: Run, parent: cst.CSTNode | None) -> bool:
    """Whether what an expression is part of needs an array: `@`, an attribute such as `.T`, `np.dot(w, x)`."""
    match parent:
        case cst.BinaryOperation(operator=cst.MatrixMultiply()) | cst.Attribute():
            return True
        case cst.Arg():
            call = run.source.parents[parent]
            return isinstance(call, cst.Call) and run.scopes.qualname(call.func) in PRODUCTS
    return False


def _is_bound_to_array(run: Run, loop: cst.For | cst.While, parent: cst.CSTNode | None) -> bool:
    """Whether an assignment binds a variable that is used as an array: `w = weights[k]`, `w.T`."""
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            uses = ((n, above) for n, above in walk(loop.body) if isinstance(n, cst.Name) and n.value == name)
            return any(_is_used_as_array(run, n, above) for n, above in uses if not isinstance(above, cst.AssignTarget))
    return False


def held(run: Run, loop: cst.For) -> frozenset[str]:
    """The variables through which a loop goes and that may be lists of arrays, as its iterations use items as such: `np.sum(w**2)`."""
    found, targets = set[str](), names(loop.target)
    lists, certain = _passed(run, loop.iter), False
    for node, parent in walk(loop.body):
        match node:
            case cst.Subscript(value=cst.Name() as base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if not targets.isdisjoint(names(index)) and _may_be_list(run, base):
                    found.add(base.value)
                    certain = certain or _belongs_to_array(run, parent) or _is_in_argument(run, node)
            case cst.Name(value=name) if name in targets and lists and _is_in_argument(run, node):
                found, certain = found | lists, True
    return frozenset(found) if certain else frozenset()


def _passed(run: Run, items: cst.BaseExpression) -> frozenset[str]:
    """The variables whose items a loop gets: `ws`, `enumerate(ws)`, `zip(ws, bs)`."""
    if isinstance(items, cst.Call) and run.scopes.qualname(items.func) in PASSING_ITEMS:
        return frozenset[str]().union(*(_passed(run, argument.value) for argument in items.args))
    return frozenset({items.value}) if isinstance(items, cst.Name) and _may_be_list(run, items) else frozenset()


def _is_in_argument(run: Run, node: cst.CSTNode) -> bool:
    """Whether an expression is in the argument of a function that takes arrays."""
    at = run.source.parents[node]
    while isinstance(at, (cst.BinaryOperation, cst.UnaryOperation, cst.Arg, cst.Call)):
        if isinstance(at, cst.Call) and run.scopes.qualname(at.func) in OF_ARRAYS:
            return True
        at = run.source.parents[at]
    return False
