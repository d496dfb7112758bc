"""`while i < n: if i + size > n: break; ...`: the loop goes on until one of the two tests ends it, and it can be counted with one of them.

Which one ends it first follows from the difference of the two. Where that is the size of a window less 1, the size is asserted to be positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ....rules.syntax.comparisons import OPPOSITE_ORDERS
from ...analysis.symbolic.affine import Affine, affine, condition, shaped, with_lengths
from ...syntax.names import bound_by
from .form import Body, DesugaredStatement, with_comments
from .loop_invariants import Invariants

Statements = cst.FlattenSentinel[cst.BaseStatement]
UPWARDS = (cst.LessThan, cst.LessThanEqual)
STRICT = (cst.LessThan, cst.GreaterThan)


class _Led(NamedTuple):
    """A loop that begins with a `break`: the test with which it goes on instead, and what is asserted not to be negative."""

    test: cst.BaseExpression
    check: Affine | None


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)):
        return None
    # inner loops at once: what is known of values is known of the nodes before any edit
    loops = {loop: led for loop in body.source.among(statement, cst.While) if (led := _led(loop, body)) is not None}
    if not loops:
        return None
    read = shaped(body.source.among(body.owner, cst.Attribute))
    edits: dict[cst.CSTNode, Edit] = {}
    ahead: dict[str, None] = {}
    for loop, (test, check) in loops.items():
        said = "" if check is None else with_lengths(condition(check), read)
        if check is not None and (loop is statement or check.names.isdisjoint(bound_by(statement))):
            ahead[said], said = None, ""
        edits[loop] = partial(_without_break, test, (said,) if said else ())
    if ahead:
        edits[statement] = partial(_asserted, edits.get(statement), (*ahead,))
    return DesugaredStatement("a `break` at the start of a loop", edits)


def _without_break(test: cst.BaseExpression, said: Sequence[str], made: cst.CSTNode) -> Statements:
    assert isinstance(made, cst.While)
    loop = made.with_changes(test=test.deep_clone(), body=made.body.with_changes(body=made.body.body[1:]))
    return _asserted(None, said, loop)


def _asserted(edit: Edit | None, said: Sequence[str], made: Any) -> Statements:
    """A statement, after its edit, below assertions."""
    loop = made if edit is None else edit(made)
    lines: list[Any] = [*loop] if isinstance(loop, cst.FlattenSentinel) else [loop]
    checks = [cst.SimpleStatementLine([cst.Assert(cst.parse_expression(each))]) for each in said]
    return with_comments([*checks, lines[0].with_changes(leading_lines=()), *lines[1:]], lines[0])


def _led(loop: cst.While, body: Body) -> _Led | None:
    match loop:
        case cst.While(
            test=test,
            body=cst.IndentedBlock(body=[cst.If(test=cst.Comparison() as ends, body=block, orelse=None), _, *_]),
            orelse=None,
        ) if _is_break(block):
            pass
        case _:
            return None
    left = _least(ends, loop, body)
    if left is None:
        return None
    if _is_true(test):
        return _Led(_inverted(ends), None)
    bound = _least(test, loop, body)
    if bound is None:
        return None
    more = bound - (Affine(-1) - left)  # than the `break` leaves: at least 0 if that ends the loop first
    if more.number is not None:
        return _Led(_inverted(ends) if more.number >= 0 else test, None)
    is_size = more.constant == -1 and len(more.names) == len(more.terms) == 1 and more.terms[0][1] == 1  # of a window: 1 or more
    return _Led(_inverted(ends), more) if is_size and not body.host and more.names.isdisjoint(bound_by(loop)) else None


def _is_break(block: cst.BaseSuite) -> bool:
    match builders.lines(block):
        case [cst.SimpleStatementLine(body=[cst.Break()])]:
            return True
    return False


def _is_true(test: cst.BaseExpression) -> bool:
    match test:
        case cst.Name(value="True") | cst.Integer(value="1"):
            return True
    return False


def _least(test: cst.BaseExpression, loop: cst.While, body: Body) -> Affine | None:
    """What is at least 0 where a test holds that compares an integer which the loop changes with ones that it does not; else None."""
    match test:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]) if (
            type(operator) in OPPOSITE_ORDERS
        ):
            pass
        case _:
            return None
    forms, invariants = (affine(left), affine(right)), Invariants(body, loop)
    if forms[0] is None or forms[1] is None:
        return None
    rest = forms[1] - forms[0] if isinstance(operator, UPWARDS) else forms[0] - forms[1]
    changing = rest.names & bound_by(loop)
    if len(changing) != 1 or any(invariants.form(side, *changing) is None for side in (left, right)):
        return None
    if not all(invariants.is_integer(n) for n in body.source.among(test, cst.Name) if n.value in changing):
        return None  # there are floats between two integers, and NaN
    return rest - (1 if isinstance(operator, STRICT) else 0)


def _inverted(test: cst.Comparison) -> cst.Comparison:
    (part,) = test.comparisons
    operator = OPPOSITE_ORDERS[type(part.operator)]
    return test.with_changes(comparisons=[part.with_changes(operator=operator())])
