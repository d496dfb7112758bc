"""Lists of floats to which a spelled-out loop appends until a `break`: `self.losses.append(loss)`.

An array with room for all iterations takes the items, as in `forms/growing_lists.py`, which sees no loop that calls methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import libcst as cst

from ...rules import numpy_table
from ...rules.facts.iteration_space import IterationSpace, integer
from ...rules.syntax import builders
from ...rules.syntax.source_text import code
from ..analysis.loops.list_accumulation import appended_item
from ..syntax.names import collect
from ..syntax.source import walk
from .accumulated_lists import mentions
from .forms.growing_lists import ROOM
from .forms.list_items import INEXACT


class Bounded(NamedTuple):
    """The loop with arrays in place of its lists, between the statements that make the arrays and those that extend the lists."""

    before: Sequence[cst.BaseStatement]
    loop: cst.For
    after: Sequence[cst.BaseStatement]


def bounded(loop: cst.For, space: IterationSpace, numpy: str, fresh: Callable[[str], str]) -> Bounded | None:
    """Let arrays take the floats that a loop appends to lists; None if it appends something else, or uses the lists otherwise."""
    room = _room(space)
    if not isinstance(loop.body, cst.IndentedBlock):
        return None
    found = [(line, *appended) for line in loop.body.body if (appended := appended_item(line)) is not None]
    if not found or room is None or any(isinstance(node, (cst.Return, cst.Continue)) for node, _parent in walk(loop)):
        return None
    before, after, stores = list[cst.BaseStatement](), list[cst.BaseStatement](), dict[cst.CSTNode, list[cst.BaseStatement]]()
    for line, owner, item in found:
        earlier = loop.body.body[: next(k for k, each in enumerate(loop.body.body) if each is line)]
        if len(mentions(owner, loop)) > 1 or not is_float(item, earlier, numpy):
            return None
        stem = (owner.value if isinstance(owner, cst.Name) else owner.attr.value).strip("_")
        items, count = fresh(f"{stem}_items"), fresh(f"{stem}_count")
        before += [*_lines(f"{items} = {numpy}.empty({code(room)})", f"{count} = 0")]
        stores[line] = [*_lines(f"{items}[{count}] = {code(item)}", f"{count} += 1")]
        after += _lines(f"{code(owner)}.extend({items}[:{count}])")
    lines = [new for line in loop.body.body for new in stores.get(line, [line])]
    body = loop.body.with_changes(body=lines)
    return Bounded(before, loop.with_changes(body=body), after)


def is_float(item: cst.BaseExpression, before: Sequence[cst.BaseStatement], numpy: str) -> bool:
    """Whether an item certainly is a NumPy float, as far as the syntax says: the mean of an array, a norm, or a sum with one. `before`: the
    statements of the iteration before it."""
    match item:
        case cst.Name(value=name):
            last = next((k for k in reversed(range(len(before))) if name in collect([before[k]]).bound), 0)
            match before[last : last + 1]:
                case [
                    cst.SimpleStatementLine(
                        body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=value)]
                    )
                ]:
                    return bound == name and is_float(value, before[:last], numpy)
        case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
            return is_float(inner, before, numpy)
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract() | cst.Multiply() | cst.Divide(), right=right):
            return is_float(left, before, numpy) or is_float(right, before, numpy)
        case cst.Call(func=func, args=[_]):
            entry = numpy_table.function(code(func).replace(f"{numpy}.", "numpy.", 1))
            return entry is not None and entry.dtype in INEXACT and entry.rank == "reduce"
    return False


def _room(space: IterationSpace) -> cst.BaseExpression | None:
    """The number of iterations of a loop over a range, unless something ends it; None for a literal one that is large."""
    if not space.is_range or space.stop is None:
        return None
    if len(space.bounds) > 1:
        return builders.call(cst.Name("len"), space.iterable)
    number = integer(space.stop)
    return None if number is not None and number > ROOM else space.stop


def _lines(*texts: str) -> list[cst.BaseStatement]:
    return [cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine) for text in texts]
