"""Loops over lists of arrays, which are pytrees that jit flattens in any case."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.source_text import verbatim
from ...syntax.source import walk
from ..state.interpreter_state import Run
from ..state.lattice import Env


def structured(run: Run, clause: cst.For | cst.CompFor, env: Env, body: Iterable[cst.CSTNode]) -> bool:
    """Whether a loop iterates over a list of arrays or of tuples, such as the layers of a network. jit flattens such a list in
    any case, so that the trip count is the number of its arguments. A list of numbers does not count, as it may be long.
    """
    value = run.values.get(clause.iter, UNKNOWN)
    if value.name == "range" and isinstance(clause.iter, cst.Call):
        lists = {verbatim(of) for argument in clause.iter.args for of in _lengths(run, argument.value)}
        return bool(lists) and any(_is_unpacked(run, inner, lists) for part in body for inner, _parent in walk(part))
    if value.name == "pairs":
        if isinstance(clause.iter, cst.Call) and all(_of_an_array(run, a.value) for a in clause.iter.args):
            return False  # the number of rows of an array is not limited
        targets = parts_of(clause.target)
        return any(len(parts_of(t)) > 1 or _is_array(t, env) for t in targets)
    if value.kind not in (Kind.LIST, Kind.TUPLE) or value.dtype:
        return False
    return len(parts_of(clause.target)) > 1 or _is_array(clause.target, env)


def _of_an_array(run: Run, argument: cst.BaseExpression) -> bool:
    """Whether an argument of `enumerate` or `zip` is an array, or the number that `enumerate` starts with."""
    return run.values.get(argument, UNKNOWN).kind in (Kind.ARRAY, Kind.SCALAR)


def _is_array(target: cst.BaseExpression, env: Env) -> bool:
    return isinstance(target, cst.Name) and env.get(target.value, UNKNOWN).kind is Kind.ARRAY


def parts_of(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The targets in a tuple, or the target itself."""
    return [e.value for e in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else [target]


def _lengths(run: Run, node: cst.BaseExpression) -> Iterable[cst.BaseExpression]:
    """The lists whose lengths occur in an expression."""
    for inner, _parent in walk(node):
        match inner:
            case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=of)]):
                held = run.values.get(of, UNKNOWN)
                if held.kind in (Kind.LIST, Kind.TUPLE) and not held.dtype:
                    yield of


def _is_unpacked(run: Run, node: cst.CSTNode, lists: set[str]) -> bool:
    """Whether an item of one of the lists is an array, or is unpacked."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() | cst.List())], value=cst.Subscript(value=base)):
            return verbatim(base) in lists
        case cst.Subscript(value=base):
            return verbatim(base) in lists and run.values.get(node, UNKNOWN).kind is Kind.ARRAY
    return False
