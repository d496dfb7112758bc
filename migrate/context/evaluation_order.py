"""Python's order of evaluation: whether a call may be moved to a new statement before the one that contains it."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ..analysis.state.access_paths import path_of
from ..syntax.source import SUITES, walk


def not_first(parents: Mapping[cst.CSTNode, cst.CSTNode | None], call: cst.Call, places: set[str]) -> str:
    """Why the call, which changes `places`, cannot be moved before its statement; "" if it can."""
    below: cst.CSTNode = call
    at = parents.get(call)
    while at is not None and type(at) not in SUITES:
        if isinstance(at, (cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.CompFor)):
            return "is called in a lambda or a comprehension"
        if isinstance(at, cst.BooleanOperation) and at.right is below:
            return "is called behind `and` or `or`"
        if isinstance(at, cst.IfExp) and at.test is not below:
            return "is called in a conditional expression"
        if isinstance(at, cst.Comparison) and at.left is not below and len(at.comparisons) > 1:
            return "is called in a chained comparison"
        if isinstance(at, (cst.Assert, cst.Decorator, cst.Param)):
            return "is called in an assertion or a definition"
        below, at = at, parents.get(at)
    if isinstance(at, cst.SimpleStatementSuite):
        return "is called on the line of its `if` or `for`"
    if isinstance(at, cst.SimpleStatementLine) and at.body[0] is not below:
        return "is not the first statement of its line"
    if isinstance(at, cst.While):
        return "is called in the test of a loop"
    if isinstance(at, cst.If) and isinstance(parents.get(at), cst.If):
        return "is called in the test of an `elif`"
    if isinstance(at, (cst.FunctionDef, cst.ClassDef, cst.Try, cst.Match, cst.With)):
        return "is called in the head of a block"
    return _evaluated_before(below if isinstance(at, cst.SimpleStatementLine) else call, call, places, parents)


def _evaluated_before(
    statement: cst.CSTNode, call: cst.Call, places: set[str], parents: Mapping[cst.CSTNode, cst.CSTNode | None]
) -> str:
    """Why something evaluated before the call prevents the move: it reads what the call changes, or may have effects; "" if
    nothing does."""
    above: set[cst.CSTNode] = set()
    node: cst.CSTNode | None = call
    while node is not None:
        above.add(node)
        node = parents.get(node)
    roots = {p.partition(".")[0].partition("[")[0] for p in places}
    start = statement.value if isinstance(statement, (cst.Assign, cst.AnnAssign)) and statement.value is not None else statement
    if call not in {n for n, _p in walk(start)}:
        return "is called in a target"
    inside = {n for n, _p in walk(call)}
    for earlier, _parent in walk(start):
        if earlier is call:
            return ""
        if earlier in inside:
            continue
        if isinstance(earlier, cst.Call) and earlier not in above:
            return "another call comes before it"
        if (key := path_of(earlier)) is not None and key.partition(".")[0] in roots and earlier not in above:
            return f"`{key}` is read before it in the same statement"
    return ""
