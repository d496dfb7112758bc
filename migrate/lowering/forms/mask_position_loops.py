"""Loops over the positions where a condition holds: all positions are gone through, and a test leaves the others out."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Edit, Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from .form import Body


def iterations(loop: cst.For, mask: str, numpy: cst.BaseExpression, body: Body) -> Edit | None:
    """What `for i in np.where(c)[0]` becomes where a variable holds c; None where somebody sees a difference."""
    match loop:
        case cst.For(target=cst.Name(value=index), orelse=None, asynchronous=None):
            pass
        case _:
            return None
    if index in body.captured or index in body.live.after[loop] or body.scopes.lookup(body.scopes.scope_of(loop), "range"):
        return None
    length = builders.call(cst.Name("len"), cst.Name(mask))
    if _only_indexes(loop, index, body):
        through = builders.call(cst.Name("range"), length)
    else:  # an item of NumPy's, as a position is: a number of Python's has another dtype where it meets float32
        through = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("arange")), length)
    test = cst.Subscript(cst.Name(mask), [cst.SubscriptElement(cst.Index(cst.Name(index)))])

    def edit(made: cst.For) -> cst.For:
        inner = cst.If(test, cst.IndentedBlock(builders.lines(made.body)))
        return made.with_changes(iter=through, body=cst.IndentedBlock([inner]))

    return edit


def _only_indexes(loop: cst.For, index: str, body: Body) -> bool:
    """Whether a variable is only read as an index, or a part of a sum that is one."""
    for node in body.source.among(loop.body, cst.Name):
        if node.value != index:
            continue
        at: cst.CSTNode | None = body.source.parents[node]
        while isinstance(at, cst.BinaryOperation) and isinstance(at.operator, (cst.Add, cst.Subtract)):
            if not all(isinstance(side, (cst.Name, cst.Integer, cst.BinaryOperation)) for side in (at.left, at.right)):
                return False
            at = body.source.parents[at]
        if not isinstance(at, cst.Index):
            return False
    return True


def is_plain(mask: cst.BaseExpression, body: Body) -> bool:
    """Whether a mask is made of variables and numbers by NumPy alone."""
    return all(is_numpy(call, body) for call in body.source.among(mask, cst.Call)) and not body.source.among(mask, cst.NamedExpr)


def is_numpy(call: cst.Call, body: Body) -> bool:
    """Whether a call is of NumPy, or of a method of an array, and changes nothing."""
    if any(a.keyword is not None and a.keyword.value == "out" for a in call.args):
        return False
    called = body.calls(call)
    if called.startswith("numpy."):
        entry = numpy_table.function(called)
    elif isinstance(call.func, cst.Attribute) and body.values.get(call.func.value, UNKNOWN).kind is Kind.ARRAY:
        entry = numpy_table.method(call.func.attr.value)
    else:
        return called in ("builtins.len", "builtins.abs", "builtins.int", "builtins.float")
    return entry is not None and not entry.writes
