"""Apply the edits of findings in one pruned post-order pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ...rules.core.findings import Edit, Statement
from .source import NODES, child_fields

Make = Callable[[], Sequence[Statement]]


@dataclass(slots=True)
class Edits:
    """Edits by node, and statements to insert before and after statements."""

    by_node: dict[cst.CSTNode, list[Edit]] = field(default_factory=dict)
    before: dict[cst.CSTNode, list[Make]] = field(default_factory=dict)
    after: dict[cst.CSTNode, list[Make]] = field(default_factory=dict)
    touched: set[cst.CSTNode] = field(default_factory=set)  # nodes that contain an edit
    copies: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)  # of nodes in which an edit changed parts, but no callee


Result = cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]


def rewritten(node: cst.CSTNode, edits: Edits) -> Result:
    """A node with all edits in it applied, children first. A subtree without edits is neither copied nor visited."""
    if node not in edits.touched:
        return node
    if type(node) is cst.SimpleStatementSuite and any(s in edits.before or s in edits.after for s in node.body):
        return _indented(node, edits)
    return _surrounded(node, _edited(node, edits), edits)


def _edited(node: cst.CSTNode, edits: Edits) -> Result:
    """The same, without the statements before and after it."""
    changes: dict[str, object] = {}
    for name in child_fields(type(node)):
        value = getattr(node, name)
        if type(value) is tuple or type(value) is list:
            if not edits.touched.isdisjoint(value):
                changes[name] = _sequence(value, edits)
        elif type(value) in NODES and value in edits.touched:
            made = rewritten(value, edits)
            changes[name] = None if isinstance(made, cst.RemovalSentinel) else made
    result: Result = node.with_changes(**changes) if changes else node
    if changes and "func" not in changes and node not in edits.by_node and isinstance(result, cst.CSTNode):
        edits.copies[result] = node
    for edit in edits.by_node.get(node, ()):
        assert isinstance(result, cst.CSTNode)
        result = edit(result)
    if type(node) is cst.SimpleStatementLine and type(result) is cst.SimpleStatementLine:
        result = one_statement_a_line(node, result)
    return result


def _indented(suite: cst.SimpleStatementSuite, edits: Edits) -> cst.IndentedBlock:
    """The statements on the line of a header, moved to lines of their own, as edits insert statements before or after them."""
    lines: list[cst.CSTNode] = []
    for small in suite.body:
        made = _edited(small, edits)
        every: list[Any] = (
            list(made) if isinstance(made, cst.FlattenSentinel) else [made] if isinstance(made, cst.CSTNode) else []
        )
        own = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in every]
        if own and small is suite.body[-1]:
            own[-1] = own[-1].with_changes(trailing_whitespace=suite.trailing_whitespace)
        placed = _surrounded(small, cst.FlattenSentinel(own), edits)
        lines += placed if isinstance(placed, cst.FlattenSentinel) else own
    return cst.IndentedBlock(lines)  # type: ignore[arg-type]


def _sequence(nodes: Sequence[cst.CSTNode], edits: Edits) -> list[cst.CSTNode]:
    found: list[cst.CSTNode] = []
    for node in nodes:
        made = rewritten(node, edits)
        if isinstance(made, cst.FlattenSentinel):
            found += made
        elif type(made) is cst.SimpleStatementLine and not made.body:
            continue  # all statements on the line were removed
        elif not isinstance(made, cst.RemovalSentinel):
            found.append(made)
    return found


def _surrounded(node: cst.CSTNode, result: Result, edits: Edits) -> Result:
    before = [s for make in edits.before.get(node, ()) for s in make()]
    after = [s for make in edits.after.get(node, ()) for s in make()]
    if not before and not after:
        return result
    kept = list(result) if isinstance(result, cst.FlattenSentinel) else [result] if isinstance(result, cst.CSTNode) else []
    every = [*before, *kept, *after]
    if before and kept and isinstance(kept[0], (cst.SimpleStatementLine, cst.BaseCompoundStatement)) and kept[0].leading_lines:
        every[0] = every[0].with_changes(leading_lines=kept[0].leading_lines)  # comments stay above the first
        every[len(before)] = kept[0].with_changes(leading_lines=())
    if before and isinstance(every[len(before)], cst.FunctionDef) and not isinstance(node, cst.FunctionDef):
        every[len(before)] = every[len(before)].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return cst.FlattenSentinel(every)


def one_statement_a_line(
    before: cst.SimpleStatementLine, after: cst.SimpleStatementLine
) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.CSTNode]:
    """If an edit replaced one small statement with several, put each on a separate line."""
    if len(after.body) <= len(before.body) or len(before.body) != 1:
        return after
    lines: list[cst.CSTNode] = []
    last = len(after.body) - 1
    for position, small in enumerate(after.body):
        small = small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        lines.append(
            cst.SimpleStatementLine(
                [small],
                leading_lines=after.leading_lines if position == 0 else (),
                trailing_whitespace=after.trailing_whitespace if position == last else cst.TrailingWhitespace(),
            )
        )
    return cst.FlattenSentinel(lines)


def apply(module: cst.Module, parents: Mapping[cst.CSTNode, cst.CSTNode | None], edits: Edits) -> cst.Module:
    """The module with all edits applied; an edit sees its node's children rewritten."""
    touched = edits.touched
    for node in [*edits.by_node, *edits.before, *edits.after]:
        at: cst.CSTNode | None = node
        while at is not None and at not in touched:
            touched.add(at)
            at = parents.get(at)
    if not touched:
        return module
    result = rewritten(module, edits)
    assert isinstance(result, cst.Module)
    return result


def conflicts(edits: Sequence[tuple[int, cst.CSTNode]]) -> set[int]:
    """The owners of edits to nodes that another owner edits too: only edits of functions, modules and statement lines compose."""
    owner: dict[cst.CSTNode, int] = {}
    bad: set[int] = set()
    for who, node in edits:
        if isinstance(node, (cst.FunctionDef, cst.Module, cst.SimpleStatementLine)):
            continue
        first = owner.setdefault(node, who)
        if first != who:
            bad |= {first, who}
    return bad
