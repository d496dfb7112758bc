"""Arguments whose shape is another one in each iteration of a loop: jit compiles a function anew for each shape.

`f(x[:k])` in a loop over k is such a call, as are `f(x[labels == k])` and one of an array that grows. Compiling takes a tenth of a second,
and the loop of NumPy often less.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from ...rules import numpy_table
from ...rules.core.dtypes import category
from ...rules.core.findings import Kind
from ...rules.facts.values import NOTHING, UNKNOWN
from ..analysis.state.interpreter_state import Run
from ..analysis.symbolic.affine import Affine, affine
from ..syntax.names import bound_by
from .call_order import LOOPS, inside

SIZED = frozenset({"arange", "empty", "eye", "full", "identity", "linspace", "ones", "zeros"})
JOINED = frozenset({"append", "column_stack", "concatenate", "delete", "hstack", "insert", "vstack"})
KEEPING = frozenset(
    {"abs", "array", "asarray", "astype", "copy", "exp", "flatten", "ix_", "list", "log", "ravel", "sort", "sqrt", "tuple"}
)
COUNTERS = frozenset({"builtins.enumerate", "builtins.range", "numpy.arange"})


class ResizedArguments:
    """The parameters that the calls of a unit give arrays of other shapes. `nodes`: those of the unit."""

    def __init__(self, run: Run, nodes: Sequence[cst.CSTNode]) -> None:
        self.run, self.nodes = run, nodes
        self._shapes = dict[cst.CSTNode | None, _Shapes]()  # by loop

    def of(self, node: cst.CSTNode, callee: str) -> frozenset[str]:
        """The parameters that a call in a loop gives an array of another shape in each iteration of the outermost loop; for other calls,
        those that get another shape whenever the unit is called, as it depends on values: `f(x[labels == k])`."""
        run = self.run
        arguments = [*passed(run, node, callee)] if isinstance(node, cst.Call) else []
        if not arguments:
            return NOTHING
        loop = inside(run, node, LOOPS)
        shapes = self._shapes.get(loop)
        if shapes is None:
            shapes = self._shapes[loop] = _Shapes(run, loop, self.nodes)
        found = set[str]()
        for parameter, argument in arguments:
            shapes.seen.clear()
            value = run.values.get(argument, UNKNOWN)
            if value.kind is not Kind.SCALAR and value.rank != 0 and shapes.differ(argument):
                found.add(parameter)
        return frozenset(found)


def passed(run: Run, call: cst.Call, callee: str) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The arguments of a call with the parameters of the function of the project that it calls; nothing for an unknown function."""
    known = run.facts.functions.get(callee)
    if known is None:
        return
    through = call.func.value if isinstance(call.func, cst.Attribute) else None
    receives = through is not None and run.values.get(through, UNKNOWN).kind is not Kind.CLASS
    params = known.params[1:] if known.receiver and (receives or callee.endswith(".__init__")) else known.params
    for position, argument in enumerate(call.args):
        name = params[position] if position < len(params) else ""
        yield argument.keyword.value if argument.keyword is not None else name, argument.value


def has_many_iterations(run: Run, loop: cst.CSTNode) -> bool:
    """Whether a loop, or one in it, may have many iterations: sizes in a list are few."""
    steps: list[cst.For | cst.CompFor] = [*run.source.among(loop, cst.For), *run.source.among(loop, cst.CompFor)]
    called = (step.iter.func for step in steps if isinstance(step.iter, cst.Call))
    return isinstance(loop, cst.While) or any((run.scopes.qualname(func) or "") in COUNTERS for func in called)


