"""Numbers that become arrays in the turns of a loop: `p = 1.0` before it, `p = p * x` in it.

What a loop of JAX carries keeps its shape, so the number must have the shape of the array from the start. That shape is known
where turns compute element by element, of numbers, of what they carry, and of variables that they do not bind. After too few
turns the variable is still a number in NumPy: nothing may see the difference, so it is not read after the loop, or meets the
array there.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ...rules import numpy_table
from ...rules.facts import NOTHING, UNKNOWN
from ...rules.model import Kind
from ..names import targets_of
from .domain import Env
from .state import Run, handed_back

Sources = frozenset[str] | None  # the variables that give a value its shape; None where something else may


def shaped(
    run: Run, node: cst.For | cst.While, carry: Iterable[str], bound: frozenset[str], before: Env, end: Env
) -> dict[str, tuple[str, ...]]:
    """The carried variables that are numbers before a loop and not certainly after a turn, with the arrays whose shape they take."""
    starting = [n for n in carry if n in before and before[n].kind is Kind.SCALAR and _grows(n, end)]
    if not starting:
        return {}
    given = _assigned(run, node)
    bound = bound | given.keys() | (targets_of(node) if isinstance(node, cst.For) else NOTHING)
    found: dict[str, frozenset[str]] = dict.fromkeys(bound, NOTHING)
    unknown = {name for name in bound if name not in given}
    while True:
        previous = dict(found), set(unknown)
        for name, values in given.items():
            for value in values:
                sources = None if value is None else _sources(run, value, bound, found, unknown)
                if sources is None:
                    unknown.add(name)
                else:
                    found[name] = found.get(name, NOTHING) | sources
        if (found, unknown) == previous:
            break
    if any(name in unknown or not found.get(name) or not _hidden(run, node, name, found[name]) for name in starting):
        return {}
    return {name: tuple(sorted(found[name])) for name in starting}


def _hidden(run: Run, node: cst.For | cst.While, name: str, arrays: frozenset[str]) -> bool:
    """Whether nothing sees, after a loop, if a variable is a number or an array of that number in the shape of `arrays`."""
    if name not in run.live.after.get(node, NOTHING) | handed_back(run):
        return True
    above = run.source.parents.get(node)
    if not isinstance(above, cst.IndentedBlock) or run.source.parents.get(above) is not run.owner:
        return False
    later = above.body[next(k for k, line in enumerate(above.body) if line is node) + 1 :]
    reads = [n for line in later for n in run.source.below(line) if isinstance(n, cst.Name) and n.value == name]
    return all(arrays <= _met(run, read) for read in reads)


def _met(run: Run, read: cst.CSTNode) -> frozenset[str]:
    """The variables that stand beside a read in arithmetic."""
    found: frozenset[str] = NOTHING
    at, above = read, run.source.parents.get(read)
    while isinstance(above, (cst.BinaryOperation, cst.UnaryOperation)):
        if isinstance(above, cst.BinaryOperation) and not isinstance(above.operator, cst.MatrixMultiply):
            found |= _named(above.right if above.left is at else above.left)
        at, above = above, run.source.parents.get(above)
    return found


def _named(node: cst.BaseExpression) -> frozenset[str]:
    """The variables that stand in arithmetic as they are."""
    match node:
        case cst.Name(value=name):
            return frozenset({name})
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _named(left) | _named(right)
        case cst.UnaryOperation(expression=inner):
            return _named(inner)
    return NOTHING


def _grows(name: str, end: Env) -> bool:
    value = end.get(name, UNKNOWN)
    return value.kind in (Kind.ARRAY, Kind.UNKNOWN) and value.rank != 0


def _assigned(run: Run, node: cst.For | cst.While) -> dict[str, list[cst.BaseExpression | None]]:
    """What the variables of a loop are bound to; None for what is no expression of its own."""
    found: dict[str, list[cst.BaseExpression | None]] = {}
    for part in run.source.below(node.body):
        match part:
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    _bind(found, each.target, value)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                _bind(found, target, value)
            case cst.AugAssign(target=cst.Name(value=name), value=value):
                found.setdefault(name, []).append(value)
            case cst.For(target=target) | cst.NamedExpr(target=target) | cst.AugAssign(target=target):
                _bind(found, target, None)
    return found


def _bind(found: dict[str, list[cst.BaseExpression | None]], target: cst.CSTNode, value: cst.BaseExpression | None) -> None:
    match target, value:
        case cst.Name(value=name), _:
            found.setdefault(name, []).append(value)
        case cst.Tuple(elements=targets), cst.Tuple(elements=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                _bind(found, one.value, other.value)
        case cst.Tuple(elements=targets), _:
            for one in targets:
                _bind(found, one.value, None)
        case cst.Subscript(value=cst.Name(value=name)) | cst.StarredElement(value=cst.Name(value=name)), _:
            found.setdefault(name, []).append(None)


def _sources(
    run: Run, node: cst.BaseExpression, bound: frozenset[str], found: dict[str, frozenset[str]], unknown: set[str]
) -> Sources:
    if run.values.get(node, UNKNOWN).kind is Kind.SCALAR:
        return NOTHING
    match node:
        case cst.Name(value=name) if name in bound:
            return None if name in unknown else found.get(name, NOTHING)
        case cst.Name(value=name):
            value = run.values.get(node, UNKNOWN)
            return frozenset({name}) if value.kind is Kind.ARRAY or value.number or value.holds == name else None
        case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(operator, cst.MatrixMultiply):
            return _all(run, (left, right), bound, found, unknown)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return _sources(run, inner, bound, found, unknown)
        case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
            name = run.scopes.qualname(func) or ""
            entry = numpy_table.function(name)
            if name == "builtins.abs" or (entry is not None and entry.ufunc == len(args)):
                return _all(run, (a.value for a in args), bound, found, unknown)
    return None


def _all(
    run: Run,
    nodes: Iterable[cst.BaseExpression],
    bound: frozenset[str],
    found: dict[str, frozenset[str]],
    unknown: set[str],
) -> Sources:
    every = [_sources(run, node, bound, found, unknown) for node in nodes]
    return None if None in every else NOTHING.union(*(each for each in every if each is not None))
