"""Variables that XLA would compute again for each of their uses.

XLA fuses the operations on arrays. A value with several uses becomes part of the loop over the elements of each of them, and of each
element that is read at another position, as after `np.roll`. Where such values are computed from one another, as in a solver of finite
volumes, the same operations are repeated hundreds of times, and compiling takes as long. NumPy computes each variable once. So does
compiled code where the variable is kept: all of its elements are stored, and read again.

The estimate: an element of a variable takes its own operations and those of the variables that it reads, down to those that are kept.
Functions such as `exp`, reductions and products are not repeated by XLA.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN, Value
from ...rules.facts.work import Work
from ...rules.syntax import builders
from ..analysis.state.interpreter_state import Run
from ..syntax.names import bound_by

REPEATED = frozenset(
    f"numpy.{name}"
    for name in """abs absolute add clip concatenate conj diff divide equal fabs flip fliplr flipud greater greater_equal heaviside hstack
    less less_equal logical_and logical_not logical_or maximum minimum moveaxis multiply negative not_equal pad positive ravel repeat reshape
    roll sign square squeeze stack subtract swapaxes tile transpose true_divide vstack where""".split()
)
MOVED = frozenset({"numpy.roll", "numpy.diff", "numpy.flip", "numpy.fliplr", "numpy.flipud", "numpy.pad"})  # other positions
OF_MOVED = 3  # operations for an element, as two parts of the array are joined
STORED = 40  # operations on an element that take as long as to store it and to read it again, with some certainty


@dataclass(slots=True, eq=False)
class _Variable:
    """One binding of a variable. `own`: operations for each element; `reads`: the variables that it is computed from, and how often;
    `uses`: how many fused loops read it; `statement`: where it may be kept."""

    statement: cst.Assign | None = None
    own: int = 0
    reads: Counter[_Variable] = field(default_factory=Counter)
    uses: int = 0


@dataclass(slots=True)
class _Expression:
    """What is found in one expression. `once`: variables read at the position that is computed; `moved`: those at others."""

    own: int = 0
    once: set[_Variable] = field(default_factory=set)
    moved: list[_Variable] = field(default_factory=list)


def kept(
    run: Run, owner: cst.FunctionDef, work: Mapping[str, Work], loops: Container[cst.BaseCompoundStatement]
) -> frozenset[cst.Assign]:
    """The assignments whose values take longer to compute again than to store. `work`: what the functions of the project compute;
    `loops`: those whose iterations run one after the other, in compiled code."""
    scan = _Scan(run, work, loops)
    scan.block(builders.lines(owner.body))
    found = set[cst.Assign]()
    costs = dict[_Variable, int]()
    for group in scan.groups:
        cost = max(v.own + sum(costs.get(w, 0) * often for w, often in v.reads.items()) for v in group)
        statement = group[0].statement
        if statement is not None and any(cost * (v.uses - 1) >= STORED for v in group):
            found.add(statement)
            cost = 0
        costs.update((v, cost) for v in group)
    return frozenset(found)


class _Scan:
    """The bindings of variables in a function, in the order of the text. `groups`: those that one statement makes."""

    def __init__(self, run: Run, work: Mapping[str, Work], loops: Container[cst.BaseCompoundStatement]) -> None:
        self.run, self.work, self.loops = run, work, loops
        self.names: dict[str, frozenset[_Variable]] = {}  # its bindings, one for each path
        self.groups: list[Sequence[_Variable]] = []

    def block(self, statements: Iterable[cst.BaseStatement | cst.BaseSmallStatement]) -> None:
        for statement in statements:
            match statement:
                case cst.SimpleStatementLine(body=body):
                    self.block(body)
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() | cst.Tuple() as target)], value=value):
                    self.bind(bound_by(cst.AssignTarget(target)), value, statement if self.is_arrays(value) else None)
                case cst.AugAssign(target=cst.Name(value=name) as target, value=value):
                    self.bind((name,), cst.BinaryOperation(target, cst.Add(), value), None)
                case cst.If(test=test, body=body, orelse=orelse):
                    self.use(test)
                    before, other = dict(self.names), orelse.body if isinstance(orelse, cst.Else) else None
                    self.block(builders.lines(body))
                    taken, self.names = self.names, before
                    self.block((orelse,) if isinstance(orelse, cst.If) else builders.lines(other) if other else ())
                    for name, variables in taken.items():
                        self.names[name] = self.names.get(name, frozenset()) | variables
                case cst.Return(value=value):
                    self.use(value)
                case cst.For(body=body) | cst.While(body=body) if statement in self.loops and not statement.orelse:
                    self.use(statement.iter if isinstance(statement, cst.For) else statement.test)
                    self.store(bound_by(statement))
                    self.block(builders.lines(body))
                    self.store(bound_by(statement))
                case _:  # a loop, or an update of part of an array: its operands are stored
                    self.use(statement)
                    self.store(bound_by(statement) | {n.value for n in self.run.source.among(statement, cst.Name)})

    def store(self, names: Iterable[str]) -> None:
        """Note that the elements of some variables are stored."""
        for name in names:
            self.names.pop(name, None)

    def is_arrays(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes arrays, and nothing that Python needs."""
        value = self.run.values.get(node, UNKNOWN)
        parts = value.elements if value.kind is Kind.TUPLE else (value,)
        return not isinstance(node, cst.Tuple) and bool(parts) and all(map(_is_large, parts or ()))

    def bind(self, names: Iterable[str], value: cst.BaseExpression, statement: cst.Assign | None) -> None:
        found = self.use(value)
        reads = Counter(found.moved)
        reads.update(found.once - reads.keys())
        bound = {name: _Variable(statement, found.own, reads) for name in names}
        made = list(bound.values())
        self.names.update((name, frozenset({variable})) for name, variable in bound.items())
        if made:
            self.groups.append(made)

    def use(self, node: cst.CSTNode | None) -> _Expression:
        """Count the uses of variables in an expression or a statement."""
        found = _Expression()
        for part in (e.value for e in node.elements) if isinstance(node, cst.Tuple) else (node,):
            one = _Expression()
            if part is not None:
                self.visit(part, one, moved=False, times=1)
            found = _Expression(found.own + one.own, found.once | one.once, found.moved + one.moved)
        return found

    def visit(self, node: cst.CSTNode, found: _Expression, moved: bool, times: int) -> None:
        """`times`: how many results are computed from it."""
        match node:
            case cst.Name(value=name):
                for variable in self.names.get(name, ()):
                    if moved or variable not in found.once:
                        variable.uses += times
                    if moved:
                        found.moved.append(variable)
                    else:
                        found.once.add(variable)
                return
            case cst.Subscript(value=base):
                self.visit(base, found, True, times)
                return
            case cst.Attribute(value=base):
                self.visit(base, found, moved, times)
                return
            case cst.Call(args=args):
                operations, parts, moves = self.called(node)
                if not operations:
                    found = _Expression()  # it is computed once
                found.own += operations
                for part in (*(a.value for a in args), *self.receiver(node)):
                    self.visit(part, found, moved or moves, times * parts)
                return
            case cst.BinaryOperation(operator=operator, right=right):
                once = isinstance(operator, cst.MatrixMultiply) or (
                    isinstance(operator, cst.Power) and not isinstance(right, cst.Integer)
                )
                found = _Expression() if once else found
                found.own += self.is_large(node)
            case cst.UnaryOperation() | cst.Comparison():
                found.own += self.is_large(node)
        for child in node.children:
            self.visit(child, found, moved, times)

    def called(self, call: cst.Call) -> tuple[int, int, bool]:
        """The operations of a call for an element, 0 if it is not repeated; the number of its results; whether it reads elements at
        other positions."""
        known = self.run.call_graph.calls.get(call)
        if known is not None:
            results = self.run.values.get(call, UNKNOWN).elements
            return self.work.get(known.callee, Work()).arrays, len(results or (None,)), False
        name = self.run.scopes.qualname(call.func) or ""
        operations = OF_MOVED if name in MOVED else 1
        return (operations if name in REPEATED else 0), 1, name in MOVED

    def receiver(self, call: cst.Call) -> Iterator[cst.BaseExpression]:
        if isinstance(call.func, cst.Attribute) and not self.run.scopes.qualname(call.func):
            yield call.func.value

    def is_large(self, node: cst.CSTNode) -> bool:
        return _is_large(self.run.values.get(node, UNKNOWN))


def _is_large(value: Value) -> bool:
    """Whether a value is an array, rather than a number or an item of an array, and computed."""
    return value.kind is Kind.ARRAY and not (value.number or value.item or value.weak) and value.rank != 0 and value.traced


__all__ = ["kept"]
