"""What a loop reads of a list to which it appends: the last item, the one before it, and the length.

`if i > 0 and abs(losses[-1] - losses[-2]) < tol: break`: variables take these items. Where the list may be too short for that, reading it
raises an error, which no variable does: so the conditions around must say that it is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.facts.iteration_space import integer, iteration_space
from ....rules.syntax.comparisons import conjuncts
from ....rules.syntax.source_text import code
from .form import Body


class Reads(NamedTuple):
    """Where a loop reads the last item of a list, the one before it, and its length."""

    lasts: tuple[cst.CSTNode, ...] = ()
    previous: tuple[cst.CSTNode, ...] = ()
    lengths: tuple[cst.CSTNode, ...] = ()


def reads_of(mentions: Sequence[cst.CSTNode], line: cst.SimpleStatementLine, body: Body) -> Reads | None:
    """The reads among the mentions of a list in a loop, to which one line appends; None if the loop uses it in other ways."""
    lasts, previous, lengths = list[cst.CSTNode](), list[cst.CSTNode](), list[cst.CSTNode]()
    for mention in mentions:
        parent = body.source.parents[mention]
        match parent:
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]) if integer(index) in (-1, -2):
                if isinstance(body.source.parents[parent], (cst.AssignTarget, cst.AugAssign, cst.Del)):
                    return None
                (lasts if integer(index) == -1 else previous).append(parent)
            case cst.Attribute(attr=cst.Name(value="append")) if body.source.inside(mention, line):
                pass
            case cst.Arg() if (call := body.source.parents[parent]) and body.calls(call) == "builtins.len":
                lengths.append(call)
            case _:
                return None
    return Reads(tuple(lasts), tuple(previous), tuple(lengths))


def has_items(
    read: cst.CSTNode,
    least: int,
    owner: cst.BaseExpression,
    line: cst.SimpleStatementLine,
    loop: cst.For,
    body: Body,
    started: int,
) -> bool:
    """Whether a list certainly has so many items where it is read. `started`: how many it has before the loop."""
    always = body.source.parents[line] is loop.body and not body.source.among(loop.body, cst.Continue)
    block: Sequence[cst.BaseStatement] = loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ()
    position = next((k for k, each in enumerate(block) if each is line), -1)
    follows = always and any(body.source.inside(read, each) for each in block[position + 1 :])
    known = started + follows
    space = iteration_space(loop.target, loop.iter, body.scopes.qualname)
    counts = (space.is_range and space.stride == 1) or space.function == "enumerate"
    first = space.first if counts else None
    for test in _conditions(read, loop, body):
        match test:
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
                bound = integer(right)
                if bound is None or not isinstance(operator, (cst.GreaterThan, cst.GreaterThanEqual)):
                    continue
                bound += isinstance(operator, cst.GreaterThan)
                if isinstance(left, cst.Call) and body.calls(left) == "builtins.len" and code(left.args[0].value) == code(owner):
                    known = max(known, bound)
                elif always and first is not None and isinstance(left, cst.Name) and left.value == space.index:
                    known = max(known, started + follows + bound - first)
            case cst.Name(value=name) if always and name == space.index and first == 0:
                known = max(known, started + follows + 1)
    return known >= least


def _conditions(read: cst.CSTNode, loop: cst.For, body: Body) -> Iterator[cst.BaseExpression]:
    """What holds where an expression is read, as the tests around it say."""
    at = read
    for above in body.source.above(read):
        if above is loop:
            return
        if isinstance(above, cst.BooleanOperation) and isinstance(above.operator, cst.And) and at is above.right:
            yield from conjuncts(above.left)
        if isinstance(above, (cst.If, cst.IfExp)) and at is above.body:
            yield from conjuncts(above.test)
        at = above
