"""Lists to which each iteration of a loop appends one item, and which become one array afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.loops import AccumulatedList
from ....rules.facts.values import UNKNOWN, Value
from ....rules.numpy_table.entry import Verdict
from ....rules.syntax.tree import assigned_values, last_mention, mentions
from ...syntax.names import bound_by, collect
from ..branches.branch_arms import leaves
from ..state.interpreter_state import Run

PYTHON_NUMBERS = ("bool", "int", "float")
ONE_ARRAY = ("numpy.array", "numpy.asarray", "numpy.stack")  # from a list of arrays: along a new first axis


def accumulated_lists(run: Run, node: cst.For | cst.While) -> tuple[AccumulatedList, ...]:
    """The lists that a loop accumulates, where no reader needs a list: all of them convert it to an array."""
    if not isinstance(node, cst.For) or run.flow.depth or not run.unit.in_function or any(leaves(s) for s in node.body.body):
        return ()
    found = [one for line in node.body.body for one in _accumulated_by(run, node, line)]
    makers = [f.maker for f in found]
    whole = [f for f in found if makers.count(f.maker) == len(collect((f.maker,)).bound)]
    return tuple(whole) if len({f.name for f in found}) == len(found) else ()


def _accumulated_by(run: Run, loop: cst.For, line: cst.CSTNode) -> Iterator[AccumulatedList]:
    for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        match small:
            case cst.Expr(
                value=cst.Call(
                    func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")),
                    args=[cst.Arg(value=value, keyword=None, star="")],
                )
            ):
                block = _block(run, loop)
                position = next((k for k, statement in enumerate(block) if statement is loop), -1)
                maker = _maker(block[:position], name) if position >= 0 else None
                reads = None if maker is None else _reads(run, loop, block[position + 1 :], name)
                if maker is not None and reads is not None and _number_or_array(run, value):
                    calls = [call for node in reads if (call := _call(run, node)) is not None and _makes_array(run, call)]
                    yield AccumulatedList(name, maker, small, value, tuple(calls), tuple(reads))


def _block(run: Run, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    return getattr(run.source.parents.get(node), "body", ())


def _number_or_array(run: Run, node: cst.BaseExpression) -> bool:
    value = run.values.get(node, UNKNOWN)
    return value.kind is Kind.ARRAY or value.number or (value.kind is Kind.SCALAR and not value.name)


def is_numeric(value: Value) -> bool:
    """Whether it is an array, or a number of which it is known whether it is one of Python."""
    if value.kind is Kind.SCALAR:
        return is_python(value) or (value.traced and not value.name)
    return value.kind is Kind.ARRAY and value.rank != 0 and not value.name


def is_python(value: Value) -> bool:
    return value.kind is Kind.SCALAR and value.dtype in PYTHON_NUMBERS


def appended_item(line: cst.CSTNode) -> tuple[cst.Name | cst.Attribute, cst.BaseExpression] | None:
    """The variable or the attribute to whose list a line appends, and the item; None if it does anything else."""
    match line:
        case cst.SimpleStatementLine(
            body=[
                cst.Expr(
                    value=cst.Call(
                        func=cst.Attribute(value=cst.Name() | cst.Attribute() as owner, attr=cst.Name(value="append")),
                        args=[cst.Arg(value=item, keyword=None, star="")],
                    )
                )
            ]
        ):
            return owner, item
    return None


def _maker(before: Sequence[cst.CSTNode], name: str) -> cst.SimpleStatementLine | None:
    """`name = []`, `a, b = [], []` before the loop, where nothing in between reads or binds it."""
    line = last_mention(before, name)
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            parts, values = _parts(target), _parts(value)
            if len(parts) == len(values) and all(map(_is_empty, values)) and all(type(t) is cst.Name for t in parts):
                return line
    return None


def _parts(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [e.value for e in node.elements] if isinstance(node, cst.Tuple) else [node]


def _is_empty(node: cst.BaseExpression) -> bool:
    match node:
        case cst.List(elements=[]) | cst.Call(func=cst.Name(value="list"), args=[]):
            return True
    return False


def _reads(run: Run, loop: cst.For, after: Sequence[cst.CSTNode], name: str) -> list[cst.CSTNode] | None:
    """The reads of the list after the loop; None where anything but an array function reads it."""
    if len(mentions(loop, name)) != 1 or run.unit.owner is None:
        return None
    found: list[cst.CSTNode] = []
    for line in after:
        mentioned = mentions(line, name)
        targets = [n for n, p in mentioned if isinstance(p, cst.AssignTarget)]
        for node, _parent in mentioned:
            if node in targets:
                continue
            call = _call(run, node)
            if call is None or not _takes_lists(run.scopes.qualname(call.func) or ""):
                return None
            found.append(node)
        if targets:
            return found if type(line) is cst.SimpleStatementLine and len(line.body) == 1 else None
    other = sum(len(mentions(arm, name)) for arm in _never_after(run, loop))
    return found if len(mentions(run.unit.owner, name)) == 2 + len(found) + other else None


def _never_after(run: Run, loop: cst.For) -> list[cst.CSTNode]:
    """The arms of `if` statements that do not run after a loop either, as no other loop runs them again."""
    return [] if run.source.in_loop(loop, run.source.module) else run.source.other_arms(loop)


def _call(run: Run, node: cst.CSTNode) -> cst.Call | None:
    """The call whose first argument a variable is."""
    argument = run.source.parents.get(node)
    call = run.source.parents.get(argument) if isinstance(argument, cst.Arg) else None
    first = isinstance(call, cst.Call) and call.args[0] is argument and not call.args[0].star and call.args[0].keyword is None
    return call if first and isinstance(call, cst.Call) else None


def _makes_array(run: Run, call: cst.Call) -> bool:
    """Whether a call only converts a list to an array."""
    return len(call.args) == 1 and run.scopes.qualname(call.func) in ONE_ARRAY


def _takes_lists(called: str) -> bool:
    """Whether a NumPy function converts its first argument to an array, or iterates over its rows."""
    entry = numpy_table.function(called)
    if entry is None or entry.verdict not in (Verdict.SAME, Verdict.RENAMED, Verdict.ADAPTED) or not entry.params or entry.writes:
        return False
    return called in ONE_ARRAY or entry.params[0] in (*entry.arrays, *entry.sequences)


GROWING = frozenset(
    "append concatenate concat convolve vstack hstack dstack column_stack kron outer polymul row_stack stack insert delete pad tile "
    "repeat".split()
)


JOINS = frozenset(f"numpy.{name}" for name in GROWING - {"insert", "delete", "tile", "repeat"})


def resized(run: Run, body: cst.CSTNode, names: Collection[str]) -> str:
    """The variable among some names whose shape certainly changes in each iteration, because an array grows or shrinks; "" where
    there is none.
    """
    once = _bound_once(run, body, names)
    for node in run.source.among(body, cst.Assign):
        for target in node.targets:
            for name, value in assigned_values(target.target, node.value):
                if name in names and _other_size(run, value, name, once):
                    return name
    return ""


def _bound_once(run: Run, body: cst.CSTNode, carried: Collection[str]) -> dict[str, cst.BaseExpression]:
    """The values of the variables that an iteration binds in one place only, and does not pass to the next: `part = x[1:]`."""
    bound = Counter(name for line in run.source.among(body, cst.SimpleStatementLine) for name in bound_by(line))
    return {
        name: value
        for node in run.source.among(body, cst.Assign)
        for target in node.targets
        for name, value in assigned_values(target.target, node.value)
        if bound[name] == 1 and name not in carried
    }


def _other_size(run: Run, value: cst.BaseExpression, name: str, once: Mapping[str, cst.BaseExpression]) -> bool:
    """Whether a value certainly has more or fewer elements than the variable from which it is computed. `once`: the values of other
    variables."""
    match value:
        case cst.Name(value=other) if other != name and other in once:
            return _other_size(run, once[other], name, {n: v for n, v in once.items() if n != other})
        case cst.Call(func=func, args=args) if (run.scopes.qualname(func) or "").rpartition(".")[2] in GROWING:
            owner, _dot, short = (run.scopes.qualname(func) or "").rpartition(".")
            given = [part for a in args for part in (_parts(a.value) if not isinstance(a.value, cst.List) else _items(a.value))]
            return owner == "numpy" and short in GROWING and any(_is_or_grows(run, g, name, once) for g in given)
        case cst.Subscript(value=cst.Attribute(attr=cst.Name(value="r_" | "c_")) as joined, slice=joins) if len(joins) > 1:
            indices = [part.slice.value for part in joins if isinstance(part.slice, cst.Index)]
            numpy = (run.scopes.qualname(joined) or "").startswith("numpy.")
            return numpy and any(_is_or_grows(run, index, name, once) for index in indices)
        case cst.Subscript(value=cst.Name(value=base), slice=[cst.SubscriptElement(slice=cst.Slice() as part)]) if base == name:
            return not (part.lower is None and part.upper is None) and not _may_be_one(part)
        case cst.BinaryOperation() | cst.UnaryOperation() | cst.Call():
            parts = [p for p in _element_by_element(run, value) if p is not value]
            same = any(type(p) is cst.Name and p.value == name for p in parts)
            return not same and any(_other_size(run, p, name, once) for p in parts)
    return False


def _is_or_grows(run: Run, node: cst.BaseExpression, name: str, once: Mapping[str, cst.BaseExpression]) -> bool:
    """Whether an expression is a variable, or certainly has more or fewer elements than it, to which a join adds others."""
    return (type(node) is cst.Name and node.value == name) or (
        isinstance(node, (cst.Call, cst.Subscript)) and _joins(run, node) and _other_size(run, node, name, once)
    )


def _joins(run: Run, node: cst.Call | cst.Subscript) -> bool:
    """Whether an expression joins arrays, so that it has no fewer elements than each."""
    if isinstance(node, cst.Subscript):
        return (run.scopes.qualname(node.value) or "") in ("numpy.r_", "numpy.c_")
    return (run.scopes.qualname(node.func) or "") in JOINS


def _element_by_element(run: Run, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The elementwise operands of an expression."""
    match node:
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            yield from _element_by_element(run, left)
            yield from _element_by_element(run, right)
        case cst.UnaryOperation(expression=inner):
            yield from _element_by_element(run, inner)
        case cst.Call(func=func, args=args) if not any(a.keyword is not None or a.star for a in args):
            entry = numpy_table.function(run.scopes.qualname(func) or "")
            if entry is not None and entry.ufunc == len(args):
                for argument in args:
                    yield from _element_by_element(run, argument.value)
            else:
                yield node
        case _:
            yield node


def _may_be_one(part: cst.Slice) -> bool:
    """Whether a slice, by its text, may select one element, which broadcasts with arrays of any length: `x[:1]`, `x[i:i + 1]`."""
    match part.lower, part.upper:
        case (None, cst.Integer(value="1")) | (cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value="1")), None):
            return True
        case _, cst.BinaryOperation(operator=cst.Add(), left=left, right=cst.Integer(value="1")) if part.lower is not None:
            return left.deep_equals(part.lower)
    return False


def _items(node: cst.List) -> list[cst.BaseExpression]:
    return [e.value for e in node.elements]


__all__ = ["AccumulatedList", "accumulated_lists", "appended_item", "is_numeric", "is_python", "resized"]
