"""`while t < end: ...; t += dt; ts.append(t)`: a loop of numbers alone counts the iterations first, and a `for` over a range repeats the
rest, so that the size of the lists is known before it.

The loops that count take the same steps, number by number, as a quotient may be off by one after rounding.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.syntax import builders
from ...analysis.branches.branch_arms import jumps
from ...analysis.loops.list_accumulation import appended_item
from ...syntax.names import bound_by, uses
from ...syntax.trip_count_slice import trip_count_slice
from ...syntax.updates import not_in_place
from .form import Body, DesugaredStatement, with_comments

CONSTANTS = ("math.", "numpy.")  # the modules whose attributes a slice reads as numbers


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.While) or statement.orelse is not None or jumps(statement.body):
        return None
    if not any(appended_item(line) for line in builders.lines(statement.body)):
        return None
    steps = trip_count_slice(statement)
    names = sorted({name for line in steps for name in bound_by(line)})
    if (
        not steps
        or not body.captured.isdisjoint(names)
        or not all(_is_of_numbers(each, body) for each in (statement.test, *steps))
    ):
        return None
    carried, bound = {*uses(statement.test)[0]}, set[str]()  # which an iteration reads before it binds them
    for line in steps:
        carried |= uses(line)[0] - bound
        bound |= bound_by(line)
    count, unused = body.fresh("trip_count"), body.fresh("_")
    ahead = {name: body.fresh(f"{name}_ahead") for name in names}

    def edit(made: cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        more = builders.assigned((count,), cst.BinaryOperation(cst.Name(count), cst.Add(), cst.Integer("1")))
        taken = [_assigned(line, ahead) for line in steps]
        starts = [builders.assigned((new,), cst.Name(name)) for name, new in ahead.items() if name in carried]
        counting = cst.While(_renamed(statement.test, ahead), cst.IndentedBlock([*taken, more]))
        through = builders.call(cst.Name("range"), cst.Name(count))
        repeated = cst.For(cst.Name(unused), through, made.body)
        return with_comments([builders.assigned((count,), cst.Integer("0")), *starts, counting, repeated], made)

    edits: dict[cst.CSTNode, Edit] = {line.body[0]: not_in_place for line in steps if isinstance(line.body[0], cst.AugAssign)}
    edits[statement] = edit
    return DesugaredStatement("the trip count of a `while`", edits)


def _is_of_numbers(node: cst.CSTNode, body: Body) -> bool:
    """Whether the functions in an expression are those of Python, and the attributes constants of modules."""
    functions = all(body.calls(call).startswith("builtins.") for call in body.source.among(node, cst.Call))
    dotted = [body.scopes.qualname(attribute) or "" for attribute in body.source.among(node, cst.Attribute)]
    return functions and all(name.startswith(CONSTANTS) for name in dotted)


def _assigned(line: cst.SimpleStatementLine, names: Mapping[str, str]) -> cst.SimpleStatementLine:
    """A step with other names for variables. It binds a number: `t += dt` would change in place what may be an array of one element."""
    small = line.body[0]
    bound = not_in_place(small) if isinstance(small, cst.AugAssign) else cst.ensure_type(small, cst.Assign)
    name = cst.ensure_type(bound.targets[0].target, cst.Name).value
    return builders.assigned((names.get(name, name),), _renamed(bound.value, names))


def _renamed(node: cst.BaseExpression, names: Mapping[str, str]) -> cst.BaseExpression:
    return builders.replaced(node, {old: cst.Name(new) for old, new in names.items()})


__all__ = ["desugar"]
