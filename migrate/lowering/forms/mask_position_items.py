"""Positions where a condition holds, of which only some are used, or from which numbers are computed: `p[0]`, `p[-1]`,
`p.mean()`.

The variable holds the condition instead. The first position is that of the first True, the last one that of the first True in
reverse order. All positions are `np.arange(len(c))[c]`; reductions of it skip what the mask does not select.
"""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Edit
from ....rules.numpy_table.entry import Memory
from ....rules.syntax import builders
from .form import Body

LAST = -1
ENDS = {"min": 0, "amin": 0, "max": LAST, "amax": LAST}  # the positions are ascending
REDUCTIONS = frozenset("sum mean std var any all prod".split())


def taken(positions: cst.BaseExpression, body: Body) -> tuple[cst.BaseExpression, int] | None:
    """The expression that reads one of the positions, and the index of it: from the first on, or LAST."""
    above = body.source.parents[positions]
    match above:
        case cst.Subscript(value=array) if array is positions and not _is_target(above, body):
            return None if (number := _number(above)) is None else (above, number)
        case cst.Attribute(value=array, attr=cst.Name(value=name)) if array is positions and name in ENDS:
            call = body.source.parents[above]
            return (call, ENDS[name]) if isinstance(call, cst.Call) and call.func is above and not call.args else None
        case cst.Arg(keyword=None, star=""):
            call = body.source.parents[above]
            short = body.calls(call).removeprefix("numpy.")
            alone = isinstance(call, cst.Call) and len(call.args) == 1 and body.calls(call).startswith("numpy.")
            return (call, ENDS[short]) if isinstance(call, cst.Call) and alone and short in ENDS else None
    return None


def _number(node: cst.Subscript) -> int | None:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value=number)))]:
            return int(number) if number.isdecimal() else None
        case [cst.SubscriptElement(slice=cst.Index(value=cst.UnaryOperation(cst.Minus(), cst.Integer(value="1"))))]:
            return LAST
    return None


def _is_target(node: cst.Subscript, body: Body) -> bool:
    at, above = body.with_tuple(node)
    match above:
        case cst.AssignTarget() | cst.Del() | cst.AsName() | cst.NamedExpr():
            return True
        case cst.AugAssign(target=target) | cst.AnnAssign(target=target) | cst.For(target=target) | cst.CompFor(target=target):
            return target is at
    return False


def item(node: cst.BaseExpression, number: int, mask: str, call: cst.Call, body: Body) -> Edit:
    """`np.nonzero(c)[0][0]`; the last is `len(c) - 1 - np.nonzero(c[::-1])[0][0]`. `call`: the call that returns the
    positions."""
    flat = body.calls(call) == "numpy.flatnonzero"
    module = call.func.value if isinstance(call.func, cst.Attribute) else cst.Name("np")
    nonzero = cst.Module([]).code_for_node(module) + (".flatnonzero" if flat else ".nonzero")
    first = "" if flat else "[0]"
    if number != LAST:
        return lambda _made: cst.parse_expression(f"{nonzero}({mask}){first}[{number}]")
    last = cst.parse_expression(f"len({mask}) - 1 - {nonzero}({mask}[::-1]){first}[0]")
    inside = isinstance(body.source.parents[node], (cst.BinaryOperation, cst.UnaryOperation, cst.Attribute, cst.Subscript))
    return lambda _made: builders.operand(last) if inside else last


def computed_with(positions: cst.BaseExpression, body: Body) -> bool:
    """Whether positions are only operands, or arguments of a NumPy function with a new result, so that the array does not
    escape."""
    above = body.source.parents[positions]
    match above:
        case cst.BinaryOperation() | cst.Comparison() | cst.ComparisonTarget():
            return True
        case cst.Attribute(attr=cst.Name(value=name)) if above.value is positions:
            call = body.source.parents[above]
            return name in REDUCTIONS and isinstance(call, cst.Call) and call.func is above
        case cst.Arg(keyword=None, star=""):
            called = body.calls(body.source.parents[above])
            entry = numpy_table.function(called) if called.startswith("numpy.") else None
            return entry is not None and not entry.writes and entry.memory is Memory.NEW
    return False


def themselves(mask: str, numpy: cst.BaseExpression) -> Edit:
    """`np.arange(len(c))[c]`."""
    every = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("arange")), builders.call(cst.Name("len"), cst.Name(mask)))
    return lambda _made: cst.Subscript(every, [cst.SubscriptElement(cst.Index(cst.Name(mask)))])
