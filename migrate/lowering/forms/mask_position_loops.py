"""Loops over the positions where a condition holds: loop over all positions, and skip the others with a test."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Edit, Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax import builders
from .form import Body


def iterations(loop: cst.For, mask: str, numpy: cst.BaseExpression, body: Body) -> Edit | None:
    """The replacement of `for i in np.where(c)[0]` if a variable holds c; None if the difference could be observed."""
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
    else:  # a NumPy element, as a position is: a Python number has another dtype when combined with float32
        through = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("arange")), length)
    test = cst.Subscript(cst.Name(mask), [cst.SubscriptElement(cst.Index(cst.Name(index)))])

    def edit(made: cst.For) -> cst.For:
        inner = cst.If(test, cst.IndentedBlock(builders.lines(made.body)))
        return made.with_changes(iter=through, body=cst.IndentedBlock([inner]))

    return edit


def _only_indexes(loop: cst.For, index: str, body: Body) -> bool:
    """Whether a variable is only read as an index, or as a part of a sum that is one."""
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
    """Whether NumPy computes a mask from variables and numbers only."""
    return all(is_numpy(call, body) for call in body.source.among(mask, cst.Call)) and not body.source.among(mask, cst.NamedExpr)


def is_numpy(call: cst.Call, body: Body) -> bool:
    """Whether a call is of NumPy, or of an array method, and changes nothing."""
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
