"""The first iteration of a loop, on its own: ahead of the loop, in NumPy.

What it binds has then the types and the shapes that all later iterations give it, as loop-carried values need in JAX: an attribute
that starts as None, as an integer, or not at all, is an array of floats after one iteration.
"""

from __future__ import annotations

import libcst as cst

from ...rules.facts.iteration_space import IterationSpace
from ...rules.syntax import builders
from ..syntax.names import collect
from ..syntax.source import walk

LOWER = (cst.BooleanOperation, cst.Comparison, cst.IfExp, cst.Lambda)


def not_empty(space: IterationSpace) -> cst.BaseExpression | None:
    """The condition under which a loop has iterations; None if the syntax does not say."""
    if not space.is_range or space.stop is None:
        return None
    if space.step is not None:
        return cst.Comparison(builders.call(cst.Name("len"), space.iterable), [_greater(cst.Integer("0"))])
    return cst.Comparison(_operand(space.stop), [_greater(_operand(space.start or cst.Integer("0")))])


def peeled(loop: cst.For, space: IterationSpace) -> tuple[list[cst.BaseStatement], cst.For] | None:
    """The first iteration of a loop over a range, and the loop over the others; None if iterations may end it, or skip a part."""
    if not space.is_range or space.stop is None or space.step is not None or loop.orelse is not None:
        return None
    if not isinstance(loop.target, cst.Name) or loop.target.value in collect([loop.body]).bound:
        return None
    if any(isinstance(n, (cst.Break, cst.Continue)) for n, _parent in walk(loop.body)):
        return None
    if not isinstance(space.start, cst.Integer | None):
        return None
    first = 0 if space.start is None else int(space.start.value)
    rest = builders.call(cst.Name("range"), cst.Integer(str(first + 1)), space.stop)
    start = builders.assigned((loop.target.value,), cst.Integer(str(first)))
    return [start, *builders.lines(loop.body)], loop.with_changes(iter=rest, leading_lines=())


def _greater(than: cst.BaseExpression) -> cst.ComparisonTarget:
    return cst.ComparisonTarget(cst.GreaterThan(), than)


def _operand(node: cst.BaseExpression) -> cst.BaseExpression:
    return builders.operand(node) if isinstance(node, LOWER) else node
