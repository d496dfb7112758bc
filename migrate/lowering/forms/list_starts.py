"""`ts, ys = [t0], [y0]`, `y, ys = y0, [y0]` and `ys = []` some lines before the loop that appends to them: each list starts in a line of
its own, an empty one directly before the loop, of which it becomes a part.
"""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ...analysis.loops.list_accumulation import appended_item
from ...syntax.names import bound_by, uses
from .form import Body, DesugaredStatement, with_comments


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() as targets)], value=cst.Tuple() as values)]
        ):
            return _split(statement, targets, values, body)
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.List(elements=[]))]
        ):
            return _moved(statement, name, body)
    return None


def _split(line: cst.SimpleStatementLine, targets: cst.Tuple, values: cst.Tuple, body: Body) -> DesugaredStatement | None:
    """An assignment to variables that none of the values reads; a loop appends to one of the lists."""
    pairs = list(zip((e.value for e in targets.elements), (e.value for e in values.elements), strict=False))
    bound = {target.value: value for target, value in pairs if isinstance(target, cst.Name)}
    if not len(bound) == len(targets.elements) == len(values.elements) or not uses(values)[0].isdisjoint(bound):
        return None
    lists = {name: value for name, value in bound.items() if isinstance(value, cst.List)}
    others = {name: value for name, value in bound.items() if name not in lists}
    loop = next((found for name in lists if (found := body.loop_after(line, name)) is not None and _appends(found, name)), None)
    empty = not others and not any(value.elements for value in lists.values())
    if loop is None or (empty and not _is_apart(line, loop, body)):
        return None
    if others and (body.source.among(values, cst.Call, cst.StarredElement, cst.NamedExpr) or body.captured & {*bound}):
        return None  # the order in which the values are computed may matter

    def split(made: cst.SimpleStatementLine) -> cst.FlattenSentinel[cst.BaseStatement]:
        lines = [builders.assigned((name,), value) for name, value in lists.items()]
        if len(others) == 1:
            lines.insert(0, builders.assigned((*others,), next(iter(others.values()))))
        elif others:
            lines.insert(0, builders.assigned((*others,), cst.Tuple([cst.Element(v) for v in others.values()], (), ())))
        return with_comments(lines, made)

    return DesugaredStatement("lists that start together", {line: split})


def _moved(line: cst.SimpleStatementLine, name: str, body: Body) -> DesugaredStatement | None:
    """An empty list that starts some lines before the loop that appends to it."""
    loop = body.loop_after(line, name)
    if loop is None or name in body.captured or not _appends(loop, name):
        return None
    if not _is_apart(line, loop, body):
        return None

    def started(made: cst.For | cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        return cst.FlattenSentinel([line.deep_clone(), made])

    edits: dict[cst.CSTNode, Edit] = {line: builders.gone, loop: started}
    return DesugaredStatement("a list that starts before its loop", edits)


def _is_apart(line: cst.SimpleStatementLine, loop: cst.For | cst.While, body: Body) -> bool:
    """Whether other statements than starts of lists stand between a line and a loop."""
    lines = body.before(loop)
    between = lines[: next((k for k, other in enumerate(lines) if other is line), 0)]
    return not all(map(_is_empty_list, between))


def _is_empty_list(line: cst.CSTNode) -> bool:
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(value=cst.List(elements=[]))]):
            return True
        case cst.SimpleStatementLine(body=[cst.Assign(value=cst.Tuple(elements=elements))]):
            return all(isinstance(e.value, cst.List) and not e.value.elements for e in elements)
    return False


def _appends(loop: cst.For | cst.While, name: str) -> bool:
    """Whether each iteration of a loop appends to a list that the loop does not bind."""
    if name in bound_by(loop):
        return False
    owners = [found[0] for line in builders.lines(loop.body) if (found := appended_item(line)) is not None]
    return any(isinstance(owner, cst.Name) and owner.value == name for owner in owners)


__all__ = ["desugar"]
