"""Lists of the arrays that a loop computes until something ends it: `path.append(x.copy())` beside `if norm(g) < tol: break`.

An array with room for all iterations can take them, as the loop carries `x` in one shape and dtype. It may be much larger than the list, so
that the loop asks for its size first, and fills the list where it is too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from ...syntax.names import collect
from .form import Body
from .list_growth import Growth

ELEMENTS = {"float64": "", "complex128": "complex"}  # the dtype to allocate: that of floats is NumPy's default
ROOM = 10_000_000  # elements for which memory is allocated


class Room(NamedTuple):
    """An array for a number of items like a variable."""

    array: cst.BaseExpression
    items: cst.BaseExpression
    like: str

    @property
    def test(self) -> str:
        return f"{code(self.items)} * {self.like}.size <= {ROOM:_}"


def room_for(growth: Growth, loop: cst.For, count: cst.BaseExpression, numpy: cst.BaseExpression, body: Body) -> Room | None:
    """Room for the items of a list that are all like a variable before the loop, in shape and dtype; None if that is not known."""
    name = _copied(growth.item)
    if not name or growth.value.kind not in (Kind.ARRAY, Kind.UNKNOWN):
        return None
    started = next((value for line in body.before(loop) if (value := _bound(line, name)) is not None), None)
    start = UNKNOWN if started is None else body.values.get(started, UNKNOWN)
    if start.kind is not Kind.ARRAY or start.dtype not in ELEMENTS:
        return None
    shape = cst.Tuple([cst.Element(count.deep_clone()), cst.StarredElement(builders.dotted(f"{name}.shape"))])
    dtype = [cst.Name(ELEMENTS[start.dtype])] if ELEMENTS[start.dtype] else []
    return Room(builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("empty")), shape, *dtype), count, name)


def _copied(item: cst.BaseExpression) -> str:
    """The variable of which an item is a copy, or which it is; "" for others."""
    match item:
        case cst.Name(value=name):
            return name
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="copy")), args=[]):
            return name
    return ""


def _bound(line: cst.CSTNode, name: str) -> cst.CSTNode | None:
    """What a statement binds a variable to; the statement itself where that is not plain."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))], value=value)]):
            return value if bound == name else None
    return line if name in collect([line]).bound else None


def guarded(rooms: Sequence[Room], lines: Sequence[cst.BaseStatement], loop: cst.For) -> cst.If:
    """The lines if there is room for the items, otherwise the loop as it was."""
    test = cst.parse_expression(" and ".join(dict.fromkeys(room.test for room in rooms)))
    plain = loop.deep_clone().with_changes(leading_lines=())
    return cst.If(test, cst.IndentedBlock(lines), cst.Else(cst.IndentedBlock([plain])))
