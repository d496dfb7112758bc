"""`else` of a loop: its body moves after the loop. If `break` may end the loop, it is guarded by a flag, or moves before the
loop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from .....rules.core.findings import Edit
from .....rules.syntax import builders
from ....syntax.break_statements import assigned, bound_ahead, breaks
from ....syntax.names import collect
from ..form import Body, DesugaredStatement, flagged, with_comments


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)) or statement.orelse is None:
        return None
    if isinstance(statement, cst.For) and statement.asynchronous is not None:
        return None
    what = f"the `else` of a `{'for' if isinstance(statement, cst.For) else 'while'}`"
    ends = list(breaks(statement.body))
    if not ends:
        return DesugaredStatement(what, {statement: lambda made: with_comments([_alone(made), *_other(made)], made)})
    if _default(statement, ends, body):
        return DesugaredStatement(what, {statement: lambda made: with_comments([*_other(made), _alone(made)], made)})
    flag = body.fresh("stopped")

    def edit(made: cst.For | cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        test = cst.UnaryOperation(cst.Not(), cst.Name(flag))
        after = cst.If(test, cst.IndentedBlock(_other(made)))
        return with_comments([builders.assigned((flag,), cst.Name("False")), _alone(made), after], made)

    edits: dict[cst.CSTNode, Edit] = {statement: edit}
    for end in ends:
        edits.update(flagged(end, flag))
    return DesugaredStatement(what, edits)


def _alone(made: cst.For | cst.While) -> cst.For | cst.While:
    return made.with_changes(orelse=None, leading_lines=())


def _other(made: cst.For | cst.While) -> list[cst.BaseStatement]:
    assert made.orelse is not None
    first, *rest = builders.lines(made.orelse.body)
    above = getattr(first, "leading_lines", ())
    return [first.with_changes(leading_lines=[*made.orelse.leading_lines, *above]), *rest]


def _default(loop: cst.For | cst.While, ends: Sequence[cst.Break], body: Body) -> bool:
    """Whether the `else` only binds variables to constants, every `break` rebinds them, and the loop does not read them: then the
    constants can be bound before the loop."""
    assert loop.orelse is not None
    names = list[str]()
    for line in builders.lines(loop.orelse.body):
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else (line,):
            found = assigned(small)
            if found is None or not _constant(found[1], body):
                return False
            names.append(found[0])
    head = [loop.iter, cst.AssignTarget(loop.target)] if isinstance(loop, cst.For) else [loop.test]
    used = collect([loop.body, *head])
    if used.dynamic or {*names} & {*used.read, *used.perhaps, *used.declared, *body.captured}:
        return False
    enclosing = takewhile(lambda node: node is not body.owner, body.source.above(loop))
    if any(isinstance(node, (cst.Try, cst.TryStar, cst.With)) for node in enclosing):
        return False  # a handler of an exception in the loop would see the constants
    sites = [n for n in body.source.among(loop, cst.Name) if n.value in names and not body.source.inside(n, loop.orelse)]
    before = [[name for name, _value in bound_ahead(end, body.source)] for end in ends]
    if any(bound.count(name) != 1 for bound in before for name in names):
        return False
    return len(sites) == len(names) * len(ends)


def _constant(node: cst.BaseExpression, body: Body) -> bool:
    match node:
        case cst.Integer() | cst.Float() | cst.Name(value="True" | "False"):
            return True
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() | cst.Float()):
            return True
    return (body.scopes.qualname(node) or "") in ("numpy.inf", "numpy.nan", "numpy.pi", "math.inf", "math.nan")
