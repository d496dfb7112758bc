"""`raise` and `assert` in loops, and `return` beside them: a flag records the exit, `break` ends the loops, and the exit follows
the outermost one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import libcst as cst

from .....rules.core.findings import Edit
from .....rules.syntax import builders
from ....syntax.names import collect
from ..form import Body, DesugaredStatement, flagged, with_comments
from . import exit_values

MOST = 4  # different exits of a loop, with a flag for each
BLOCKS = (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.If, cst.Else)
SUSPENDING = (cst.Await, cst.Yield, cst.Del, cst.Global, cst.Nonlocal)
BINDING = (cst.NamedExpr, *SUSPENDING)
SHAPES = ("ndim", "shape", "size")
Loop = cst.For | cst.While
Exit = cst.Raise | cst.Assert | cst.Return


@dataclass(slots=True)
class _Flag:
    """An exit that follows the loop. `statements`: where it was; `lines`: what the test of the flag guards."""

    name: str
    statements: list[Exit]
    lines: list[cst.BaseStatement]


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)) or any(body.source.inside(i, statement.body) for i in body.impure):
        return None
    exits = _exits(statement, body)
    if not exits or body.source.among(statement, *SUSPENDING) or collect((statement,)).dynamic:
        return None
    key = "; ".join(body.source.module.code_for_node(each).strip() for each in exits)
    if key in body.kept:
        return None
    values = exit_values.ExitValues(statement, body)
    flags: list[_Flag] = []
    for each in exits:
        lines = _after(each, values, body)
        if lines is None:
            return None
        same = next((f for f in flags if _are_equal(f.lines, lines)), None)
        if same is None:
            flags.append(_Flag(body.fresh("found" if isinstance(each, cst.Return) else "failed"), [each], lines))
        else:
            same.statements.append(each)
    if len(flags) > MOST:
        return None
    edits: dict[cst.CSTNode, Edit] = {}
    for flag in flags:
        for each in flag.statements:
            edits.update(_flagged(each, flag.name, body))
    for inner in body.source.among(statement.body, cst.For, cst.While):
        inside = [f.name for f in flags if any(body.source.inside(each, inner) for each in f.statements)]
        if inside:
            edits[inner] = _ended(inside)

    def edit(made: Loop) -> cst.FlattenSentinel[cst.BaseStatement]:
        starts = [builders.assigned((flag.name,), cst.Name("False")) for flag in flags]
        starts += [builders.assigned((name,), value) for name, value in values.placeholders.items()]
        ends = [cst.If(cst.Name(flag.name), cst.IndentedBlock(flag.lines)) for flag in flags]
        return with_comments([*starts, values.header(made).with_changes(leading_lines=()), *ends], made)

    edits[statement] = edit
    kinds = dict.fromkeys(f"`{type(each).__name__.lower()}`" for each in exits)
    return DesugaredStatement(f"{' and '.join(kinds)} in a loop", edits, key, tuple(flag.name for flag in flags))


def _exits(loop: Loop, body: Body) -> list[Exit]:
    """The exits of a loop, without those of nested functions: some `raise` or `assert`, or a `return` of a function that raises
    elsewhere. None if one of them cannot move behind the loop."""
    found: list[Exit] = []
    leaving: list[Exit] = body.source.among(loop, cst.Raise, cst.Assert, cst.Return)
    for node in leaving:
        above = list(takewhile(lambda n: n is not loop, body.source.above(node)))
        if any(isinstance(n, (cst.FunctionDef, cst.Lambda)) for n in above) or _is_static(node, body):
            continue
        loops = [n for n in (*above, loop) if isinstance(n, (cst.For, cst.While))]
        if any(each.orelse is not None for each in loops) or not all(isinstance(n, (*BLOCKS, cst.For, cst.While)) for n in above):
            return []
        if not _may_move(node, above[0], body):
            return []
        found.append(node)
    raising = body.source.among(body.owner, cst.Raise)
    return found if raising or any(isinstance(each, cst.Assert) for each in found) else []


def _is_static(node: Exit, body: Body) -> bool:
    """Whether an assertion is about shapes only: jit checks it where it stands."""
    if not isinstance(node, cst.Assert):
        return False
    for name in body.source.among(node.test, cst.Name):
        above = body.source.parents[name]
        call = body.source.parents[above] if isinstance(above, cst.Arg) else above
        measured = isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and call.func.value == "len"
        if not measured and not (isinstance(above, cst.Attribute) and (above.attr is name or above.attr.value in SHAPES)):
            return False
    return True


def _may_move(node: Exit, line: cst.CSTNode, body: Body) -> bool:
    """Whether the exit says all that it needs, and binds nothing."""
    if body.source.among(node, *BINDING) or any(
        f.equal is not None for f in body.source.among(node, cst.FormattedStringExpression)
    ):
        return False  # `f"{i=}"` writes down the expression, in which the type of `i` may have to be said
    if isinstance(node, cst.Assert):
        return isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
    if isinstance(node, cst.Raise):
        cause = None if node.cause is None else node.cause.item
        return node.exc is not None and (cause is None or (isinstance(cause, cst.Name) and cause.value == "None"))
    return True


def _after(node: Exit, values: exit_values.ExitValues, body: Body) -> list[cst.BaseStatement] | None:
    """The statements that leave the function after the loop; None if they need a value that only the loop has."""
    read = node.msg if isinstance(node, cst.Assert) else node.exc if isinstance(node, cst.Raise) else node.value
    given = (None, ()) if read is None else values.given(node, read)
    if given is None:
        return None
    made, lines = given
    match node:
        case cst.Assert():
            arguments = [] if made is None else [cst.Arg(made)]
            moved: cst.Raise | cst.Return = cst.Raise(cst.Call(cst.Name("AssertionError"), arguments))
        case cst.Raise():
            moved = node.with_changes(exc=made)
        case _:
            moved = node.with_changes(value=made)
    line = body.source.parents[node]
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return [*lines, line.with_changes(body=[moved])]
    return [*lines, cst.SimpleStatementLine([moved.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])]


def _are_equal(some: Sequence[cst.CSTNode], others: Sequence[cst.CSTNode]) -> bool:
    return len(some) == len(others) and all(a.deep_equals(b) for a, b in zip(some, others, strict=True))


def _flagged(node: Exit, flag: str, body: Body) -> Mapping[cst.CSTNode, Edit]:
    """Set the flag and end the loop, in the place of an exit."""
    line = body.source.parents[node]
    assert line is not None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
        assert not isinstance(node, cst.Assert)
        return flagged(node, flag)
    ended = [builders.assigned((flag,), cst.Name("True")), cst.SimpleStatementLine([cst.Break()])]
    if not isinstance(node, cst.Assert):
        return {line: lambda made: cst.FlattenSentinel(ended)}
    match node.test:
        case cst.UnaryOperation(operator=cst.Not(), expression=test):
            pass
        case cst.Comparison() | cst.Call() | cst.Name() | cst.Attribute() | cst.Subscript():
            test = cst.UnaryOperation(cst.Not(), node.test)
        case _:
            test = cst.UnaryOperation(cst.Not(), builders.operand(node.test))
    return {line: lambda made: cst.If(test, cst.IndentedBlock(ended), leading_lines=made.leading_lines)}


def _ended(flags: Sequence[str]) -> Edit:
    """Leave the enclosing loop, too, after an inner one that set a flag."""
    test: cst.BaseExpression = cst.Name(flags[0])
    for flag in flags[1:]:
        test = cst.BooleanOperation(test, cst.Or(), cst.Name(flag))

    def edit(made: Loop) -> cst.FlattenSentinel[cst.BaseStatement]:
        return cst.FlattenSentinel([made, cst.If(test, cst.IndentedBlock([cst.SimpleStatementLine([cst.Break()])]))])

    return edit
