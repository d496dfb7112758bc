"""`while error > tol and it < n: ...; it += 1; errors.append(error)`: the part that bounds the number of iterations stays the test, and the
rest ends the loop, so that the size of the list is known before it.
"""

from __future__ import annotations

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ....rules.syntax.comparisons import conjuncts
from ...syntax.names import bound_by, uses
from .counted_whiles import COMPARED, incremented
from .form import Body, DesugaredStatement
from .list_growth import fills_lists

REPEATABLE = ("numpy.", "math.", "builtins.")  # the functions in a test that may be left out when the other part ends the loop


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.While) or statement.orelse is not None or not fills_lists(statement, body):
        return None
    parts = list(conjuncts(statement.test))
    bounds = [part for part in parts if _bounds(part, statement)]
    if len(parts) < 2 or len(bounds) != 1:
        return None
    (bound,) = bounds
    place = parts.index(bound)
    if not all(_may_be_left_out(part, uses(bound)[0], body) for part in parts[:place]):
        return None
    rest = parts[:place] + parts[place + 1 :]

    def edit(made: cst.While) -> cst.While:
        tests = rest[0]
        for part in rest[1:]:
            tests = cst.BooleanOperation(tests, cst.And(), part)
        ending = cst.If(
            cst.UnaryOperation(cst.Not(), builders.operand(tests)), cst.IndentedBlock([cst.SimpleStatementLine([cst.Break()])])
        )
        return made.with_changes(test=builders.bare(bound), body=cst.IndentedBlock([ending, *builders.lines(made.body)]))

    edits: dict[cst.CSTNode, Edit] = {statement: edit}
    return DesugaredStatement("a `while` with several conditions", edits)


def _bounds(part: cst.BaseExpression, loop: cst.While) -> bool:
    """Whether a condition compares a variable that every iteration increments with what no iteration binds."""
    match part:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]) if isinstance(
            operator, COMPARED
        ):
            counters = {found[0] for line in builders.lines(loop.body) if (found := incremented(line)) is not None}
            for one, other in ((left, right), (right, left)):
                if isinstance(one, cst.Name) and one.value in counters and uses(other)[0].isdisjoint(bound_by(loop)):
                    return not any(isinstance(node, cst.Call) for node in (other, *other.children))
    return False


def _may_be_left_out(part: cst.BaseExpression, counters: frozenset[str], body: Body) -> bool:
    """Whether a condition that comes before the bound need not be computed when that ends the loop: it changes nothing, and reads no
    element that is out of range then."""
    known = all(body.calls(call).startswith(REPEATABLE) for call in body.source.among(part, cst.Call))
    return known and all(counters.isdisjoint(uses(read)[0]) for read in body.source.among(part, cst.Subscript))


__all__ = ["desugar"]
