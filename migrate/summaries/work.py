"""How much a unit computes: counted operations, from which the cost model estimates what NumPy and JAX take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ..analysis.state.interpreter_state import Run
from ..syntax.names import bound_by
from .call_order import LOOPS, inside
from .masked_slices import slower_with_masks
from .products import is_product

FIRST = [cst.SubscriptElement(cst.Index(cst.Integer("0")))]
OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Call, cst.AugAssign)


class Work(NamedTuple):
    """What a unit computes.

    `arrays`, `items`: operations on arrays, and on their items or on numbers, outside of loops. `looped_arrays`, `looped_items`:
    those in loops, in each iteration. `products`: whether there are matrix products, transforms and the like, which take longer than one
    pass over their operands. `masked`: why the masks that replace slices in a loop take longer than these, by more than a constant; ""
    where they do not.
    """

    arrays: int = 0
    items: int = 0
    looped_arrays: int = 0
    looped_items: int = 0
    masked: str = ""
    products: bool = False


def work_of(run: Run, nodes: list[cst.CSTNode]) -> Work:
    """Count the operations of a unit in its `nodes`."""
    counts = [0, 0, 0, 0]
    small = Small(run, nodes)
    for node in nodes:
        if isinstance(node, OPERATIONS):
            value = run.values.get(node.target if isinstance(node, cst.AugAssign) else node, UNKNOWN)
            if value.numeric or value.kind is Kind.TUPLE:
                counts[2 * (inside(run, node, LOOPS) is not None) + small.operation(node)] += 1
    arrays, items, looped_arrays, looped_items = counts
    return Work(
        arrays, items, looped_arrays, looped_items, next(slower_with_masks(run), ""), any(is_product(node, run) for node in nodes)
    )


class Small:
    """Which expressions of a unit are numbers, items of arrays, or computed from these alone.

    A variable counts as small if all that is assigned to it is. Items are taken for numbers even where nothing says that their array
    has one dimension only: a function that computes with items alone gains little, whatever these are.
    """

    def __init__(self, run: Run, nodes: list[cst.CSTNode]) -> None:
        self.run = run
        self.assigned: dict[str, list[cst.BaseExpression]] = {}
        for node in nodes:
            match node:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                    self.assigned.setdefault(name, []).append(value)
                case cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Tuple() as target)], value=cst.Name() | cst.Attribute() as value
                ):
                    for name in bound_by(cst.AssignTarget(target)):  # the items of an array
                        self.assigned.setdefault(name, []).append(cst.Subscript(value, FIRST))
        self.names: dict[str, bool] = {}

    def operation(self, node: cst.CSTNode) -> bool:
        """Whether an operation makes a number from numbers."""
        if isinstance(node, cst.AugAssign):
            return self.expression(node.target) and self.expression(node.value)
        return isinstance(node, cst.BaseExpression) and self.expression(node)

    def expression(self, node: cst.BaseExpression) -> bool:
        value = self.run.values.get(node, UNKNOWN)
        if value.kind is Kind.MODULE:
            return True
        if value.kind is Kind.SCALAR or value.item or (value.kind is Kind.ARRAY and value.rank == 0):
            return not isinstance(node, cst.Call) or all(self.expression(a.value) for a in operands(node))
        match node:
            case cst.Name(value=name):
                return self.name(name)
            case cst.BinaryOperation(left=left, right=right):
                return self.expression(left) and self.expression(right)
            case cst.UnaryOperation(expression=inner):
                return self.expression(inner)
            case cst.Comparison(left=left, comparisons=targets):
                return self.expression(left) and all(self.expression(t.comparator) for t in targets)
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                return isinstance(index, (cst.Integer, cst.UnaryOperation))
            case cst.List(elements=elements) | cst.Tuple(elements=elements):
                return all(self.expression(e.value) for e in elements)
            case cst.Call():
                return bool(node.args) and all(self.expression(a.value) for a in operands(node))
        return False

    def name(self, name: str) -> bool:
        if name not in self.names:
            self.names[name] = False  # a variable that depends on itself counts as large
            self.names[name] = bool(self.assigned.get(name)) and all(map(self.expression, self.assigned[name]))
        return self.names[name]


def repetition(run: Run, node: cst.CSTNode, callee: str) -> tuple[bool, frozenset[str]]:
    """Whether a call is in a loop, and the parameters that get another argument in each iteration of the outermost one."""
    loop = inside(run, node, LOOPS)
    known = run.facts.functions.get(callee)
    if loop is None or known is None or not isinstance(node, cst.Call):
        return loop is not None, NOTHING
    bound = bound_by(loop)
    found = set[str]()
    for position, argument in enumerate(node.args):
        parameter = known.params[position] if position < len(known.params) else ""
        if argument.keyword is not None:
            parameter = argument.keyword.value
        if any(name.value in bound for name in run.source.among(argument.value, cst.Name)):
            found.add(parameter)
    return True, frozenset(found)


def operands(call: cst.Call) -> Iterator[cst.Arg]:
    """The arguments of a call, and the object of a method."""
    yield from call.args
    if isinstance(call.func, cst.Attribute) and isinstance(call.func.value, (cst.Name, cst.Call, cst.Subscript)):
        yield cst.Arg(call.func.value)
