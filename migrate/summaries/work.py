"""How much a unit computes: counted operations, from which the cost model estimates what NumPy and JAX take."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ...rules.facts.work import Work
from ...rules.numpy_table.call_costs import COSTS, OPERATION
from ..analysis.state.interpreter_state import Run
from ..syntax.names import bound_by
from .call_order import LOOPS, enclosing, inside
from .iteration_counts import iterations
from .loop_draws import draws_in_sequence
from .masked_slices import slower_with_masks
from .products import is_product
from .resized_arguments import has_many_iterations, passed

FIRST = [cst.SubscriptElement(cst.Index(cst.Integer("0")))]
OPERATORS: dict[type[cst.CSTNode], str] = {
    cst.Power: "numpy.power",
    cst.PowerAssign: "numpy.power",
    cst.Modulo: "numpy.mod",
    cst.ModuloAssign: "numpy.mod",
    cst.FloorDivide: "numpy.floor_divide",
    cst.FloorDivideAssign: "numpy.floor_divide",
    cst.MatrixMultiply: "numpy.matmul",
    cst.MatrixMultiplyAssign: "numpy.matmul",
}
NUMBERS = 0.5  # microseconds that a function of NumPy takes less for numbers than for arrays
OPERATOR = 0.5  # microseconds that an operator takes less than a function
OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Call, cst.AugAssign)


def work_of_unit(run: Run, nodes: list[cst.CSTNode]) -> Work:
    """Count the operations of a unit in its `nodes`."""
    return work_of(run, nodes, nodes)._replace(masked=next(slower_with_masks(run), ""))


def work_of(run: Run, nodes: list[cst.CSTNode], part: Collection[cst.CSTNode]) -> Work:
    """Count the operations in a part of a unit. `nodes`: those of the unit."""
    return counted(run, part, Small(run, nodes))._replace(products=any(is_product(node, run) for node in part))


def counted(run: Run, nodes: Iterable[cst.CSTNode], small: Small, within: Container[cst.CSTNode] = ()) -> Work:
    """The operations among some nodes of a unit. `within`: loops that count as if they were not there."""
    counts, slow, numpy, xla, draws = [0, 0, 0, 0], [0.0, 0.0], 0.0, 0.0, 0
    known = dict[cst.CSTNode, float | None]()

    def times(node: cst.CSTNode) -> float | None:
        """How often a call of the unit computes a node; None where that depends on an argument."""
        total = 1.0
        for at in enclosing(run, node):
            if type(at) in LOOPS and at not in within:
                trips = known[at] if at in known else known.setdefault(at, iterations(run.source, run.scopes, at))
                if trips is None:
                    return None
                total *= trips
        return total

    nodes = tuple(nodes)
    skipped = not_taken(run, nodes)
    for node in nodes:
        if not isinstance(node, OPERATIONS) or node in skipped:
            continue
        value = run.values.get(node.target if isinstance(node, cst.AugAssign) else node, UNKNOWN)
        if value.numeric or value.kind is Kind.TUPLE:
            trips = times(node)
            looped, often = trips is None, round(trips or 1)
            number = small.operation(node)
            if isinstance(node, cst.Call) and run.scopes.qualname(node.func) == "builtins.len":
                often = 1  # a length does not change
            counts[2 * looped + number] += often
            name = computed_by(run, node)
            cost = COSTS.get(name, OPERATION)
            if isinstance(node, cst.Call) and name:
                slow[looped] += often * (cost.few - (NUMBERS if number else 1))
            elif not number and not isinstance(node, cst.Call):
                slow[looped] -= often * OPERATOR
            if not (looped or number):
                numpy, xla = numpy + often * cost.numpy, xla + often * cost.xla
            draws += looped and not number and draws_in_sequence(run, node)
    arrays, items, looped_arrays, looped_items = counts
    return Work(arrays, items, looped_arrays, looped_items, slow[False], slow[True], numpy, xla, looped_draws=draws)


def not_taken(run: Run, nodes: Iterable[cst.CSTNode]) -> set[cst.CSTNode]:
    """The nodes of the smaller arm of each branch: one of the two runs."""
    found = set[cst.CSTNode]()
    for node in nodes:
        if isinstance(node, cst.If) and node.orelse is not None:
            found.update(run.source.below(min(node.body, node.orelse, key=lambda arm: len(run.source.among(arm, *OPERATIONS)))))
    return found


def computed_by(run: Run, node: cst.CSTNode) -> str:
    """The function of NumPy that computes an operation: "numpy.sort" for `x.sort()`; "" for any other."""
    match node:
        case cst.Call(func=cst.Attribute(value=base, attr=attr)) if run.values.get(base, UNKNOWN).kind is Kind.ARRAY:
            return f"numpy.{attr.value}"
        case cst.Call(func=func):
            name = run.scopes.qualname(func) or ""
            return name if name.startswith("numpy.") else ""
        case cst.BinaryOperation(operator=cst.Power(), right=cst.Integer()):
            return ""  # products
        case cst.BinaryOperation(operator=operator) | cst.AugAssign(operator=operator):
            return OPERATORS.get(type(operator), "")
    return ""


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
            return not isinstance(node, cst.Call) or all(self.expression(a.value) for a in self.operands(node))
        match node:
            case cst.Name(value=name):
                return self.name(name)
            case cst.Call() if node in self.run.random.sites:
                return False
            case cst.BinaryOperation(left=left, right=right):
                return self.expression(left) and self.expression(right)
            case cst.UnaryOperation(expression=inner):
                return self.expression(inner)
            case cst.Comparison(left=left, comparisons=targets):
                return self.expression(left) and all(self.expression(t.comparator) for t in targets)
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                return isinstance(index, (cst.Integer, cst.UnaryOperation))
            case cst.Subscript(slice=slices):
                return all(isinstance(s.slice, cst.Index) and self.is_number(s.slice.value) for s in slices)
            case cst.List(elements=elements) | cst.Tuple(elements=elements):
                return all(self.expression(e.value) for e in elements)
            case cst.Call():
                return bool(node.args) and all(self.expression(a.value) for a in self.operands(node))
        return False

    def operands(self, call: cst.Call) -> Iterator[cst.Arg]:
        """The arguments of a call, and the object of a method, which a module is not."""
        yield from call.args
        if isinstance(call.func, cst.Attribute) and not self.run.scopes.qualname(call.func):
            yield cst.Arg(call.func.value)

    def is_number(self, index: cst.BaseExpression) -> bool:
        known = isinstance(index, cst.Integer) or self.run.values.get(index, UNKNOWN).kind is Kind.SCALAR
        return known or (isinstance(index, (cst.Name, cst.BinaryOperation)) and self.expression(index))

    def name(self, name: str) -> bool:
        if name not in self.names:
            self.names[name] = False  # a variable that depends on itself counts as large
            self.names[name] = bool(self.assigned.get(name)) and all(map(self.expression, self.assigned[name]))
        return self.names[name]


def repetition(run: Run, node: cst.CSTNode, callee: str) -> tuple[bool, frozenset[str], bool]:
    """Whether a call is in a loop, the parameters that get another argument in each iteration of the outermost one, and whether that
    may have many iterations."""
    loop = inside(run, node, LOOPS)
    if loop is None or not isinstance(node, cst.Call):
        return loop is not None, NOTHING, False
    steps = run.source.among(loop, cst.CompFor)
    bound = bound_by(loop).union(*(bound_by(cst.AssignTarget(step.target)) for step in steps))
    varying = (
        parameter
        for parameter, argument in passed(run, node, callee)
        if any(name.value in bound for name in run.source.among(argument, cst.Name))
    )
    return True, frozenset(varying), has_many_iterations(run, loop)
