"""`return` in a nested loop: it ends the inner loop and sets a flag, and the outer iteration returns."""

from __future__ import annotations

from itertools import takewhile

import libcst as cst

from .....rules.core.findings import Edit
from .....rules.syntax import builders
from ....syntax.source import walk
from ..form import Body, DesugaredStatement, flagged, with_comments

MOST = 3  # different results that a loop may return, with a flag for each
BLOCKS = (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.If, cst.Else)


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)) or statement.orelse is not None:
        return None
    enclosing = body.source.parents[statement]
    if not isinstance(enclosing, cst.IndentedBlock) or not isinstance(body.source.parents[enclosing], (cst.For, cst.While)):
        return None
    found = _returns(statement, body)
    if not found:
        return None
    results: list[cst.Return] = []
    for each in found:
        if not any(each.deep_equals(other) for other in results):
            results.append(each)
    if len(results) > MOST or not all(_is_unchanged(each) for each in results):
        return None
    flags = [body.fresh("found", "finished") for _result in results]
    edits: dict[cst.CSTNode, Edit] = {}
    for each in found:
        flag = next(flag for flag, other in zip(flags, results, strict=True) if each.deep_equals(other))
        edits.update(flagged(each, flag))

    def edit(made: cst.For | cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        starts = [builders.assigned((flag,), cst.Name("False")) for flag in flags]
        ends = [
            cst.If(cst.Name(flag), cst.IndentedBlock([cst.SimpleStatementLine([result.deep_clone()])]))
            for flag, result in zip(flags, results, strict=True)
        ]
        return with_comments([*starts, made.with_changes(leading_lines=()), *ends], made)

    edits[statement] = edit
    return DesugaredStatement("a `return` in a loop inside of another one", edits)


def _returns(loop: cst.For | cst.While, body: Body) -> list[cst.Return]:
    """The `return` statements of a loop, without those of nested functions; none if one of them is in a block of another kind."""
    found: list[cst.Return] = []
    for node in body.source.among(loop.body, cst.Return):
        above = list(takewhile(lambda n: n is not loop, body.source.above(node)))
        if any(isinstance(n, (cst.FunctionDef, cst.Lambda)) for n in above):
            continue
        if not all(isinstance(n, BLOCKS) for n in above):
            return []
        found.append(node)
    return found


def _is_unchanged(result: cst.Return) -> bool:
    """Whether the returned expression has the same value after the loop: it binds nothing."""
    return not any(isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield)) for node, _parent in walk(result))