class _Shapes:
    """The shapes of arrays in the iterations of one loop; without a loop, in the calls of a unit, of which all arguments may vary."""

    def __init__(self, run: Run, loop: cst.CSTNode | None, nodes: Sequence[cst.CSTNode]) -> None:
        self.run = run
        self.called = loop is None
        self.assigned = dict[str, list[cst.BaseExpression]]()
        nodes = nodes if loop is None else run.source.below(loop)
        for statement in (node for node in nodes if isinstance(node, cst.Assign)):
            for target in statement.targets:
                for name in bound_by(target):
                    self.assigned.setdefault(name, []).append(statement.value)
        steps = [node for node in nodes if isinstance(node, (cst.For, cst.CompFor))]
        self.varying = {name for each in steps for name in bound_by(cst.AssignTarget(each.target))}
        self.varying |= {name for each in nodes if isinstance(each, cst.AugAssign) for name in bound_by(each)}
        while more := {name for name in self.assigned if name not in self.varying and self._is_new(name)}:
            self.varying |= more
        self.counted = loop is not None and has_many_iterations(run, loop)
        self.seen = set[str]()  # variables that `differ` has followed

    def _is_new(self, name: str) -> bool:
        """Whether iterations give a variable other values, as far as its assignments tell."""
        return any(self._mentions(value, {name}) for value in self.assigned[name])

    def _mentions(self, node: cst.CSTNode, more: Collection[str] = ()) -> bool:
        return self.called or any(
            name.value in self.varying or name.value in more for name in self.run.source.among(node, cst.Name)
        )

    def differ(self, node: cst.CSTNode) -> bool:
        """Whether the shape of an expression is another one in each iteration, or that of an array that it holds."""
        match node:
            case cst.Name(value=name):
                new = name not in self.seen
                self.seen.add(name)
                assigned = self.assigned.get(name, ()) if new else ()
                return any((not self.called and self._grows(name, value)) or self.differ(value) for value in assigned)
            case cst.Subscript(value=base, slice=parts):
                return any(self._resizes(part.slice) for part in parts) or self.differ(base)
            case cst.Call(func=func, args=arguments):
                called = (self.run.scopes.qualname(func) or "").removeprefix("numpy.").removeprefix("builtins.")
                if called in SIZED and arguments:
                    return self.counted and self._mentions(arguments[-1 if called == "linspace" else 0].value)
                if called in KEEPING:
                    return any(self.differ(each.value) for each in arguments)
                if self._counts_values(node):
                    return self._mentions(node)
                return isinstance(func, cst.Attribute) and func.attr.value in KEEPING and self.differ(func.value)
            case cst.BinaryOperation(left=left, right=right):
                return self.differ(left) or self.differ(right)
            case cst.UnaryOperation(expression=inner) | cst.Attribute(value=inner, attr=cst.Name(value="T")):
                return self.differ(inner)
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                return any(self.differ(each.value) for each in elements)
            case cst.ListComp(elt=inner) | cst.GeneratorExp(elt=inner):
                return self.differ(inner)
        return False

    def _counts_values(self, call: cst.Call) -> bool:
        """Whether the shape of what a function of NumPy returns depends on values, such as the positions where a condition holds."""
        entry = numpy_table.function(self.run.scopes.qualname(call.func) or "")
        if entry is not None and entry.alone and len(call.args) == 1:
            entry = numpy_table.function(entry.alone)
        return entry is not None and not entry.jit

    def _grows(self, name: str, value: cst.CSTNode) -> bool:
        """Whether an array gets longer or shorter by an assignment."""
        match value:
            case cst.Call(func=func):
                called = (self.run.scopes.qualname(func) or "").removeprefix("numpy.")
                return called in JOINED and any(each.value == name for each in self.run.source.among(value, cst.Name))
        return False

    def _resizes(self, part: cst.BaseSlice) -> bool:
        """Whether a part of a subscript selects another number of elements in each iteration."""
        if isinstance(part, cst.Slice):
            bounds = [each for each in (part.lower, part.upper) if each is not None and self._mentions(each)]
            if self.called:  # in `x[i : i + width]`, the width is taken for the same in each call
                between = self._between(*bounds) if len(bounds) == 2 else Affine()
                return between is None or len(between.names) > 1
            return bool(bounds) and not (len(bounds) == 2 and self._apart(*bounds))
        if not isinstance(part, cst.Index):
            return False
        mask = self.run.values.get(part.value, UNKNOWN)
        if mask.kind is Kind.ARRAY and category(mask.dtype) == 0:
            return self._mentions(part.value)
        return self.differ(part.value)

    def _apart(self, lower: cst.BaseExpression, upper: cst.BaseExpression) -> bool:
        """Whether two bounds are as far apart in each iteration."""
        between = self._between(lower, upper)
        return between is not None and self.varying.isdisjoint(between.names)

    def _between(self, lower: cst.BaseExpression, upper: cst.BaseExpression) -> Affine | None:
        """How far two bounds are apart; None if that is not known."""
        names = dict[str, Affine]()
        for name, values in self.assigned.items():
            form = affine(values[0]) if len(values) == 1 else None
            if form is not None and name not in form.names:
                names[name] = form
        forms = affine(lower, names), affine(upper, names)
        return None if forms[0] is None or forms[1] is None else forms[1] - forms[0]
