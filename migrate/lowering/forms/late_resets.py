"""`j = 0` ahead of a loop, and again at the end of each iteration, for the inner loop that counts with it: it moves to the start of the iteration.

There, it says that the inner loop always starts with that number.
"""

from __future__ import annotations

import libcst as cst

from ....rules.syntax import builders
from ...analysis.branches.branch_arms import jumps
from ...syntax.names import bound_by, targets_of
from .form import Body, DesugaredStatement, with_comments


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)) or not isinstance(statement.body, cst.IndentedBlock):
        return None
    if statement.orelse is not None or jumps(statement.body):
        return None
    lines = list(builders.lines(statement.body))
    resets = list[tuple[cst.BaseStatement, dict[str, int]]]()
    for line in reversed(lines):
        numbers = _numbers(line)
        if not numbers:
            break
        resets.insert(0, (line, numbers))
    inner = [line for line in lines[: len(lines) - len(resets)] if isinstance(line, (cst.While, cst.For))]
    every = [name for _line, numbers in resets for name in numbers]
    if not inner or len(every) != len({*every}) or not {*every} & frozenset().union(*map(bound_by, inner)):
        return None
    targets = targets_of(statement) if isinstance(statement, cst.For) else frozenset()
    if (body.captured | targets) & {*every} or not all(
        _starts(statement, *pair, body) for _line, found in resets for pair in found.items()
    ):
        return None
    moved = [line for line, _names in resets]
    again = [line for line, names in resets if body.live.after.get(statement, frozenset()) & {*names}]

    def edit(made: cst.CSTNode) -> cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]:
        assert isinstance(made, (cst.For, cst.While)) and isinstance(made.body, cst.IndentedBlock)
        kept = made.body.body[: len(made.body.body) - len(moved)]
        first = [line.deep_clone().with_changes(leading_lines=()) for line in moved]
        loop = made.with_changes(body=made.body.with_changes(body=[*first, *kept]), leading_lines=())
        return with_comments([loop, *(line.deep_clone().with_changes(leading_lines=()) for line in again)], made)

    return DesugaredStatement("a number that each iteration sets for the next one", {statement: edit})


def _numbers(line: cst.BaseStatement) -> dict[str, int]:
    """The variables that a statement sets to integers, if it does nothing else: `i = j = 0`, `i, j = 0, 1`."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=targets, value=cst.Integer() as number)]):
            pairs: list[tuple[cst.CSTNode, cst.CSTNode]] = [(t.target, number) for t in targets]
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple(elements=names))], value=cst.Tuple(elements=values))]
        ) if len(names) == len(values):
            pairs = [(n.value, v.value) for n, v in zip(names, values, strict=True)]
        case _:
            return {}
    found = {t.value: v.evaluated_value for t, v in pairs if isinstance(t, cst.Name) and isinstance(v, cst.Integer)}
    return found if len(found) == len(pairs) else {}


def _starts(loop: cst.For | cst.While, name: str, number: int, body: Body) -> bool:
    """Whether a variable has a number before a loop."""
    for before in body.before(loop):
        if name in bound_by(before):
            return isinstance(before, cst.BaseStatement) and _numbers(before).get(name) == number
    return False
