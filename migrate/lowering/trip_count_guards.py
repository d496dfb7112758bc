"""Loops that Python runs again and again call compiled code only for trip counts with which it takes less time than NumPy.

`for s in range(steps): for j in range(n): ...`: where the outer loop stays in Python, the inner one is compiled. A call of compiled code
takes as long as some dozens of iterations with numbers. So the call gets a test, `if n > 40:`, and the loop as it was follows in `else`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import libcst as cst

from ...rules.facts.function_plan import MOST_LINES
from ...rules.facts.iteration_space import IterationSpace
from ...rules.facts.values import UNKNOWN
from ...rules.facts.work import Work
from ...rules.syntax.comparisons import conjuncts
from ...rules.syntax.source_text import code
from ..analysis.symbolic.affine import Affine, affine, shaped, text, with_lengths
from ..analysis.symbolic.scalar_evolution import implied
from ..linking.cost_model import cost_of
from ..summaries.units import Module
from ..summaries.work import OPERATIONS, Small, work_of
from ..syntax.locations import positions
from ..syntax.names import collect
from ..syntax.source import walk
from .outlined_text import Guarded, Region, statements_of

ITEM = 0.2  # microseconds of an operation on an item of an array, with the time that it takes to read it
BORDER = 4  # how many times as long as estimated a call takes that copies arrays of NumPy to the device and back
LEAST = 20  # iterations: a test for fewer is not worth its lines
MOST = 60  # in each loop: where compiled code takes more to pay, it pays for few loops


def with_trip_count(region: Region, guard: Guarded | None, module: Module) -> Guarded | None:
    """The guard of a region, with the test of its trip count where one pays."""
    test = _test(region, module)
    if not test or guard is None:
        return Guarded(test, (), None) if test else guard
    others = map(code, conjuncts(cst.parse_expression(guard.test))) if guard.test else ()
    return Guarded(" and ".join([test, *(each for each in others if not _implies(test, each))]), guard.conditions, None)


def _implies(test: str, other: str) -> bool:
    """Whether one comparison of integers implies another: `n > 30` implies `n > 0`."""
    given, wanted = _form(test), _form(other)
    surplus = None if given is None or wanted is None else (wanted - given).number
    return surplus is not None and surplus >= 0


def _form(test: str) -> Affine | None:
    """What is at least 0 where a comparison holds."""
    match cst.parse_expression(test):
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
            one, other = affine(left), affine(right)
            found = [] if one is None or other is None else [*implied(one, operator, other, holds=True)]
            return found[0] if len(found) == 1 else None
    return None


def _test(region: Region, module: Module) -> str:
    """The test whether a region has enough iterations; "" where Python does not repeat it, or nothing tells how many there are."""
    source, run, loop = module.source, module.runs[region.unit.name], region.last
    repeated = any(isinstance(at, (cst.For, cst.While)) and source.inside(at, region.owner) for at in source.above(region.first))
    if not run.facts.program.fast or not repeated or not isinstance(loop, cst.For):
        return ""
    where = positions(source, {region.first, region.last})
    if where[region.last][2] - where[region.first][0] >= MOST_LINES:
        return ""
    if not _computes_items(region, loop, module):
        return ""
    work = work_of(run, module.nodes[region.unit.name], source.below(loop))
    least = _least(work, len(region.params), len(region.results))
    nest = list(_nest(loop, module))
    spaces = [module.scopes.iteration_space(each).range if isinstance(each, cst.For) else None for each in nest]
    bound = collect(statements_of(source, region)).bound
    counts = [_trip_count(space, bound) for space in spaces if space is not None]
    known = [count for count in counts if count is not None]
    if not 0 < least <= MOST ** len(nest) or not counts or counts[0] is None:
        return ""
    if len(known) < len(nest):  # an inner loop has about as many iterations
        least = math.isqrt(least)
    read = shaped([node for space in spaces if space is not None for part in space.bounds for node, _parent in walk(part)])
    return with_lengths(_compared(known, least), read)


class Items(Small):
    """Takes `x[i]` for a number: if it is a row, a few iterations do not take NumPy long either."""

    def expression(self, node: cst.BaseExpression) -> bool:
        match node:
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
                return self.is_number(index)
        return super().expression(node)


def _computes_items(region: Region, loop: cst.For, module: Module) -> bool:
    """Whether a loop computes with items of arrays alone: how long an operation on arrays takes depends on their sizes."""
    source, run = module.source, module.runs[region.unit.name]
    small = Items(run, module.nodes[region.unit.name])
    if any(source.inside(call, loop) for call in run.call_graph.calls):
        return False
    for node in source.below(loop):
        if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Subscript):
            if not small.expression(node.value) or any(isinstance(part.slice, cst.Slice) for part in node.target.slice):
                return False
        elif isinstance(node, OPERATIONS) and run.values.get(node, UNKNOWN).numeric and not small.operation(node):
            return False
    return True


def _least(work: Work, parameters: int, results: int) -> int:
    """The trip count from which compiled code takes less time."""
    iteration = (work.looped_arrays + work.looped_items) * ITEM
    return math.ceil(BORDER * cost_of(work, parameters, results).compiled / iteration) if iteration > 0 else 0


def _nest(loop: cst.For, module: Module) -> Iterator[cst.For | cst.While]:
    """A loop, the first loop in its body, and so on."""
    yield loop
    inner = next((n for n in module.source.below(loop.body) if isinstance(n, (cst.For, cst.While))), None)
    if isinstance(inner, cst.For):
        yield from _nest(inner, module)
    elif isinstance(inner, cst.While):
        yield inner


def _trip_count(space: IterationSpace, bound: Collection[str]) -> Affine | None:
    """How many iterations a range has, in terms of what is bound before; None if that is not known."""
    start, stop = Affine(0) if space.start is None else affine(space.start), affine(space.stop)
    if start is None or stop is None or space.stride not in (1, -1):
        return None
    count = (stop - start) * space.stride
    return None if any(name.partition(".")[0] in bound for name in count.names) else count


def _compared(counts: list[Affine], least: int) -> str:
    """The test whether the product of trip counts is large enough; "" where it takes few iterations for that."""
    least //= max(1, math.prod(count.number for count in counts if count.number is not None))
    open_ = [count for count in counts if count.number is None]
    if least < LEAST or not open_:
        return ""
    if len(open_) == 1:
        return f"{text(Affine(0, open_[0].terms))} > {least - open_[0].constant}"
    written = [text(count) for count in open_]
    return f"{' * '.join(f'({each})' if ' ' in each else each for each in written)} > {least}"
