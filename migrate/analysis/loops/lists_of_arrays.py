"""Loops through variables that may be lists of arrays of different shapes, such as the weights of a network."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
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
                    certain = certain or (_is_factor(run, parent) and _is_in_update(run, loop, node))
    return tuple(found) if certain else ()


def _may_be_list(run: Run, node: cst.Name) -> bool:
    value = run.values.get(node, UNKNOWN)
    return value.kind is Kind.UNKNOWN and bool(value.deps) and not value.number


def _is_used_as_array(run: Run, node: cst.BaseExpression, parent: cst.CSTNode | None) -> bool:
    """Whether an expression is an array, an operand of `@`, or has an attribute such as `.T`."""
    value = run.values.get(node, UNKNOWN)
    return (value.kind is Kind.ARRAY and not value.number) or _belongs_to_array(parent)


def _belongs_to_array(parent: cst.CSTNode | None) -> bool:
    """Whether what an expression is part of needs an array: `@`, or an attribute such as `.T`."""
    return isinstance(parent, cst.Attribute) or (
        isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.MatrixMultiply)
    )


def _is_factor(run: Run, parent: cst.CSTNode | None) -> bool:
    """Whether an expression is a factor of a product, which need not be an array: `np.dot(w, x)`."""
    call = run.source.parents[parent] if isinstance(parent, cst.Arg) else None
    return isinstance(call, cst.Call) and run.scopes.qualname(call.func) in PRODUCTS


def _is_bound_to_array(run: Run, loop: cst.For | cst.While, parent: cst.CSTNode | None) -> bool:
    """Whether an assignment binds a variable that is used as an array: `w = weights[k]`, `w.T`."""
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            uses = ((n, above) for n, above in walk(loop.body) if isinstance(n, cst.Name) and n.value == name)
            return any(_is_used_as_array(run, n, above) for n, above in uses if not isinstance(above, cst.AssignTarget))
    return False


def held(run: Run, loop: cst.For) -> frozenset[str]:
    """The variables that the index of a loop indexes and that may be lists of arrays of different shapes, as each iteration changes the
    shape of what it multiplies by an item: `x = np.tanh(x @ w[i] + b[i])`."""
    found, targets, chained = set[str](), names(loop.target), False
    for node, parent in walk(loop.body):
        match node:
            case cst.Subscript(value=cst.Name() as base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if not targets.isdisjoint(names(index)) and _may_be_list(run, base):
                    found.add(base.value)
                    factor = _belongs_to_array(parent) or _is_factor(run, parent)
                    chained = chained or (factor and _is_in_update(run, loop, node))
    return frozenset(found) if chained else frozenset()


def _is_in_update(run: Run, loop: cst.For | cst.While, node: cst.CSTNode) -> bool:
    """Whether an iteration computes a variable from its own value and an expression, in one assignment or two: `z = w[i] @ x`, `x = tanh(z)`."""
    while (parent := run.source.parents[node]) is not None and parent is not loop:
        match parent:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                read = names(value)
                return value is node and (name in read or any(name in uses and it in read for it, uses in _computed(run, loop)))
        node = parent
    return False


def _computed(run: Run, loop: cst.For | cst.While) -> Iterator[tuple[str, set[str]]]:
    """The variables that a loop computes, with those from which it does."""
    for node in run.source.among(loop.body, cst.Assign):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                yield name, names(value)
