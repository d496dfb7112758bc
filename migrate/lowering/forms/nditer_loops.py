"""`for v in np.nditer(x)`: the elements of an array one by one, in memory order, as 0-d arrays.

JAX arrays have no memory order. So this form applies only if the order is given as C's, or does not matter because the iterations
only add up, multiply or count.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....rules.syntax import builders
from ....rules.syntax.tree import walk
from ...syntax.names import collect
from .form import Body, DesugaredStatement

READ = ("readonly", "refs_ok", "zerosize_ok")


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, cst.For) or statement.asynchronous is not None or body.calls(statement.iter) != "numpy.nditer":
        return None
    match statement:
        case cst.For(
            target=cst.Name(value=item),
            iter=cst.Call(func=cst.Attribute(value=numpy), args=[cst.Arg(value=array, keyword=None, star=""), *options]),
        ):
            pass
        case _:
            return None
    if item in body.captured or item in body.live.after[statement] or not _read_only(statement, item, body):
        return None
    if not _is_array(array, body):  # for several arrays, it yields tuples of elements
        return None
    in_order = False
    for option in options:
        match option:
            case cst.Arg(keyword=cst.Name(value="order"), value=cst.SimpleString() as order):
                in_order = order.evaluated_value == "C"
                if not in_order:
                    return None
            case cst.Arg(keyword=cst.Name(value="flags" | "op_flags"), value=value):
                words = [n.evaluated_value for n, _p in walk(value) if isinstance(n, cst.SimpleString)]
                names = any(isinstance(n, (cst.Name, cst.Call)) for n, _p in walk(value))
                if names or any(word not in READ for word in words):
                    return None
            case _:
                return None
    if not in_order and not _commutes(builders.lines(statement.body), collect((statement.body,)).bound, {}):
        return None
    items = builders.call(cst.Attribute(numpy.deep_clone(), cst.Name("ravel")), array.deep_clone())
    return DesugaredStatement("`np.nditer`", {statement: lambda made: made.with_changes(iter=items)})


def _is_array(node: cst.BaseExpression, body: Body) -> bool:
    match node:
        case cst.Name(value=name):
            return name in body.ranks
        case cst.Attribute(value=inner, attr=cst.Name(value="T" | "real" | "imag")) | cst.Subscript(value=inner):
            return _is_array(inner, body)
    return False


def _read_only(loop: cst.For, item: str, body: Body) -> bool:
    """Whether an iteration only computes with the element, and neither changes nor retains it."""
    if item in collect((loop.body,)).bound:
        return False
    for node in body.source.among(loop.body, cst.Name):
        if node.value != item:
            continue
        enclosing = body.source.parents[node]
        if isinstance(enclosing, cst.Arg) and enclosing.keyword is None:
            called = body.calls(body.source.parents[enclosing])
            if not called.startswith(("numpy.", "math.", "builtins.float", "builtins.int", "builtins.abs")):
                return False
        elif isinstance(enclosing, (cst.ComparisonTarget, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)):
            pass
        elif not (isinstance(enclosing, cst.AugAssign) and enclosing.value is node):
            return False
    return True


def _commutes(lines: Sequence[cst.CSTNode], bound: set[str], how: dict[str, bool]) -> bool:
    """Whether the statements give the same result in any order of the iterations: each variable is only added to, or only
    multiplied, by loop-invariant values. `how`: whether a variable is multiplied."""
    for line in lines:
        match line:
            case cst.SimpleStatementLine(body=parts):
                fits = _commutes(parts, bound, how)
            case cst.AugAssign(
                target=cst.Name(value=name),
                operator=cst.AddAssign() | cst.MultiplyAssign() | cst.SubtractAssign() as operator,
                value=value,
            ):
                times = isinstance(operator, cst.MultiplyAssign)
                fits = how.setdefault(name, times) is times and not collect((value,)).read & bound
            case cst.If(test=test, body=block, orelse=None):
                fits = not collect((test,)).read & bound and _commutes(builders.lines(block), bound, how)
            case _:
                fits = False
        if not fits:
            return False
    return True
