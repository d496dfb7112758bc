"""Loops through variables that may be lists of arrays of different shapes, such as the weights of a network."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.builders import names
from ...syntax.source import walk
from ..state.interpreter_state import Run

OF_NUMBERS = frozenset("real imag conj conjugate item astype copy dtype".split())  # attributes that numbers have, too
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


def _is_unknown(run: Run, node: cst.BaseExpression) -> bool:
    value = run.values.get(node, UNKNOWN)
    return value.kind is Kind.UNKNOWN and not (value.number or value.device)


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


def measured(run: Run, loop: cst.For) -> frozenset[str]:
    """The variables that may be lists of arrays of different shapes, as the iterations of a loop ask their items for a length or a shape, or
    sum them: `len(x[i])`, `for row in x: np.mean(row)`."""
    targets, found = names(loop.target), set[str]()
    rows = set[str]()
    for whole, item in _rows(run, loop):
        rows.add(item)
        if any(_is_measured(run, n) for n in run.source.among(loop.body, cst.Name) if n.value == item):
            found.add(whole)
    for node in run.source.among(loop.body, cst.Subscript):
        match node:
            case cst.Subscript(value=cst.Name() as base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                if not (targets - rows).isdisjoint(names(index)) and _is_unknown(run, base) and _is_measured(run, node):
                    found.add(base.value)
    return frozenset(found)


def _rows(run: Run, loop: cst.For) -> Iterator[tuple[str, str]]:
    """The variables through which a loop goes, each with the one that it binds to their items."""
    match loop:
        case cst.For(iter=cst.Name(value=whole) as base, target=cst.Name(value=item)) if _is_unknown(run, base):
            yield whole, item
        case cst.For(iter=cst.Call(args=given) as call, target=cst.Tuple(elements=elements)):
            function = run.scopes.qualname(call.func)
            bound = elements[1:] if function == "builtins.enumerate" else elements if function == "builtins.zip" else []
            for argument, element in zip(given, bound, strict=False):
                if (
                    isinstance(argument.value, cst.Name)
                    and isinstance(element.value, cst.Name)
                    and _is_unknown(run, argument.value)
                ):
                    yield argument.value.value, element.value.value


def _is_measured(run: Run, node: cst.BaseExpression) -> bool:
    """Whether the length or the shape of a value is asked for, or a sum or the like is computed of it, or of what NumPy makes of it alone."""
    parent = run.source.parents[node]
    match parent:
        case cst.Attribute(attr=cst.Name(value=name)):
            return name not in OF_NUMBERS
        case cst.UnaryOperation():
            return _is_measured(run, parent)
        case cst.BinaryOperation(left=left, right=right):
            alone = isinstance(right if left is node else left, (cst.Integer, cst.Float))
            return alone and _is_measured(run, parent)
        case cst.Arg() if isinstance(call := run.source.parents[parent], cst.Call) and call.args[0] is parent:
            name = run.scopes.qualname(call.func) or ""
            entry = numpy_table.function(name) if name.startswith("numpy.") else None
            if name == "builtins.len" or (entry is not None and entry.rank.startswith("reduce")):
                return True
            kept = entry is not None and (entry.ufunc == 1 or entry.rank in ("same", "atleast:1"))
            return kept and _is_measured(run, call)
    return False


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
