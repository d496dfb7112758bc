"""What a `for` iterates over: a range, or the rows of arrays, which may be zipped or enumerated."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.iteration_space import IterationSpace
from ....rules.facts.values import UNKNOWN
from ...syntax.source import walk
from ..state.interpreter_state import Run
from ..state.lattice import NUMERIC

MAY_JOIN = (cst.Add, cst.Modulo)  # operators that text and lists have, too


def form(run: Run, loop: cst.For) -> str:
    """ "range"; "rows" of arrays, which may be zipped, enumerated or reversed; "" for anything else."""
    space = run.scopes.iteration_space(loop)
    if space.range is not None:
        return "range"
    if space.function == "reversed":
        return "rows" if space.parts and _rows(run, space.parts[0], loop) else ""
    return "rows" if _rows(run, space, loop) else ""


def bounds(run: Run, loop: cst.For) -> tuple[cst.BaseExpression, ...]:
    """The start, the stop and the step of a range, as far as they are written."""
    space = run.scopes.iteration_space(loop).range
    return () if space is None else space.bounds


def _rows(run: Run, space: IterationSpace, loop: cst.For) -> bool:
    """Whether an iterable yields rows of arrays, or numbers."""
    match space.function:
        case "range" if space.is_range:
            return True
        case "enumerate":
            paired = isinstance(space.target, cst.Tuple) and space.counter is not None and not _starts_anywhere(space)
            return paired and _rows(run, space.parts[0], loop)
        case "zip":
            paired = isinstance(space.target, cst.Tuple) and bool(space.parts)
            return paired and all(part.target is not None and _rows(run, part, loop) for part in space.parts)
        case "reversed":
            return False
    value = run.values.get(space.iterable, UNKNOWN)
    if value.kind is Kind.ARRAY:
        return True
    return value.kind is Kind.UNKNOWN and bool(value.holds) and space.target is not None and _numeric(run, space.target, loop)


def _starts_anywhere(space: IterationSpace) -> bool:
    """Whether the start of `enumerate(x, start=n)` is not a number literal."""
    return space.first is None and isinstance(space.iterable, cst.Call) and space.iterable.args[1].keyword is not None


def _numeric(run: Run, target: cst.BaseExpression, loop: cst.For) -> bool:
    """Whether the body computes with the loop variables: then they are numbers or arrays."""
    names = {n.value for n, _parent in walk(target) if isinstance(n, cst.Name)}
    for node, _parent in walk(loop.body):
        if isinstance(node, cst.Call) and any(_names_one(a.value, names) for a in node.args):
            entry = numpy_table.function(run.scopes.qualname(node.func) or "")
            if entry is not None and entry.ufunc:
                return True
        if isinstance(node, (cst.List, cst.Tuple)) and any(_names_one(e.value, names) for e in node.elements):
            if any(isinstance(e.value, (cst.Integer, cst.Float)) for e in node.elements) and _becomes_array(run, node):
                return True
        if isinstance(node, cst.BinaryOperation):
            for mine, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(mine, cst.Name) and mine.value in names:
                    strict = not isinstance(node.operator, MAY_JOIN)
                    if strict and not isinstance(node.operator, cst.Multiply):
                        return True
                    if isinstance(other, cst.BinaryOperation) and not isinstance(other.operator, (*MAY_JOIN, cst.Multiply)):
                        return True  # a difference or a quotient, which text and lists have not
                    if run.values.get(other, UNKNOWN).kind in NUMERIC and (
                        strict or run.values.get(other, UNKNOWN).dtype or isinstance(other, (cst.Integer, cst.Float))
                    ):
                        return True
    return False


def _names_one(node: cst.BaseExpression, names: Collection[str]) -> bool:
    return isinstance(node, cst.Name) and node.value in names


def _becomes_array(run: Run, display: cst.List | cst.Tuple) -> bool:
    """Whether NumPy makes an array of a list of numbers."""
    call = run.source.parents.get(run.source.parents.get(display) or display)
    return isinstance(call, cst.Call) and run.scopes.qualname(call.func) in ("numpy.array", "numpy.asarray")
